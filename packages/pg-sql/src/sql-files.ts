import { readFileSync } from 'node:fs'

/** Families by their SQL name. */
export const FAMILIES = ['flax', 'sno', 'flake', 'uid', 'uid_local'] as const
/** A family by its SQL name; `uidLocal` is `uid_local`. */
export type SqlFamily = (typeof FAMILIES)[number]

/** What each family's files lean on. */
const NEEDS: Record<SqlFamily, readonly SqlFamily[]> = {
  flax: [],
  sno: [],
  flake: [],
  uid: ['uid_local'],
  uid_local: ['uid'],
}

/** What has numbers that can be leased. */
const LEASED: readonly SqlFamily[] = ['sno', 'flake']

/** The SQL files of the families, in the order in which they run. */
export function sqlFiles(families: readonly SqlFamily[]): string[] {
  const wanted = FAMILIES.filter((family) =>
    families.some((one) => one === family || NEEDS[one].includes(family)),
  )
  const leased = wanted.some((family) => LEASED.includes(family)) ? ['lease'] : []
  return ['shared', 'clock', ...leased, ...wanted, 'partitioning']
}

/** The text of a file that ships. */
export function readSql(name: string): string {
  return readFileSync(new URL(`../generated/${name}.sql`, import.meta.url), 'utf8')
}
