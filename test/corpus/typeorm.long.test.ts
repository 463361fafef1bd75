import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptLabels, flax, uuid7 } from '@snoflax/core'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Told } from './project.js'
import { checkRows, scenarios, storeRows } from './scenarios.js'

/** What we use of a DataSource, which is that of the folder's own package. */
interface Source {
  initialize(): Promise<Source>
  destroy(): Promise<void>
  query(sql: string): Promise<unknown>
}
interface Kit {
  source(database: OpenDatabase, entities: unknown, more?: object): Source
  migration(opened: Source): Promise<string[]>
}
interface Variant {
  readonly entities: unknown
  open(db: Source): App
}

const TO_BINARY_ORDER = `
  SELECT DISTINCT format('ALTER TABLE %s ALTER COLUMN %I TYPE text COLLATE "C"', a.attrelid::regclass, a.attname) AS statement
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
   WHERE c.connamespace = 'public'::regnamespace AND c.contype IN ('p', 'f') AND a.atttypid IN ('text'::regtype, 'varchar'::regtype)`

// As the set-up of the application's own tests does.
acceptLabels(/(?:user|folder|post|page)-\d+/)

/** How many keys and foreign keys are found, and what is left to do by hand. */
const TOLD = {
  cargo: [2, 57, ['Session.id', 'Token.id', 'Licence.id', 'InvoiceLine.id', 'Payment.id', 'Scan.id']],
  school: [2, 63, ['Device.serial', 'Fee.id', 'Audit.id']],
} as const

describe.each([
  ['cargo', sqlite, (id: string) => flax.is(id)],
  ['cargo', postgres, (id: string) => flax.is(id)],
  ['school', sqlite, (id: string) => uuid7.is(id)],
  ['school', postgres, (id: string) => uuid7.is(id)],
] as const)('%s on $1.name', (name, kind, isNew) => {
  let before: Variant
  let kit: Kit
  let told: Told
  const opened: { close?(): Promise<void>; destroy?(): Promise<void> }[] = []

  let folder: string

  const load = async (variant: 'before' | 'after'): Promise<Variant> => {
    folder = copied('typeorm', name, `${kind.name}-${variant}`, (text) => text)
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/typeorm.js', import.meta.url)), connect)
    if (variant === 'after') told = await adopted(folder)
    kit = await import(connect)
    const { entities } = await import(join(folder, 'entities.ts'))
    const { open } = await import(join(folder, 'app.ts'))
    return { entities, open }
  }
  const database = async (): Promise<OpenDatabase> => {
    const made = await kind.open()
    opened.push(made)
    return made
  }
  const started = async (database: OpenDatabase, entities: unknown, more?: object): Promise<Source> => {
    const source = await kit.source(database, entities, more).initialize()
    opened.push(source)
    return source
  }

  beforeAll(async () => {
    before = await load('before')
  })
  afterAll(async () => {
    for (const one of opened.reverse()) await (one.destroy ?? one.close)?.call(one)
  })

  describe('as it is', () => {
    let app: App
    beforeAll(async () => {
      app = before.open(await started(await database(), before.entities, { synchronize: true }))
    })
    scenarios(() => app)
  })

  describe('adopted, in the same database', () => {
    let app: App
    let rows: Awaited<ReturnType<typeof storeRows>>
    beforeAll(async () => {
      const after = await load('after')
      const made = await database()
      rows = await storeRows(before.open(await started(made, before.entities, { synchronize: true })))
      // PostgreSQL sorts texts by a language, unless a migration says otherwise: `snoflax doctor` prints these statements.
      for (const { statement } of kind.name === 'postgres' ? await made.query(TO_BINARY_ORDER) : [])
        await made.query(statement as string)
      app = after.open(await started(made, after.entities))
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, isNew))
    test('the application compiles unchanged', () => expect(compilerErrors(folder)).toEqual([]))
    test('keys, foreign keys and what is left are told', () => {
      expect([told.keys.length, told.references.length, told.left.map((one) => one.name)]).toEqual(TOLD[name])
    })
  })
})
