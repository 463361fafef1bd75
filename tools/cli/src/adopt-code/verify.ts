import type { ColumnFacts, Facts, TableFacts } from './load/facts.js'
import type { KeyPlan, Plan } from './plan.js'

/** Why the change can't be checked, or what would be other than before. */
export interface Verdict {
  /** The package that has to be installed before the change can be checked. */
  readonly missing?: string
  readonly faults: readonly string[]
}

/** Compares an application with itself after the change: schema, keys, and what its defaults generate. */
export function compareFacts(before: Facts, after: Facts, { keys }: Pick<Plan, 'keys'>): Verdict {
  const failed = after.failures.filter(
    ({ file, reason }) => !before.failures.some((one) => one.file === file && one.reason === reason),
  )
  const missing = failed.flatMap(
    ({ reason }) => /Cannot find (?:module|package) '(@snoflax\/[\w-]+)/.exec(reason)?.[1] ?? [],
  )[0]
  if (missing) return { missing, faults: [] }
  const faults = failed.map(({ file, reason }) => `${file} could not be loaded any more: ${reason}`)
  if (faults.length > 0) return { faults }
  for (const [at, table] of before.tables.entries()) {
    const other = after.tables[at]
    if (other) faults.push(...differences(table, other))
    else faults.push(`${table.name} would be missing`)
  }
  for (const key of keys) faults.push(...keyFaults(key, before, after))
  return { faults }
}

const schemaOf = ({ name, type, isNullable, isPrimary, default: given }: ColumnFacts): string =>
  [name, type, isNullable ? 'null' : 'not null', isPrimary ? 'primary key' : '', given ?? ''].join(' ')

function differences(before: TableFacts, after: TableFacts): string[] {
  const [old, now] = [before, after].map(({ name, schema, columns, constraints }) => [
    `${schema ?? ''}.${name}`,
    ...columns.map((column) => `${column.key}: ${schemaOf(column)}`),
    ...constraints,
  ]) as [string[], string[]]
  const lost = old.filter((line) => !now.includes(line))
  const gained = now.filter((line) => !old.includes(line))
  return lost.length + gained.length === 0
    ? []
    : [`the schema of ${before.name} would change: ${lost.join('; ')} → ${gained.join('; ')}`]
}

/** A default makes the same ids as before: by the same generators, of the same pattern. */
function keyFaults(key: KeyPlan, before: Facts, after: Facts): string[] {
  const at = before.tables.indexOf(key.table)
  const now = after.tables[at]?.columns.find((one) => one.key === key.column.key)
  if (now?.definition === undefined) return [`${key.name} would be no column of ids`]
  const [old, made] = [key.column.generated, now.generated]
  if (old === undefined || made === undefined) return []
  const whole = new RegExp(`^(?:${key.pattern})$`)
  const isSame = old.pattern === made.pattern && old.generators.join() === made.generators.join()
  const strange = made.samples.find((sample) => !whole.test(sample))
  if (isSame && strange === undefined && made.samples.length > 0) return []
  return [
    `${key.name} would generate ${strange ?? made.samples[0] ?? `nothing (${made.reason})`}, where it generates ${old.samples[0]}`,
  ]
}
