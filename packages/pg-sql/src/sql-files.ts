import { readFileSync } from 'node:fs'
import { checkSchema, DEFAULT_SCHEMA } from '@snoflax/core/adapter'

/** Families by their SQL name. */
export const FAMILIES = ['flax', 'sno', 'flake', 'uid', 'uid_local', 'uuid7'] as const
/** A family by its SQL name; `uidLocal` is `uid_local`, and `uuid7` includes the functions of ULID and TypeID. */
export type SqlFamily = (typeof FAMILIES)[number]

/** The prefixes of the names of a family's functions. */
export const prefixesOf = (family: SqlFamily): readonly string[] =>
  family === 'uuid7' ? ['uuid7', 'ulid', 'typeid'] : [family]

/** The files that each family's files need. */
const NEEDS: Record<SqlFamily, readonly SqlFamily[]> = {
  flax: [],
  sno: [],
  flake: [],
  uid: ['uid_local'],
  uid_local: ['uid'],
  uuid7: [],
}

/** Families whose numbers can be leased. */
const LEASED: readonly SqlFamily[] = ['sno', 'flake']

/** The SQL files of the families, in the order in which they run. */
export function filesOf(families: readonly SqlFamily[]): string[] {
  const wanted = FAMILIES.filter((family) =>
    families.some((one) => one === family || NEEDS[one].includes(family)),
  )
  const leased = wanted.some((family) => LEASED.includes(family)) ? ['lease'] : []
  return ['shared', 'clock', ...leased, ...wanted, 'partitioning']
}

/** The text of SQL files with this schema name. */
export function sqlOf(files: readonly string[], schema: string): string {
  const text = files.map((name) => readFileSync(new URL(`../dist/sql/${name}.sql`, import.meta.url), 'utf8'))
  return text.join('\n').replaceAll(new RegExp(`\\b${DEFAULT_SCHEMA}\\b`, 'g'), checkSchema(schema))
}
