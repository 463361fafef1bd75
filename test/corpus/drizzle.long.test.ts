import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax, prefixed, uuid7 } from '@snoflax/core'
import { acceptLabels } from '@snoflax/core/testing'
import { mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import {
  adopted,
  compilerErrors,
  copied,
  type Dialect,
  linesOf,
  runUnbound,
  type Told,
  urlOf,
} from './project.js'
import { checkRows, scenarios, storeRows } from './scenarios.js'

const toPostgres: Dialect = (text) =>
  text
    .replaceAll('sqlite-core', 'pg-core')
    .replaceAll('sqliteTable', 'pgTable')
    .replaceAll('AnySQLiteColumn', 'AnyPgColumn')
// SQLite has no uuid: applications keep theirs as text.
const toSqlite: Dialect = (text) =>
  text
    .replaceAll('pg-core', 'sqlite-core')
    .replaceAll('pgTableCreator', 'sqliteTableCreator')
    .replaceAll('AnyPgColumn', 'AnySQLiteColumn')
    .replaceAll('d.uuid(', 'd.text(')
    .replaceAll('.defaultRandom()', '.$defaultFn(() => randomUUID())')
    .replaceAll("d.serial('id').primaryKey()", "d.integer('id').primaryKey({ autoIncrement: true })")
// Where inserts return rows, and upserts name what conflicts.
const withReturning: Dialect = (text) =>
  text
    .replaceAll('.$returningId()', '.returning()')
    .replaceAll('.onDuplicateKeyUpdate({', '.onConflictDoUpdate({ target: profiles.userId,')
const fromMysql = (text: string, core: string, any: string): string =>
  withReturning(text)
    .replaceAll(/'mysql'|mysql-core/g, (one) => one.replace('mysql', core))
    .replaceAll('mysqlTable', `${core}Table`)
    .replaceAll('AnyMySqlColumn', any)
    .replaceAll(/\bint\b/g, 'integer')
const fromMysqlToPostgres: Dialect = (text) => fromMysql(text, 'pg', 'AnyPgColumn')
const fromMysqlToSqlite: Dialect = (text) =>
  fromMysql(text, 'sqlite', 'AnySQLiteColumn')
    .replaceAll(/boolean, |timestamp, |, varchar(?= \})/g, '')
    .replaceAll(/(boolean|timestamp)\(('\w+')\)/g, "integer($2, { mode: '$1' })")
    .replaceAll(/varchar\((\w+|'\w+'), \{ length: \d+ \}\)/g, 'text($1)')
    .replace('{ varchar }', '{ text }')
const same: Dialect = (text) => text

const isNewText = (id: string) => flax.is(id)
const isNewUuid = (id: string) => uuid7.is(id)
const isNewPost = (id: string) => prefixed(flax, 'post').is(id)

// As the set-up of the application's own tests does.
acceptLabels(/(?:user|folder|post|page)-\d+/)

/** How many keys and foreign keys are found, lines are added, and what is left to do by hand. */
const TOLD = {
  notes: [
    18,
    51,
    43,
    ['sessions.id', 'accounts.id', 'verifications.id', 'passkeys.id', 'assets.id', 'feedEntries.id'],
  ],
  desk: [20, 53, 34, ['invitations.id', 'sessions.id', 'linkVisits.id', 'plans.id', 'audits.id']],
  guild: [8, 18, 25, ['sessions.id', 'verifications.id']],
} as const

const PASSED = { notes: [], desk: ['orgs.id'], guild: ['users.id', 'folders.id'] } as const

const ALL = [
  ['notes', sqlite, same, isNewText],
  ['notes', postgres, toPostgres, isNewText],
  ['desk', postgres, same, isNewUuid],
  ['desk', sqlite, toSqlite, isNewText],
  ['guild', sqlite, fromMysqlToSqlite, isNewPost],
  ['guild', postgres, fromMysqlToPostgres, isNewPost],
  ['guild', mysql, same, isNewPost],
] as const

describe.each(ALL.filter(([, kind]) => kind.selected()))('%s on $1.name', (name, kind, dialect, isNew) => {
  type Module = Record<string, unknown>
  let before: { schema: Module; open(db: unknown): App }
  let after: typeof before
  let kit: {
    migration(kind: string, from: Module, to: Module): Promise<string[]>
    connect(database: OpenDatabase, schema: Module): unknown
    counted(kind: string, schema: Module): object
  }
  let told: Told
  let guessed: Told
  const opened: OpenDatabase[] = []
  const folders = { before: '', after: '' }

  const load = async (variant: 'before' | 'after', made?: OpenDatabase) => {
    const folder = copied('drizzle', name, `${kind.name}-${variant}`, dialect)
    folders[variant] = folder
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/drizzle.js', import.meta.url)), connect)
    if (made) {
      guessed = await adopted(folder)
      told = await adopted(folder, '--write', '--url', urlOf(made))
    }
    kit = await import(connect)
    const schema = await import(join(folder, 'schema.ts'))
    const { open } = await import(join(folder, 'app.ts'))
    return { schema, open }
  }
  const database = async () => {
    const made = await kind.open()
    opened.push(made)
    for (const statement of await kit.migration(kind.name, {}, before.schema)) await made.query(statement)
    return made
  }

  beforeAll(async () => {
    before = await load('before')
  })
  afterAll(async () => {
    for (const one of opened) await one.close()
  })

  describe('as it is', () => {
    let app: App
    beforeAll(async () => {
      app = before.open(kit.connect(await database(), before.schema))
    })
    scenarios(() => app)
  })

  describe('adopted, in the same database', () => {
    let app: App
    let rows: Awaited<ReturnType<typeof storeRows>>
    beforeAll(async () => {
      const made = await database()
      rows = await storeRows(before.open(kit.connect(made, before.schema)))
      after = await load('after', made)
      const statements = await kit.migration(kind.name, before.schema, after.schema)
      // Where a text is a text, there is nothing to migrate.
      if (kind.name === 'sqlite') expect(statements).toEqual([])
      // As the command says.
      if (made.kind === 'mysql') await runUnbound(made, statements)
      else for (const statement of statements) await made.query(statement)
      app = after.open(kit.connect(made, after.schema))
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, isNew))
    // The application's types are those of its own dialect.
    test.runIf(dialect === same)('the application compiles unchanged', () =>
      expect(compilerErrors(folders.after)).toEqual([]),
    )
    test('without a database, keys that the application passes are left too', () => {
      const names = guessed.left.map((one) => one.name)
      expect(names.filter((one) => !told.left.some((other) => other.name === one))).toEqual(PASSED[name])
    })
    test('keys, foreign keys and what is left are told', () => {
      const names = told.left.map((one) => one.name)
      const [keys, references, lines, left] = TOLD[name]
      expect([told.keys.length, told.references.length, names]).toEqual([keys, references, left])
      if (dialect === same) expect(linesOf(told)).toBe(lines)
      expect({ counts: told.counts, unread: told.unread, code: told.code }).toEqual({
        counts: kit.counted(kind.name, before.schema),
        unread: [],
        code: 1,
      })
    })
  })
})
