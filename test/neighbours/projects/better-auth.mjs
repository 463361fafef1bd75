import assert from 'node:assert/strict'
import { flax } from '@snoflax/core'
import { checkColumns, flaxId } from '@snoflax/drizzle/sqlite-core'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { statementsOf } from './exercise.mjs'

const date = (name) => integer(name, { mode: 'timestamp' })
const times = () => ({ createdAt: date('created_at').notNull(), updatedAt: date('updated_at').notNull() })
const id = () => flaxId({ storage: 'binary' }).primaryKey()
const user = sqliteTable('user', {
  id: id(),
  name: text('name').notNull(),
  email: text('email').notNull(),
  emailVerified: integer('email_verified', { mode: 'boolean' }).notNull(),
  image: text('image'),
  ...times(),
})
const userId = () => flaxId.ref('user_id').notNull().references(() => user.id)
const session = sqliteTable('session', {
  id: id(),
  expiresAt: date('expires_at').notNull(),
  token: text('token').notNull(),
  ipAddress: text('ip_address'),
  userAgent: text('user_agent'),
  userId: userId(),
  ...times(),
})
const account = sqliteTable('account', {
  id: id(),
  accountId: text('account_id').notNull(),
  providerId: text('provider_id').notNull(),
  userId: userId(),
  accessToken: text('access_token'),
  refreshToken: text('refresh_token'),
  idToken: text('id_token'),
  accessTokenExpiresAt: date('access_token_expires_at'),
  refreshTokenExpiresAt: date('refresh_token_expires_at'),
  scope: text('scope'),
  password: text('password'),
  ...times(),
})
const verification = sqliteTable('verification', {
  id: id(),
  identifier: text('identifier').notNull(),
  value: text('value').notNull(),
  expiresAt: date('expires_at').notNull(),
  ...times(),
})
const schema = { user, session, account, verification }
const db = drizzle({ client: new Database(':memory:'), schema })
for (const statement of statementsOf(schema)) db.run(sql.raw(statement))
await checkColumns(db, schema)

const auth = betterAuth({
  baseURL: 'http://localhost:3000',
  secret: 'a secret of thirty-two characters, or more',
  database: drizzleAdapter(db, { provider: 'sqlite', schema }),
  emailAndPassword: { enabled: true },
  advanced: { database: { generateId: false } },
  telemetry: { enabled: false },
})
const ada = { email: 'ada@example.org', password: 'correct horse battery' }
const made = await auth.api.signUpEmail({ body: { ...ada, name: 'Ada' } })
assert.ok(flax.is(made.user.id))
const { headers } = await auth.api.signInEmail({ body: ada, returnHeaders: true })
const cookie = headers.getSetCookie().map((one) => one.split(';')[0]).join('; ')
const found = await auth.api.getSession({ headers: new Headers({ cookie }) })
assert.equal(found.user.id, made.user.id)
assert.equal(found.session.userId, made.user.id)
assert.ok(flax.is(found.session.id))
const rows = await db.select().from(account)
assert.deepEqual(rows.map((row) => [row.userId, row.accountId]), [[made.user.id, made.user.id]])
await auth.api.signOut({ headers: new Headers({ cookie }) })
assert.equal((await db.select().from(session)).length, 1)
console.log('stored, found and refused an id')
