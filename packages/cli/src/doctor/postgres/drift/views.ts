import { type Installation, installCommand } from '../installation.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { areSameQueries } from './meaning.js'
import { type Created, created, type Statement } from './statement.js'

/** Views that are missing or show something else. */
export async function viewDrift(
  database: Postgres,
  installed: Installation,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const view of created(statements, 'VIEW')) {
    const where = `view ${view.name}`
    const [found] = await database.query('SELECT to_regclass($1) IS NOT NULL AS is_there', [view.name])
    // What was granted on it comes back by the installation.
    if (!found?.['is_there']) differences.push(missing(view, where, { shell: installCommand(installed) }))
    else if ((await isSame(database, view)) === false)
      differences.push(...differing(view, where, ['query'], [view.sql]))
  }
  return differences
}

/** The server puts a view's query in its place, so that both are planned alike. */
const isSame = (database: Postgres, { name, definition }: Created): Promise<boolean | undefined> =>
  areSameQueries(
    database,
    `SELECT * FROM (${definition.replace(/^AS\b/, '')}) AS shown`,
    `SELECT * FROM ${name} AS shown`,
  )
