import { relative } from 'node:path'
import { uuid7 } from '@snoflax/core'
import type { ColumnFacts, Facts, Reference, TableFacts } from './load/facts.js'

/** A column by its table and property, such as `users.id`. */
export interface Named {
  readonly table: TableFacts
  readonly column: ColumnFacts
  /** `users.id` */
  readonly name: string
  /** The file of its table, from this folder. */
  readonly file: string
}

/** A key that gets a definition which generates the same ids. */
export interface KeyPlan extends Named {
  /** The pattern of its ids, without anchors. */
  readonly pattern: string
  /** The family that has these ids; undefined for opaque ones. */
  readonly family?: string | undefined
  /** What generates them, as a person says it: `createId()`. */
  readonly by: string
  /** The constant beginning of its ids. */
  readonly head: string
}

/** A column that stores ids of a key. */
export interface ReferencePlan extends Named {
  readonly key: KeyPlan
  readonly by: Reference['by']
}

/** A key or a foreign key that stays as it is. */
export interface Left extends Named {
  readonly reason: string
  /** Whether a person has to decide on it: not for numbers and natural keys. */
  readonly isOpen: boolean
}

export interface Plan {
  readonly keys: readonly KeyPlan[]
  readonly references: readonly ReferencePlan[]
  readonly left: readonly Left[]
  /** Keys and foreign keys that are columns of ids already. */
  readonly done: readonly Named[]
}

export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const UUID7 = uuid7.pattern.source.slice(1, -1)

export const isText = (type: string): boolean =>
  /^(?:text|tinytext|mediumtext|longtext|n?(?:var)?char|character varying|varchar2?)\b/i.test(type)

const isUuid = (type: string): boolean => /^uuid$/i.test(type)

const isNumber = (type: string): boolean =>
  /^(?:(?:big|small|tiny|medium)?(?:int|serial)|integer|numeric)/i.test(type)

const NUMBERS = 'a number: it can stay as it is; snoflax adopt plan replaces it in a running database'
const NATURAL = 'it has no default: the application or another system decides on its keys'
const PASSED = `${NATURAL}; if it generates ids for it, pass --pattern with their pattern`

/** What becomes of each key and foreign key. */
export function planOf(
  { tables }: Facts,
  /** Patterns that the user writes, by `users.id`. */
  patterns: ReadonlyMap<string, string>,
  /** Whether a definition may leave it to the code that writes rows to generate the ids. */
  mayPass: boolean,
  /** Keys that store ids of no family, by `users.id`. */
  timeless: ReadonlySet<string>,
): Plan {
  const targets = new Set(
    tables.flatMap(({ columns }) =>
      columns.flatMap(({ references }) =>
        references.flatMap(({ table, key, by }) => (by === 'relation' ? [] : `${table} ${key}`)),
      ),
    ),
  )
  const fates = new Map<ColumnFacts, KeyPlan | Left>()
  const [references, done]: [ReferencePlan[], Named[]] = [[], []]
  const named = (table: TableFacts, column: ColumnFacts): Named => ({
    table,
    column,
    name: `${table.places[0]?.name ?? table.name}.${column.key}`,
    file: relative('.', (column.place?.file || table.places[0]?.file) ?? ''),
  })
  for (const [at, table] of tables.entries())
    for (const column of table.columns) {
      const { definition, isPrimary, key, references: own, stays } = column
      const one = named(table, column)
      const isReference = own.some(({ by }) => by !== 'relation')
      const isTarget = targets.has(`${at} ${key}`)
      if (definition !== undefined) done.push(one)
      else if (stays !== undefined) {
        if (isPrimary || isReference || isTarget) fates.set(column, { ...one, isOpen: false, reason: stays })
      } else if ((isPrimary || isTarget) && !isReference)
        fates.set(column, keyPlan(one, patterns.get(one.name), mayPass, timeless.has(one.name)))
      else if (isReference && column.generated)
        fates.set(column, {
          ...one,
          isOpen: true,
          reason: 'it refers to another key, and generates ids of its own',
        })
    }
  for (const table of tables)
    for (const column of table.columns) {
      if (fates.has(column) || column.definition !== undefined) continue
      const found = rootOf(column, tables)
      const by = column.references[0]?.by
      if (found === undefined || by === undefined) continue
      const one = named(table, column)
      const fate = fates.get(found.column)
      // Relations in code go both ways, and are no constraint.
      const isOfIds = (fate && 'pattern' in fate) || found.column.definition !== undefined
      if (by === 'relation' && !isOfIds) continue
      if (fate && 'pattern' in fate) references.push({ ...one, key: fate, by })
      else if (found.column.definition === undefined)
        fates.set(column, {
          ...one,
          isOpen: fate?.isOpen ?? false,
          reason: `it refers to ${named(found.table, found.column).name}, which stays as it is`,
        })
      else
        fates.set(column, {
          ...one,
          isOpen: true,
          reason: `it refers to ${named(found.table, found.column).name}, a column of ids: declare it as such, too`,
        })
    }
  const all = [...fates.values()]
  return {
    keys: all.filter((one) => 'pattern' in one),
    references,
    left: all.filter((one) => 'reason' in one),
    done,
  }
}

function keyPlan(
  one: Named,
  written: string | undefined,
  mayPass: boolean,
  isTimeless: boolean,
): KeyPlan | Left {
  const { type, generated, isUuidGenerated } = one.column
  const left = (reason: string, isOpen = true): Left => ({ ...one, isOpen, reason })
  if (isNumber(type)) return left(NUMBERS, false)
  if (!isText(type) && !isUuid(type)) return left(`its type is ${type}: neither text nor uuid`, false)
  if (isUuidGenerated && !mayPass && /v7/i.test(one.column.default ?? ''))
    return left('its DEFAULT generates UUIDv7: declare it by hand, with uuid7')
  if (isUuidGenerated) return { ...one, pattern: UUID, by: 'uuid', head: '' }
  if (!generated && mayPass && written !== undefined)
    return { ...one, pattern: written, by: 'passed by the application', head: '' }
  if (!generated) return left(mayPass ? PASSED : NATURAL, false)
  const { pattern, samples, generators, head = '', reason, family } = generated
  const by = generators.join(' and ') || 'a function of the application'
  if (written !== undefined) {
    const whole = new RegExp(`^(?:${written})$`)
    const wrong = samples.find((sample) => !whole.test(sample))
    return wrong === undefined
      ? { ...one, pattern: written, by, head: '' }
      : left(`its default generates ${wrong}, which --pattern '${one.name}=${written}' doesn't match`)
  }
  if (pattern !== undefined) {
    if (isTimeless || family === undefined) return { ...one, pattern, by, head }
    return { ...one, pattern: family === 'uuid7' ? UUID7 : pattern, by, head, family }
  }
  const shown = samples.length > 0 ? `, such as ${samples[0]}` : ''
  return left(
    `the pattern of its ids is not known${shown} (${reason}); write it: --pattern '${one.name}=<regular expression>'`,
  )
}

/** The column at the end of a chain of references. */
export function rootOf(
  column: ColumnFacts,
  tables: readonly TableFacts[],
  seen: ReadonlySet<ColumnFacts> = new Set(),
): { table: TableFacts; column: ColumnFacts } | undefined {
  for (const { table: at, key } of column.references) {
    const table = tables[at] as TableFacts
    const target = table.columns.find((one) => one.key === key)
    if (!target || target === column || seen.has(target)) continue
    const hasKey = target.references.some(({ by }) => by !== 'relation')
    const further = hasKey ? rootOf(target, tables, new Set([...seen, column])) : undefined
    return further ?? { table, column: target }
  }
  return undefined
}
