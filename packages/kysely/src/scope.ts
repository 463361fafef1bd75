import { type Database, IdError } from '@snoflax/core'
import type { ColumnIds, Declared } from './column-ids.js'
import { heldOf, isConverted, isHeld, type Meaning, OTHER } from './meaning.js'
import type { Node } from './nodes.js'

/** The columns of a table, view, subquery or CTE. */
export interface Relation {
  readonly columns: ReadonlyMap<string, Meaning>
  /** The meaning of its other columns. */
  readonly others: Meaning
  /** Whether it has no other columns. */
  readonly isClosed?: boolean
  /** The columns in their order, where that is known. */
  readonly positions?: readonly Meaning[] | undefined
  /** The id columns of a declared table. */
  readonly declared?: ReadonlyMap<string, ColumnIds>
  /** Other spellings of their names. */
  readonly alike?: ReadonlyMap<string, string>
}

/** A table that is not declared. */
const foreign = (name: string): Relation => ({
  columns: new Map(),
  others: { is: 'other', place: name, isForeign: true },
})
/** What raw SQL returns. */
export const UNKNOWN: Relation = { columns: new Map(), others: undefined }

/** The declared tables. */
export class Tables {
  private readonly relations = new Map<string, Relation>()
  private readonly alike: ReadonlyMap<string, string>

  constructor(
    declared: Declared,
    private readonly database: Database,
  ) {
    this.alike = this.spellings(
      [...declared].flatMap(([name, columns]) => (converting(columns).length > 0 ? [name] : [])),
    )
    for (const [name, columns] of declared) {
      this.relations.set(name, {
        columns: new Map([...columns].map(([column, ids]) => [column, heldOf(ids)])),
        others: { is: 'other', place: name },
        declared: columns,
        alike: this.spellings(converting(columns)),
      })
    }
  }

  /** A declared table, by its name in a query. */
  find(name: string, schema: string | undefined): Relation | undefined {
    return (
      (schema === undefined ? undefined : this.relations.get(`${schema}.${name}`)) ?? this.relations.get(name)
    )
  }

  /** Whether a table is declared, perhaps in another spelling. */
  mayHave(name: string, schema: string | undefined): boolean {
    return this.find(name, schema) !== undefined || this.alike.has(this.folded(name))
  }

  /** @throws {IdError} for another spelling of a declared table. */
  table(name: string, schema: string | undefined): Relation {
    const found = this.find(name, schema)
    if (!found) this.refuseAlike(this.alike, name)
    return found ?? foreign(name)
  }

  /** The meaning of a column. @throws {IdError} for another spelling of a declared one. */
  column({ columns, others, alike }: Relation, name: string, isExact = true): Meaning {
    const meaning = columns.get(name)
    if (meaning !== undefined || columns.has(name)) return meaning
    if (alike && isExact) this.refuseAlike(alike, name)
    return others?.is === 'other' && others.place !== undefined
      ? { ...others, place: `${others.place}.${name}` }
      : others
  }

  /** SQLite and MySQL ignore the case of names, and a plugin may rename `orderId` to `order_id`. */
  private spellings(names: Iterable<string>): Map<string, string> {
    const found = new Map<string, string>()
    for (const name of names) {
      const camel = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      for (const one of [name, camel, snake]) found.set(this.folded(one), name)
    }
    return found
  }

  private folded(name: string): string {
    return this.database === 'postgres' ? name : name.toLowerCase()
  }

  private refuseAlike(alike: ReadonlyMap<string, string>, name: string): void {
    const known = alike.get(this.folded(name))
    if (known === undefined || known === name) return
    const advice =
      known.toLowerCase() === name.toLowerCase()
        ? ''
        : ', and pass a plugin that renames columns as inner: [plugin] to idPlugin()'
    throw new IdError('INVALID_OPTION', `${name}: declared as ${known}; use that name${advice}`, {
      path: name,
    })
  }
}

/** The names of columns in another form than text: in others a name that is not found is the database's matter. */
const converting = (columns: ReadonlyMap<string, ColumnIds>): readonly string[] =>
  [...columns].flatMap(([name, { isText }]) => (isText ? [] : [name]))

/** A table, subquery or CTE, by its name in a query. */
interface Source {
  readonly name: string | undefined
  readonly schema?: string | undefined
  readonly compute: () => Relation
  relation?: Relation | undefined
  /** What stands in FROM, and the names that it can see itself. */
  readonly node?: Node | undefined
  readonly seen?: Scope | undefined
}

/** Computed once. A recursive CTE, and a lateral subquery, can see themselves, and are then unknown. */
function relationOf(source: Source): Relation {
  if (source.relation) return source.relation
  let computed: Relation | undefined
  source.relation = UNKNOWN
  try {
    computed = source.compute()
    return computed
  } finally {
    source.relation = computed
  }
}

/** The names that a query can see. */
export class Scope {
  private readonly sources: Source[] = []
  private readonly ctes: Source[] = []

  constructor(
    readonly tables: Tables,
    readonly parent?: Scope | undefined,
    /** The names that a query gives its own columns. */
    readonly aliases: () => ReadonlySet<string> = () => new Set(),
    /** The table that a query writes to. */
    public target: Relation | undefined = parent?.target,
  ) {}

  add(source: Source): void {
    this.sources.push(source)
  }

  addCte(name: string, compute: () => Relation): void {
    this.ctes.push({ name, compute })
  }

  /** Where a query writes to: nowhere that is known, if it lists several tables. */
  aim(): void {
    const [source, other] = this.sources
    this.target = source && !other ? relationOf(source) : undefined
  }

  /** The relations in FROM. */
  get relations(): readonly Relation[] {
    return this.sources.map(relationOf)
  }

  /** The names that a part of the query can see: a subquery in FROM that is not lateral sees only those around it. */
  seenBy(node: Node): Scope {
    for (const { node: one, seen } of this.sources) if (one === node && seen) return seen
    return this
  }

  /** A table or CTE by its name in FROM. */
  table(name: string, schema: string | undefined): Relation {
    for (let at: Scope | undefined = schema === undefined ? this : undefined; at; at = at.parent) {
      for (const cte of at.ctes) if (cte.name === name) return relationOf(cte)
    }
    return this.tables.table(name, schema)
  }

  /** A source by its name, here or in a query around this one. */
  source(name: string, schema?: string): Relation | undefined {
    for (let at: Scope | undefined = this; at; at = at.parent) {
      for (const one of at.sources) {
        if (one.name === name && (schema === undefined || (one.schema ?? schema) === schema))
          return relationOf(one)
      }
    }
    return undefined
  }

  /**
   * The meaning of a column.
   *
   * @param isExact whether another spelling of a declared name is refused.
   */
  column(name: string, table?: string, schema?: string, isExact = true): Meaning {
    if (table !== undefined) {
      const relation = this.source(table, schema) ?? this.tables.find(table, schema)
      return relation && this.tables.column(relation, name, isExact)
    }
    const others: Meaning[] = []
    let mayBeHere = false
    for (let at: Scope | undefined = this; at; at = at.parent) {
      let isFound = false
      let found: Meaning
      for (const source of at.sources) {
        const { columns } = relationOf(source)
        if (!columns.has(name)) continue
        const meaning = columns.get(name)
        if (!isFound || (isHeld(meaning) && !isHeld(found))) found = meaning
        isFound = true
      }
      // It may be a column of the subquery as well.
      if (isFound) return mayBeHere ? undefined : found
      if (at.aliases().has(name)) return undefined
      for (const relation of at.relations) {
        others.push(this.tables.column(relation, name, isExact))
        mayBeHere ||= !relation.isClosed
      }
    }
    const [first] = others
    if (others.length === 0 || others.some((one) => one === undefined)) return undefined
    // The name may be that of a column of an outer table that is not declared.
    const isForeign = (one: Meaning): boolean => one?.is === 'other' && one.isForeign === true
    const isKnown = isForeign(first) || !others.some(isForeign)
    return isKnown && others.every((one) => one?.is === 'other' && one.place !== undefined) ? first : OTHER
  }
}

/** A column that a query returns; without a name, all columns of a relation. */
export type Output = { readonly name: string; readonly meaning: Meaning } | Relation

/** The relation that a query returns. */
export function relationFrom(outputs: readonly Output[]): Relation {
  const columns = new Map<string, Meaning>()
  const positions: Meaning[] = []
  let isPositional = true
  let isClosed = true
  let others: Meaning = OTHER
  const add = (name: string, meaning: Meaning) => {
    const other = columns.get(name)
    const isSame =
      !columns.has(name) || !(isConverted(other) || isConverted(meaning)) || areLike(other, meaning)
    columns.set(name, isSame ? meaning : { is: 'clash', error: clash(name, other, meaning) })
  }
  for (const output of outputs) {
    if ('name' in output) {
      add(output.name, output.meaning)
      positions.push(output.meaning)
      continue
    }
    for (const [name, meaning] of output.columns) add(name, meaning)
    if (output.positions) positions.push(...output.positions)
    else isPositional = false
    if (output.isClosed) continue
    isClosed = false
    if (others) others = output.others && OTHER
  }
  return { columns, others, isClosed, positions: isPositional ? positions : undefined }
}

const areLike = (a: Meaning, b: Meaning): boolean =>
  a === b || (isHeld(a) && isHeld(b) && a.is === b.is && a.ids.isLike(b.ids))

/** Two columns of one name: a row contains only one of them, and it is unknown which. */
function clash(path: string, a: Meaning, b: Meaning): IdError {
  const paths = [a, b].map((one) => (isHeld(one) ? one.ids.path : 'something else'))
  const message = `${path}: two columns of the result have this name, ${paths.join(' and ')}; alias one of them`
  return new IdError('INVALID_OPTION', message, { path })
}
