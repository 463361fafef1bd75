import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Dialect, type Told, urlOf } from './project.js'
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

const CUID2 = /^[a-z0-9]{24}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const POST = /^post_[\w-]{21}$/

/** How many keys and foreign keys are adopted, and which stay: their keys are the application's, or stored otherwise. */
const TOLD = {
  notes: [18, 51, ['sessions.id', 'accounts.id', 'verifications.id', 'passkeys.id', 'assets.id']],
  desk: [22, 54, ['plans.id']],
  guild: [5, 6, ['sessions.id', 'accounts.id', 'verifications.id', 'folders.id']],
} as const

const ALL = [
  ['notes', sqlite, same, CUID2],
  ['notes', postgres, toPostgres, CUID2],
  ['desk', postgres, same, UUID],
  ['desk', sqlite, toSqlite, UUID],
  ['guild', sqlite, fromMysqlToSqlite, POST],
  ['guild', postgres, fromMysqlToPostgres, POST],
  ['guild', mysql, same, POST],
] as const

describe.each(ALL.filter(([, kind]) => kind.selected()))('%s on $1.name', (name, kind, dialect, shape) => {
  type Module = Record<string, unknown>
  let before: { schema: Module; open(db: unknown): App }
  let after: typeof before
  let kit: {
    migration(kind: string, from: Module, to: Module): Promise<string[]>
    connect(database: OpenDatabase, schema: Module): unknown
    counted(kind: string, schema: Module): object
  }
  let told: Told
  const opened: OpenDatabase[] = []
  const folders = { before: '', after: '' }

  const load = async (variant: 'before' | 'after', made?: OpenDatabase) => {
    const folder = copied('drizzle', name, `${kind.name}-${variant}`, dialect)
    folders[variant] = folder
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/drizzle.js', import.meta.url)), connect)
    if (made) {
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
      expect(statements).toEqual([])
      app = after.open(kit.connect(made, after.schema))
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, shape))
    // The application's types are those of its own dialect.
    test.runIf(dialect === same)('the application compiles unchanged', () =>
      expect(compilerErrors(folders.after)).toEqual([]),
    )
    test('keys, foreign keys and what stays are told', () => {
      const [keys, references, natural] = TOLD[name]
      const of = (kind: string) => told.adopted.filter((one) => one.kind === kind).length
      const noDefault = told.kept.filter(({ reason }) => reason.startsWith('it has no default'))
      expect([of('key'), of('reference'), noDefault.map((one) => one.name)]).toEqual([
        keys,
        references,
        natural,
      ])
      expect(told).toMatchObject({ failures: [], faults: [], checked: true })
      const { tables, adopted, kept, left } = told.counts
      expect({ tables, total: told.counts.keys + told.counts.references }).toEqual({
        tables: (kit.counted(kind.name, before.schema) as { tables: number }).tables,
        total: adopted + kept + left,
      })
    })
  })
})
