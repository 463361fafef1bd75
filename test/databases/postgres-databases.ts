import { randomBytes } from 'node:crypto'
import type { Client, Pool } from 'pg'
import type { OpenDatabase, Row, Template } from './open-database.js'
import { connectTo, onConnection, poolTo, urlTo } from './postgres-connection.js'

export interface PostgresDatabase extends OpenDatabase {
  readonly kind: 'postgres'
  readonly name: string
  readonly url: string
  /** The major version. */
  readonly version: number
  readonly pool: Pool
  /** One more session. It is ended with the database where you do not end it. */
  connect(): Promise<Client>
  /** A role of its own that may log in and nothing more, and the URL to come in as it. */
  role(): Promise<{ name: string; url: string }>
}

export interface PostgresDatabaseOptions {
  /**
   * The default collation: an ICU locale such as `de`, `C`, or a provider and its locale, such as `builtin C.UTF-8`
   * (since version 17) or `libc en_US.UTF-8`. Before version 15 there is no other than `C`.
   */
  collation?: string
  template?: Template<PostgresDatabase>
}

/** A server in which to create databases; names of everything created in it begin with `prefix`. */
export interface PostgresPlace {
  readonly url: string
  readonly version: number
  readonly prefix: string
}

// A collation by language, as most real databases have, so that a missing C is noticed.
const PEOPLES_ORDER = 'en'

export async function createDatabase(
  place: PostgresPlace,
  options: PostgresDatabaseOptions = {},
): Promise<PostgresDatabase> {
  const collation = options.collation ?? (place.version < 15 ? 'C' : PEOPLES_ORDER)
  const name = `${place.prefix}_${randomBytes(5).toString('hex')}`
  await onConnection(place.url, async (admin) => {
    if (options.template) {
      const template = await templateDatabase(admin, place, options.template, collation)
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${copying(place)}`)
    } else {
      await admin.query(`CREATE DATABASE ${name} ${fresh(place, collation)}`)
    }
  })
  return open(place, name)
}

/** Removes everything that was created with the prefix, or only its templates. */
export async function dropDatabases(place: PostgresPlace, which: 'all' | 'templates'): Promise<void> {
  const prefix = which === 'all' ? `${place.prefix}_` : `${place.prefix}_template_`
  await onConnection(place.url, async (admin) => {
    const databases = await admin.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    )
    for (const { name } of databases.rows) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    if (which === 'templates') return
    const roles = await admin.query<{ name: string }>(
      'SELECT rolname AS name FROM pg_roles WHERE starts_with(rolname, $1)',
      [prefix],
    )
    for (const { name } of roles.rows) await admin.query(`DROP ROLE IF EXISTS ${name}`)
  })
}

/** Copying files takes a third of the time of writing a log of them, and is all that versions before 15 can do. */
const copying = ({ version }: PostgresPlace) => (version < 15 ? '' : 'STRATEGY FILE_COPY')

function fresh(place: PostgresPlace, collation: string): string {
  const { version } = place
  const [, provider = 'icu', locale = collation] =
    /^(builtin|libc) (.*)$/.exec(collation === 'C' ? 'libc C' : collation) ?? []
  const quoted = `'${locale.replaceAll("'", "''")}'`
  const system = provider === 'libc' ? quoted : "'C'"
  const bare = `TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE ${system} LC_CTYPE ${system} ${copying(place)}`
  if (version < 15 && collation === 'C') return bare
  if (version >= 15)
    return `${bare} LOCALE_PROVIDER ${provider}${provider === 'libc' ? '' : ` ${provider}_LOCALE ${quoted}`}`
  throw new Error(
    `PostgreSQL ${version} cannot have ${collation} as a database's collation: that begins with 15`,
  )
}

// The first who needs a template makes it under another name, and the rest wait. One that was left half made
// by a crash never gets its final name.
async function templateDatabase(
  admin: Client,
  place: PostgresPlace,
  template: Template<PostgresDatabase>,
  collation: string,
): Promise<string> {
  const suffix = `${template.name}_${collation}`.toLowerCase().replaceAll(/[- .]/g, '_')
  const name = `${place.prefix}_template_${suffix}`
  if (!/^\w{1,55}$/.test(name)) throw new Error(`${template.name} is no name for a template: ${name}`)
  const half = `${name}_half`

  await admin.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name])
  try {
    const made = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (made.rowCount) return name
    await admin.query(`DROP DATABASE IF EXISTS ${half} WITH (FORCE)`)
    await admin.query(`CREATE DATABASE ${half} ${fresh(place, collation)}`)
    const database = open(place, half)
    try {
      await template.prepare(database)
    } finally {
      await database.disconnect()
    }
    await admin.query(`ALTER DATABASE ${half} RENAME TO ${name}`)
    return name
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name])
  }
}

function open(place: PostgresPlace, name: string): PostgresDatabase & { disconnect(): Promise<void> } {
  const url = urlTo(place.url, { database: name })
  const pool = poolTo(url)
  const clients = new Set<Client>()
  const roles: string[] = []
  let closed: Promise<void> | undefined

  const disconnect = async () => {
    await pool.end()
    await Promise.all([...clients].map((client) => client.end()))
  }

  const drop = async () => {
    await disconnect()
    await onConnection(place.url, async (admin) => {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      for (const role of roles) await admin.query(`DROP ROLE ${role}`)
    })
  }

  return {
    kind: 'postgres',
    name,
    url,
    version: place.version,
    label: `PostgreSQL ${place.version}`,
    pool,
    disconnect,
    query: async (sql, parameters) => (await pool.query<Row>(sql, parameters && [...parameters])).rows,
    connect: async () => {
      const client = await connectTo(url)
      clients.add(client)
      return client
    },
    role: async () => {
      const role = `${place.prefix}_role_${randomBytes(5).toString('hex')}`
      const password = randomBytes(12).toString('hex')
      await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`)
      roles.push(role)
      return { name: role, url: urlTo(url, { user: role, password }) }
    },
    close: () => {
      closed ??= drop()
      return closed
    },
  }
}
