import { createClient } from '@libsql/client'
import { flake, flax } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import type { OpenDatabase, PostgresDatabase, SqliteDatabase } from '@snoflax/test'
import {
  type ContractAdapter,
  contestants,
  describeContract,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'
import { drizzle as overLibsql } from 'drizzle-orm/libsql'
import { drizzle as overPostgresJs } from 'drizzle-orm/postgres-js'
import postgresJs from 'postgres'
import drizzleAdapter, { create } from './contract/adapter.js'
import { postgresSchema, sqliteSchema } from './contract/schema.js'
import type { Session } from './contract/session.js'
import { related } from './contract/version.js'
import { postgresStatements, sqliteStatements } from './generated-sql.js'

// What drivers hand over differs: bytes as Buffer or ArrayBuffer, bigint as number, string or bigint, prepared
// statements that know their types or don't. Two families have every form between them.
const families = contestants.filter(({ family }) => [flax.name, flake.name].includes(family.name))

interface DriverSession extends Session {
  end(): unknown
}

const adapterOf = (
  driver: string,
  open: (database: OpenDatabase, variant: Variant) => Promise<object>,
): ContractAdapter<DriverSession> => ({
  ...drizzleAdapter,
  instead: {},
  orm: `Drizzle over ${driver}`,
  open: open as ContractAdapter<DriverSession>['open'],
  close: async (session) => {
    await session.end()
  },
})

const postgresJsAdapter = adapterOf('postgres.js', async (database, variant) => {
  const { pool, url } = database as PostgresDatabase
  const schema = postgresSchema(variant)
  await install(pool)
  await create(database, await postgresStatements(schema))
  const client = postgresJs(url, { max: 2, onnotice: () => {} })
  return {
    db: overPostgresJs({ client, ...related(schema) }),
    schema,
    variant,
    database,
    end: () => client.end(),
  }
})

const libsqlAdapter = adapterOf('libsql', async (database, variant) => {
  const schema = sqliteSchema(variant)
  await create(database, await sqliteStatements(schema))
  const client = createClient({ url: `file:${(database as SqliteDatabase).file}` })
  return {
    db: overLibsql({ client, ...related(schema) }),
    schema,
    variant,
    database,
    end: () => client.close(),
  }
})

describeContract(postgresJsAdapter, variantsOf('postgres', { families }))
describeContract(libsqlAdapter, variantsOf('sqlite', { families }))
