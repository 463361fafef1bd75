import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptLabels, flax, uuid7 } from '@snoflax/core'
import { type OpenDatabase, pglite, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Dialect, type Told } from './project.js'
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
const same: Dialect = (text) => text

const isNewText = (id: string) => flax.is(id)
const isNewUuid = (id: string) => uuid7.is(id)

// As the set-up of the application's own tests does.
acceptLabels(/(?:user|folder|post|page)-\d+/)

/** How many keys and foreign keys are found, and what is left to do by hand. */
const TOLD = {
  notes: [
    18,
    51,
    ['sessions.id', 'accounts.id', 'verifications.id', 'passkeys.id', 'assets.id', 'feedEntries.id'],
  ],
  desk: [20, 53, ['invitations.id', 'sessions.id', 'linkVisits.id', 'plans.id', 'audits.id']],
} as const

describe.each([
  ['notes', sqlite, same, isNewText],
  ['notes', pglite, toPostgres, isNewText],
  ['desk', pglite, same, isNewUuid],
  ['desk', sqlite, toSqlite, isNewText],
] as const)('%s on $1.name', (name, kind, dialect, isNew) => {
  type Module = Record<string, unknown>
  let before: { schema: Module; open(db: unknown): App }
  let after: typeof before
  let kit: {
    migration(kind: string, from: Module, to: Module): Promise<string[]>
    connect(database: OpenDatabase, schema: Module): unknown
  }
  let told: Told
  const opened: OpenDatabase[] = []
  const folders = { before: '', after: '' }

  const load = async (variant: 'before' | 'after') => {
    const folder = copied('drizzle', name, `${kind.name}-${variant}`, dialect)
    folders[variant] = folder
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/drizzle.js', import.meta.url)), connect)
    if (variant === 'after') told = await adopted(folder)
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
      after = await load('after')
      const made = await database()
      rows = await storeRows(before.open(kit.connect(made, before.schema)))
      const statements = await kit.migration(kind.name, before.schema, after.schema)
      // Where a text is a text, there is nothing to migrate.
      if (kind.name === 'sqlite') expect(statements).toEqual([])
      for (const statement of statements) await made.query(statement)
      app = after.open(kit.connect(made, after.schema))
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, isNew))
    // The application's types are those of its own dialect.
    test.runIf(dialect === same)('the application compiles unchanged', () =>
      expect(compilerErrors(folders.after)).toEqual([]),
    )
    test('keys, foreign keys and what is left are told', () => {
      expect([told.keys.length, told.references.length, told.left.map((one) => one.name)]).toEqual(TOLD[name])
    })
  })
})
