import { IdError } from '@snoflax/core'
import { type NamedSource, withoutCase } from '@snoflax/core/adapter'
import type { ColumnIds, Declared } from './column-ids.js'
import { hasIds, idsIn, isRaw, type Meaning, unite } from './meaning.js'

/** The columns of a table, view, subquery or CTE. */
export interface Relation {
  /** The columns with ids; all columns if `isClosed`. */
  readonly columns: ReadonlyMap<string, Meaning>
  /** Whether there are no other columns. */
  readonly isClosed: boolean
  /** Whether it is raw SQL with undeclared columns. */
  readonly isRaw: boolean
  /** Whether it is a declared table: its other columns have no ids in the storage of its id columns. */
  readonly isTable?: boolean
  /** The columns in their order, where that is known. */
  readonly positions?: readonly Meaning[] | undefined
  /** What its other columns may contain. */
  readonly others?: Meaning
}

export const UNKNOWN: Relation = { columns: new Map(), isClosed: false, isRaw: false }
export const RAW: Relation = { columns: new Map(), isClosed: false, isRaw: true }

/** Its id columns, for raw SQL whose text names them; undefined if it may have others. */
export function namedIn({ columns, isRaw, others }: Relation): NamedSource['columns'] {
  if (isRaw || others) return undefined
  return [...columns].flatMap(([name, meaning]) => idsIn(meaning).map((ids) => [name, ids.named] as const))
}

/** A source in FROM, by its name in the query. */
interface Source {
  readonly name: string | undefined
  readonly schema: string | undefined
  readonly relation: () => Relation
}

/** The names that a query can see. */
export class Scope {
  private readonly sources: Source[] = []
  private readonly ctes = new Map<string, () => Relation>()
  private answer: (() => Relation) | undefined
  private isAnswering = false

  constructor(
    readonly declared: Declared,
    readonly isCaseSensitive: boolean,
    readonly parent?: Scope,
  ) {}

  addSource(name: string | undefined, relation: () => Relation, schema?: string): void {
    this.sources.push({ name, schema, relation: once(relation) })
  }

  addCte(name: string, relation: () => Relation): void {
    this.ctes.set(name, once(relation))
  }

  /** The query's result, whose names ORDER BY and HAVING can use. */
  addAnswer(relation: () => Relation): void {
    this.answer = once(relation)
  }

  /** The id columns that raw SQL may mean by a name, of all relations that it can see. */
  called(name: string): ColumnIds[] {
    const own = [...this.sources.map(({ relation }) => relation), ...this.ctes.values(), this.answer]
    const columns = own.flatMap((relation) => [...(relation?.().columns ?? [])])
    const found = columns.flatMap(([one, meaning]) =>
      withoutCase(one) === withoutCase(name) ? idsIn(meaning) : [],
    )
    return [...found, ...(this.parent?.called(name) ?? [])]
  }

  /** What raw SQL can name here. */
  tables(): NamedSource[] {
    const own = this.sources.map(({ name, relation }) => ({ alias: name, columns: namedIn(relation()) }))
    return [...own, ...(this.parent?.tables() ?? [])]
  }

  /** A table by its name in FROM. */
  table(name: string, schema: string | undefined): Relation {
    if (schema === undefined) {
      for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
        const cte = scope.ctes.get(name)
        if (cte) return cte()
      }
    }
    const columns = (schema && this.declared.get(`${schema}.${name}`)) ?? this.declared.get(name)
    if (!columns) this.refuseAlike(this.declared.keys(), name)
    return columns ? relationOf(columns) : UNKNOWN
  }

  /** All columns of this query's sources, in order. */
  all(): readonly Relation[] {
    return this.sources.map(({ relation }) => relation())
  }

  /** The sources of this query and of those around it. */
  reachable(): readonly Relation[] {
    return [...this.all(), ...(this.parent?.reachable() ?? [])]
  }

  /** A source by name, here or in a query around this one. */
  source(name: string, schema?: string): Relation | undefined {
    const found = this.sources.find(
      (one) =>
        one.name === name && (schema === undefined || one.schema === undefined || one.schema === schema),
    )
    return found?.relation() ?? this.parent?.source(name, schema)
  }

  /**
   * The meaning of a column.
   *
   * @throws {IdError} `INVALID_OPTION` if it may be an id, which can't be decided.
   */
  column(name: string, table: string | undefined, schema?: string): Meaning {
    if (table === undefined) return this.bareColumn(name, false)
    const relation = this.source(table, schema)
    if (relation) return this.columnOf(relation, name, `${table}.${name}`)
    const columns = (schema && this.declared.get(`${schema}.${table}`)) ?? this.declared.get(table)
    if (columns) return meaningOf(columns.get(name))
    this.refuseIfId(
      name,
      `${table} is not a table that this query names outside of raw SQL`,
      `${table}.${name}`,
    )
    return undefined
  }

  private bareColumn(name: string, isOuter: boolean): Meaning {
    const relations = this.all()
    const found = relations
      .map((relation) => this.columnOf(relation, name, name))
      .filter((one) => one !== undefined)
    if (found.length > 0) {
      if (isOuter) throw unclear(name, 'it may be a column of the subquery or of the query around it')
      return unite(...found)
    }
    const mayBeHere = relations.some((one) => !one.isClosed || one.columns.has(name))
    if (this.parent) return this.parent.bareColumn(name, isOuter || mayBeHere) ?? this.answered(name)
    if (relations.length === 0 && !isOuter) {
      this.refuseIfId(name, 'this query names no table outside of raw SQL', name)
    }
    return undefined
  }

  /**
   * In SQLite and MySQL a condition may use an alias of its own SELECT. A column of the table takes precedence, so it is
   * unknown whether this is the id.
   */
  private answered(name: string): Meaning {
    if (this.isCaseSensitive || this.isAnswering) return undefined
    this.isAnswering = true
    try {
      const meaning = this.answer?.().columns.get(name)
      if (isRaw(meaning)) return meaning
      const named = idsIn(meaning).map((ids) => ids.named)
      return named.length > 0 ? { is: 'raw', declared: this.declared, named } : undefined
    } finally {
      this.isAnswering = false
    }
  }

  /** The meaning of a column of a table or subquery. */
  columnOf(relation: Relation, name: string, shown = name): Meaning {
    const meaning = relation.columns.get(name)
    if (meaning === undefined && !relation.columns.has(name)) this.refuseAlike(relation.columns.keys(), name)
    if (meaning === undefined && relation.isRaw && !relation.columns.has(name)) {
      this.refuseIfId(name, 'it comes from raw SQL; wrap that in ids.rows({ … }, sql)', shown)
      return relation.others
    }
    return checked(meaning)
  }

  /** SQLite and MySQL ignore the case of names, and a later plugin may change `orderId` to `order_id`. */
  private refuseAlike(known: Iterable<string>, name: string): void {
    for (const one of known) {
      if (withoutCase(one) !== withoutCase(name)) continue
      const isRenamed = one.toLowerCase() !== name.toLowerCase()
      if (this.isCaseSensitive && !isRenamed) continue
      const advice = isRenamed
        ? ', and pass a plugin that renames columns as inner: [plugin] to idPlugin()'
        : ''
      throw new IdError('INVALID_OPTION', `${name}: declared as ${one}; use that name${advice}`, {
        path: name,
      })
    }
  }

  private refuseIfId(name: string, reason: string, shown: string): void {
    for (const columns of this.declared.values()) if (columns.has(name)) throw unclear(shown, reason)
  }
}

function unclear(path: string, reason: string): IdError {
  const message = `${path}: can't tell whether this is an id column: ${reason}. Name the table with the column, or use ids.parameter(column, id)`
  return new IdError('INVALID_OPTION', message, { path })
}

const meaningOf = (ids: ColumnIds | undefined): Meaning =>
  ids && { is: ids.column.role === 'list' ? 'list' : 'id', ids }

const relationOf = (columns: ReadonlyMap<string, ColumnIds>): Relation => ({
  columns: new Map([...columns].map(([name, ids]) => [name, meaningOf(ids)])),
  isClosed: false,
  isRaw: false,
  isTable: true,
})

/** A column that a query returns; without a name, all columns of a relation. */
export type Output = { readonly name: string; readonly meaning: Meaning } | Relation

/** The relation that a query returns. */
export function relationFrom(outputs: readonly Output[]): Relation {
  const columns = new Map<string, Meaning>()
  const positions: Meaning[] = []
  let isPositional = true
  let isClosed = true
  let isRaw = false
  let others: Meaning
  const add = (name: string, meaning: Meaning) => {
    const other = columns.get(name)
    const isSame = !columns.has(name) || other === meaning || areLike(other, meaning)
    columns.set(name, isSame ? meaning : { is: 'clash', error: clash(name, other, meaning) })
  }
  for (const output of outputs) {
    if ('name' in output) {
      add(output.name, output.meaning)
      positions.push(output.meaning)
      continue
    }
    for (const [name, meaning] of output.columns) add(name, meaning)
    isClosed &&= output.isClosed
    isRaw ||= output.isRaw
    others = unite(others, output.others)
    if (output.positions) positions.push(...output.positions)
    else isPositional = false
  }
  return { columns, isClosed, isRaw, positions: isPositional ? positions : undefined, others }
}

const areLike = (a: Meaning, b: Meaning): boolean =>
  hasIds(a) && hasIds(b) ? a.is === b.is && a.ids.isLike(b.ids) : a === b

/** Two columns of one name: a row contains only one of them, and it is unknown which. */
function clash(path: string, a: Meaning, b: Meaning): IdError {
  const paths = [a, b].map((one) => (hasIds(one) ? one.ids.path : 'something else'))
  const message = `${path}: two columns of the result have this name, ${paths.join(' and ')}; alias one of them`
  return new IdError('INVALID_OPTION', message, { path })
}

/** @throws {IdError} for a name that two columns have. */
export function checked(meaning: Meaning): Meaning {
  if (meaning?.is === 'clash') throw meaning.error
  return meaning
}

let hits = 0

/** Computes a relation once. A recursive CTE contains itself: it is then unknown, and results based on that aren't kept. */
function once(compute: () => Relation): () => Relation {
  let result: Relation | undefined
  let isComputing = false
  return () => {
    if (result) return result
    if (isComputing) {
      hits++
      return UNKNOWN
    }
    const before = hits
    isComputing = true
    try {
      const relation = compute()
      if (hits === before) result = relation
      return relation
    } finally {
      isComputing = false
    }
  }
}
