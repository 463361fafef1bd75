import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax, prefixed, uuid7 } from '@snoflax/core'
import { acceptLabels } from '@snoflax/core/testing'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, linesOf, type Told, toBinaryOrder, urlOf } from './project.js'
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

// As the set-up of the application's own tests does.
acceptLabels(/(?:user|folder|post|page)-\d+|0{8}-0000-4000-8000-[0-9a-f]{12}/)

/** How many keys and foreign keys are found, lines are added, and what is left to do by hand. */
const TOLD = {
  cargo: [2, 57, 3, ['Session.id', 'Token.id', 'Licence.id', 'InvoiceLine.id', 'Payment.id', 'Scan.id']],
  school: [2, 62, 4, ['Photo.profileId', 'Device.serial', 'Fee.id', 'Audit.id']],
  depot: [5, 23, 10, []],
} as const

const PASSED = { cargo: [], school: [], depot: ['User.id', 'Org.id', 'Post.id', 'Row.id'] } as const

describe.each([
  ['cargo', sqlite, (id: string) => flax.is(id)],
  ['cargo', postgres, (id: string) => flax.is(id)],
  ['school', sqlite, (id: string) => uuid7.is(id)],
  ['school', postgres, (id: string) => uuid7.is(id)],
  ['depot', sqlite, (id: string) => prefixed(flax, 'post').is(id)],
  ['depot', postgres, (id: string) => prefixed(flax, 'post').is(id)],
] as const)('%s on $1.name', (name, kind, isNew) => {
  let before: Variant
  let kit: Kit
  let told: Told
  let guessed: Told
  const opened: { close?(): Promise<void>; destroy?(): Promise<void> }[] = []

  let folder: string

  const load = async (variant: 'before' | 'after', made?: OpenDatabase): Promise<Variant> => {
    folder = copied('typeorm', name, `${kind.name}-${variant}`, (text) => text)
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/typeorm.js', import.meta.url)), connect)
    if (made) {
      guessed = await adopted(folder)
      told = await adopted(folder, '--write', '--url', urlOf(made))
    }
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
      const made = await database()
      rows = await storeRows(before.open(await started(made, before.entities, { synchronize: true })))
      const after = await load('after', made)
      if (kind.name === 'postgres') await toBinaryOrder(made)
      app = after.open(await started(made, after.entities))
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, isNew))
    test('the application compiles unchanged', () => expect(compilerErrors(folder)).toEqual([]))
    test('without a database, keys that the application passes are left too', () => {
      const names = guessed.left.map((one) => one.name)
      expect(names.filter((one) => !told.left.some((other) => other.name === one))).toEqual(PASSED[name])
    })
    test('keys, foreign keys and what is left are told', () => {
      const names = told.left.map((one) => one.name)
      expect([told.keys.length, told.references.length, linesOf(told), names]).toEqual(TOLD[name])
      expect({ unread: told.unread, code: told.code }).toEqual({ unread: [], code: names.length > 0 ? 1 : 0 })
    })
  })
})
