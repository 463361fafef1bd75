import { quoteName } from '@snoflax/core/adapter'
import { haveRows, type Key } from '../plan.js'
import { createLegacyIndex, dropLegacy, newTable, type SqlitePlan } from './statements.js'

/** SQLite has no conditional statements, so a database with rows is refused, whether adopted or not. */
export function migration(plan: SqlitePlan, stage: 'switched' | 'finished'): string[] {
  const { roots, columns, details } = plan
  if (stage === 'finished') return [...refuseRows(columns, 'finish'), ...dropLegacy(plan)]
  return [
    ...refuseRows(columns, 'backfill and switch'),
    ...details.map(({ table }) => `DROP TABLE ${table}`),
    ...details.map(({ table, create }) => create.replace(quoteName(newTable(table)), () => table)),
    ...details.flatMap(({ attachments }) => attachments),
    ...roots.map(createLegacyIndex),
  ]
}

/** The message is the name of a check, which SQLite shows when it fails. */
function refuseRows(columns: readonly Key[], steps: string): string[] {
  const message = `these tables have rows; run snoflax adopt ${steps} on this database, and mark this migration as applied`
  return [
    'DROP TABLE IF EXISTS temp.snoflax_rows',
    `CREATE TEMP TABLE snoflax_rows (found INTEGER CONSTRAINT ${quoteName(message)} CHECK (found = 0))`,
    `INSERT INTO temp.snoflax_rows SELECT ${haveRows(columns)}`,
    'DROP TABLE temp.snoflax_rows',
  ]
}
