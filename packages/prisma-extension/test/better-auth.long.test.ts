import { betterAuthIds, flax, prefixed } from '@snoflax/core'
import {
  type OpenDatabase,
  type PgliteDatabase,
  type PostgresDatabase,
  pglite,
  postgres,
  type SqliteDatabase,
  sqlite,
} from '@snoflax/test'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { drizzle as drizzleOnSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzleOnPglite } from 'drizzle-orm/pglite'
import * as lite from 'drizzle-orm/sqlite-core'
import { Kysely, PGliteDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'

// better-auth with betterAuthIds() through each of its adapters, on the tables of one Prisma schema. It is here since
// Prisma's client has to be generated.

const MODELS = `
  model User {
    id            String    @id
    name          String
    email         String    @unique
    emailVerified Boolean
    image         String?
    createdAt     DateTime
    updatedAt     DateTime
    sessions      Session[]
    accounts      Account[]
    @@map("user")
  }
  model Session {
    id        String   @id
    expiresAt DateTime
    token     String   @unique
    createdAt DateTime
    updatedAt DateTime
    ipAddress String?
    userAgent String?
    userId    String
    user      User     @relation(fields: [userId], references: [id], onDelete: Cascade)
    @@map("session")
  }
  model Account {
    id                    String    @id
    accountId             String
    providerId            String
    userId                String
    user                  User      @relation(fields: [userId], references: [id], onDelete: Cascade)
    accessToken           String?
    refreshToken          String?
    idToken               String?
    accessTokenExpiresAt  DateTime?
    refreshTokenExpiresAt DateTime?
    scope                 String?
    password              String?
    createdAt             DateTime
    updatedAt             DateTime
    @@map("account")
  }
  model Verification {
    id         String   @id
    identifier String
    value      String
    expiresAt  DateTime
    createdAt  DateTime
    updatedAt  DateTime
    @@map("verification")
  }`

/** The tables of the schema, of a dialect's columns. */
function tablesOf(
  table: (name: string, columns: object) => unknown,
  // biome-ignore lint/suspicious/noExplicitAny: builders of either dialect
  column: Readonly<Record<'text' | 'boolean' | 'time', () => any>>,
) {
  return Object.fromEntries(
    [...MODELS.matchAll(/model \w+ \{([^}]*)@@map\("(\w+)"\)/g)].map(([, fields = '', name = '']) => {
      const columns = [...fields.matchAll(/^ +(\w+) +(String|Boolean|DateTime)(\?)?(?: +@(id))?/gm)].map(
        ([, field = '', type, isOptional, isKey]) => {
          const made = column[type === 'String' ? 'text' : type === 'Boolean' ? 'boolean' : 'time']()
          return [field, isKey ? made.primaryKey() : isOptional ? made : made.notNull()]
        },
      )
      return [name, table(name, Object.fromEntries(columns))]
    }),
  )
}

function drizzleOf(database: OpenDatabase) {
  if (database.kind === 'sqlite') {
    const { connection } = database as SqliteDatabase
    return drizzleAdapter(drizzleOnSqlite({ client: connection }), {
      provider: 'sqlite',
      schema: tablesOf(lite.sqliteTable as never, {
        text: () => lite.text(),
        boolean: () => lite.integer({ mode: 'boolean' }),
        time: () => lite.integer({ mode: 'timestamp' }),
      }),
    })
  }
  const db =
    database.kind === 'postgres'
      ? drizzleOnPostgres({ client: (database as PostgresDatabase).pool })
      : drizzleOnPglite({ client: (database as PgliteDatabase).connection })
  return drizzleAdapter(db, {
    provider: 'pg',
    schema: tablesOf(pg.pgTable as never, {
      text: () => pg.text(),
      boolean: () => pg.boolean(),
      time: () => pg.timestamp(),
    }),
  })
}

function dialectOf(database: OpenDatabase) {
  if (database.kind === 'sqlite')
    return new SqliteDialect({ database: (database as SqliteDatabase).connection })
  if (database.kind === 'postgres') return new PostgresDialect({ pool: (database as PostgresDatabase).pool })
  return new PGliteDialect({ pglite: (database as PgliteDatabase).connection })
}

const ADAPTERS = {
  Drizzle: async (database) => drizzleOf(database),
  Prisma: async (database, folder) =>
    prismaAdapter(await clientOf(folder, database), {
      provider: database.kind === 'sqlite' ? 'sqlite' : 'postgresql',
    }),
  Kysely: async (database) => ({
    db: new Kysely<never>({ dialect: dialectOf(database) }),
    type: database.kind === 'sqlite' ? 'sqlite' : 'postgres',
  }),
} satisfies Record<
  string,
  (database: OpenDatabase, folder: string) => Promise<NonNullable<BetterAuthOptions['database']>>
>

const family = {
  user: prefixed(flax, 'usr'),
  session: prefixed(flax, 'ses'),
  account: prefixed(flax, 'acc'),
}

describe.each([sqlite, postgres, pglite])('$name', ({ name, open }) => {
  let folder: string
  beforeAll(async () => {
    const provider = name === 'sqlite' ? 'sqlite' : 'postgresql'
    folder = await generateProject(projectOf(MODELS, { provider, options: null }))
  })

  test.each(Object.entries(ADAPTERS))('%s', async (_, databaseFor) => {
    const database = await open()
    try {
      await pushSchema(folder, database)
      if (name !== 'sqlite') {
        await database.query('ALTER TABLE "session" ALTER id TYPE text COLLATE "C"')
      }
      const auth = betterAuth({
        baseURL: 'http://localhost:3000',
        secret: 'a secret of thirty-two characters, or more',
        database: await databaseFor(database, folder),
        emailAndPassword: { enabled: true },
        advanced: { database: { generateId: betterAuthIds(family) } },
        telemetry: { enabled: false },
      })
      const ada = { email: 'ada@example.org', password: 'correct horse battery' }
      const { user } = await auth.api.signUpEmail({ body: { ...ada, name: 'Ada' } })
      expect(family.user.is(user.id)).toBe(true)

      const from = Date.now()
      const { headers } = await auth.api.signInEmail({ body: ada, returnHeaders: true })
      const cookie = headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ')
      const signedIn = { headers: new Headers({ cookie }) }
      const found = await auth.api.getSession(signedIn)
      expect(found?.user.id).toBe(user.id)
      expect(found?.session.userId).toBe(user.id)
      expect(family.session.is(found?.session.id)).toBe(true)
      // A token is a secret, not an id.
      expect(flax.is(found?.session.token)).toBe(false)
      expect(await auth.api.listSessions(signedIn)).toHaveLength(2)

      const { gte, lt } = family.session.range(from, Date.now() + 60_000)
      const ofTheTime = await database.query(
        `SELECT id FROM session WHERE id >= '${gte}' AND id < '${lt}' ORDER BY id`,
      )
      expect(ofTheTime).toEqual([{ id: found?.session.id }])

      const accounts = await database.query('SELECT * FROM account')
      expect(accounts).toMatchObject([{ userId: user.id, accountId: user.id }])
      expect(family.account.is(accounts[0]?.['id'])).toBe(true)

      // A model that is not named.
      const context = await auth.$context
      const value = { identifier: 'ada', value: 'secret', expiresAt: new Date() }
      const verification = await context.internalAdapter.createVerificationValue(value)
      expect(flax.is(verification.id)).toBe(true)

      await auth.api.signOut(signedIn)
      expect(await database.query('SELECT id FROM session')).toHaveLength(1)
    } finally {
      await database.close()
    }
  })
})
