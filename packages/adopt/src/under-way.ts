import type { IdStorage } from '@snoflax/core'
import { refuse } from './refusal.js'
import { shownName } from './sql-text.js'

interface Root {
  readonly table: string
  readonly family: string
  readonly storage: string
}

/** What was begun goes on as it was planned; only functions and times are given anew. */
export function refuseOther(roots: readonly Root[], storages: readonly IdStorage<string>[]): void {
  const same = (root: Root, i: number): boolean =>
    root.family === storages[i]?.family.name && root.storage === storages[i]?.name
  if (roots.length === storages.length && roots.every(same)) return
  const told = roots.map(({ table, family, storage }) => `${shownName(table)} to ${family} as ${storage}`)
  refuse(
    'tables',
    `an adoption of ${told.join(', ')} is under way; plan with the same tables and families, or abandon it`,
  )
}
