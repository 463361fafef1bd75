import { IdError } from '@snoflax/core'
import { quoteMysqlName } from '@snoflax/core/adapter'
import { type Drift, drift, installedVersion, VERSION } from '@snoflax/mysql-sql'
import { isDatabaseError } from '../../live/address.js'
import type { LiveDatabase } from '../../live/database.js'
import { checkVersion, type Examination, type Functions } from '../examination.js'
import { type Cure, type Finding, finding } from '../report.js'

/** Finds changes since mysql-sql was installed. What can't be examined becomes a note. */
export async function checkFunctions(
  database: LiveDatabase,
  { schema, skip }: Pick<Examination, 'schema' | 'skip'>,
  notes: string[],
): Promise<Functions | undefined> {
  // mysql2 returns an array of rows and fields.
  const client = { query: async (text: string) => [await database.query(text)] }
  try {
    const version = await installedVersion(client, { schema })
    if (version === undefined) return undefined
    const cure = again(database, schema)
    const findings = checkVersion('mysql-sql', { schema, version }, VERSION, cure)
    if (findings.length > 0) notes.push('functions were not compared, since they are from another version')
    else if (!skip.includes('drift')) {
      const manifest = await database.query(
        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = '_manifest'",
        [schema],
      )
      if (manifest.length === 0) {
        const message = "can't determine what was installed, so nothing was compared: the table is missing"
        findings.push(finding('drift', `table ${schema}._manifest`, message, cure))
      } else {
        const changes = await drift(client, { schema })
        findings.push(...changes.map((one) => findingOf(schema, one, cure)))
      }
    }
    return { label: `mysql-sql ${version}`, findings }
  } catch (error) {
    // The tables can be examined even if the account may not read the definitions.
    if (!(error instanceof IdError) && !isDatabaseError(error)) throw error
    notes.push(`functions were not compared: ${error.message}`)
    return undefined
  }
}

/** The command that installs again: it replaces routines and views, and creates missing tables. */
function again({ kind }: LiveDatabase, schema: string): Cure {
  const client = kind === 'mariadb' ? 'mariadb' : 'mysql'
  const shell = `npx snoflax sql --dialect ${kind} --schema ${schema} | ${client} -h HOST -u USER -p`
  // MariaDB replaces a routine in place.
  const leaves =
    'privileges are lost: add --grant-to and --grant-leases for the accounts that use the functions and leases'
  return kind === 'mariadb' ? { shell } : { shell, leaves }
}

function findingOf(schema: string, { object, change }: Drift, installAgain: Cure): Finding {
  const place = object.replace(/^(row \S+ of|\w+) /, `$1 ${schema}.`)
  const [kind, name = ''] = object.split(' ')
  if (change === 'added') {
    const trigger = `${quoteMysqlName(schema)}.${quoteMysqlName(name.replace(/^[^.]*\./, ''))}`
    const cure =
      kind === 'trigger' ? { sql: `DROP TRIGGER ${trigger}` } : { leaves: 'drop it if nothing needs it' }
    return finding('drift', place, 'not part of mysql-sql', cure, 'warning')
  }
  const isReplaced =
    /^(?:function|procedure|view)$/.test(String(kind)) || (kind === 'table' && change === 'missing')
  const leaves = `installing again doesn't change it: install into another database with --schema, and alter this one to match`
  const message =
    change === 'missing' ? 'missing: mysql-sql installed it' : 'differs from what mysql-sql installed'
  return finding('drift', place, message, isReplaced ? installAgain : { leaves })
}
