import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flax, uuid7 } from '@snoflax/core'
import { acceptLabels } from '@snoflax/core/testing'
import { mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adapterOf, pushSchema, runCollations } from '../../packages/prisma-extension/test/project/clients.js'
import { generateProject } from '../../packages/prisma-extension/test/project/generate.js'
import { changesTo } from '../../packages/prisma-extension/test/project/push.js'
import type { App } from './app.js'
import { adopted, copied, type Dialect, linesOf, runUnbound, type Told, urlOf } from './project.js'
import { checkRows, scenarios, storeRows } from './scenarios.js'

const toPostgres: Dialect = (text) => text.replace('"sqlite"', '"postgresql"')
const toMysql: Dialect = (text) => text.replace('"sqlite"', '"mysql"')
// SQLite has no uuid: applications keep theirs as text.
const toSqlite: Dialect = (text) =>
  text
    .replace('"postgresql"', '"sqlite"')
    .replaceAll(' @db.Uuid', '')
    .replaceAll('dbgenerated("gen_random_uuid()")', 'uuid()')
const same: Dialect = (text) => text

// As the set-up of the application's own tests does.
acceptLabels(/(?:user|folder|post|page)-\d+/)

/** How many keys and foreign keys are found, lines are added, and what is left to do by hand. */
const TOLD = {
  clinic: [19, 40, 26, ['Session.id', 'Account.id', 'Verification.id', 'Bed.id', 'Audit.id']],
  shop: [16, 55, 23, ['Session.id', 'Price.id', 'Payment.id', 'Coupon.code', 'HookCall.id', 'Outbox.id']],
} as const

const PASSED = { clinic: [], shop: ['Tenant.id', 'User.id'] } as const

const ALL = [
  ['clinic', sqlite, same, (id: string) => flax.is(id)],
  ['clinic', postgres, toPostgres, (id: string) => flax.is(id)],
  ['shop', postgres, same, (id: string) => uuid7.is(id)],
  ['shop', sqlite, toSqlite, (id: string) => flax.is(id)],
  ['clinic', mysql, toMysql, (id: string) => flax.is(id)],
] as const

describe.each(ALL.filter(([, kind]) => kind.selected()))('%s on $1.name', (name, kind, dialect, isNew) => {
  let before: string
  let told: Told
  let guessed: Told
  const opened: OpenDatabase[] = []
  const clients: { $disconnect(): Promise<void> }[] = []

  const generated = async (made?: OpenDatabase): Promise<string> => {
    const folder = copied('prisma', name, `${kind.name}-${made ? 'after' : 'before'}`, dialect)
    if (made) {
      guessed = await adopted(folder)
      told = await adopted(folder, '--write', '--url', urlOf(made))
    }
    const read = (file: string) => readFileSync(join(folder, file), 'utf8')
    // The extension's tests keep a generator in this process, under its own name.
    return generateProject({ 'schema/schema.prisma': read('schema.prisma'), 'app.ts': read('app.ts') })
  }
  const database = async (): Promise<OpenDatabase> => {
    const made = await kind.open()
    opened.push(made)
    await pushSchema(before, made)
    return made
  }
  const started = async (folder: string, database: OpenDatabase, isExtended: boolean): Promise<App> => {
    const { PrismaClient } = await import(join(folder, 'client/client.ts'))
    const client = new PrismaClient({ adapter: adapterOf(database) })
    clients.push(client)
    const { open } = await import(join(folder, 'app.ts'))
    return open(
      isExtended ? client.$extends((await import(join(folder, 'snoflax/index.ts'))).snoflax()) : client,
    )
  }

  beforeAll(async () => {
    before = await generated()
  })
  afterAll(async () => {
    for (const client of clients) await client.$disconnect()
    for (const one of opened) await one.close()
  })

  describe('as it is', () => {
    let app: App
    beforeAll(async () => {
      app = await started(before, await database(), false)
    })
    scenarios(() => app)
  })

  describe('adopted, in the same database', () => {
    let app: App
    let rows: Awaited<ReturnType<typeof storeRows>>
    beforeAll(async () => {
      const made = await database()
      rows = await storeRows(await started(before, made, false))
      const after = await generated(made)
      if (kind.name === 'sqlite') {
        const schema = readFileSync(join(after, 'schema/schema.prisma'), 'utf8')
        expect(await changesTo(schema, adapterOf(made), 'database')).toMatch(/empty migration/i)
      }
      if (kind.name === 'mysql') {
        const sql = readFileSync(join(after, 'snoflax/collation.sql'), 'utf8')
        await runUnbound(made, sql.split(/;\n/).filter(Boolean))
      } else await runCollations(after, made)
      app = await started(after, made, true)
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, isNew))
    test('without a database, keys that the application passes are left too', () => {
      const names = guessed.left.map((one) => one.name)
      expect(names.filter((one) => !told.left.some((other) => other.name === one))).toEqual(PASSED[name])
    })
    test('keys, foreign keys and what is left are told', () => {
      const names = told.left.map((one) => one.name)
      expect([told.keys.length, told.references.length, linesOf(told), names]).toEqual(TOLD[name])
      expect({ unread: told.unread, code: told.code }).toEqual({ unread: [], code: 1 })
    })
  })
})
