import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { aggregateDrift } from './drift/aggregates.js'
import { constantDrift } from './drift/constants.js'
import { type Difference, toFinding } from './drift/difference.js'
import { domainDrift } from './drift/domains.js'
import { functionDrift } from './drift/functions.js'
import { unlessIncomplete } from './drift/incomplete.js'
import { sequenceDrift } from './drift/sequences.js'
import { settingDrift } from './drift/settings.js'
import { statementsOf } from './drift/statement.js'
import { tableDrift } from './drift/tables.js'
import { typeDrift } from './drift/types.js'
import { viewDrift } from './drift/views.js'
import type { Installation } from './installation.js'
import type { Postgres } from './open.js'

/**
 * What is missing or is not as this version installs it, in the order in which the cures can be run; but for domains. What
 * else there is in the schema is nobody's fault.
 */
export async function checkDrift(
  { database }: Examination<Postgres>,
  installed: Installation,
): Promise<Finding[]> {
  const statements = statementsOf(installed)
  return inOrder([
    ...(await functionDrift(database, statements)),
    ...(await aggregateDrift(database, statements)),
    ...(await typeDrift(database, statements)),
    ...(await sequenceDrift(database, installed, statements)),
    ...(await tableDrift(database, installed, statements)),
    ...(await viewDrift(database, installed, statements)),
    ...(await unlessIncomplete(() => constantDrift(database, installed, statements))),
    ...(await settingDrift(database, installed, statements)),
  ])
}

/** The same of domains. A check that is added looks at all values, so these are mended after values. */
export async function checkDomains(
  { database }: Examination<Postgres>,
  installed: Installation,
): Promise<Finding[]> {
  return inOrder(await domainDrift(database, statementsOf(installed)))
}

const inOrder = (differences: readonly Difference[]): Finding[] =>
  [...differences].sort((a, b) => a.statement.at - b.statement.at).map(toFinding)
