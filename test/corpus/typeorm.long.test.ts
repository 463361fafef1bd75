import { cpSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Told, urlOf } from './project.js'
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

/** The data source that the command loads, and doesn't connect. */
const SOURCE = (type: string) => `import { DataSource } from 'typeorm'
import { entities } from './entities.js'
export const source = new DataSource({ type: '${type}', database: 'app', entities } as never)
`

const CUID2 = /^[a-z0-9]{24}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const POST = /^post_[\w-]{21}$/

/** How many keys are adopted, and which are left to a person. */
const TOLD = {
  cargo: [20, []],
  school: [22, []],
  depot: [3, ['User.id', 'Org.id', 'Tag.id', 'Post.id']],
} as const

describe.each([
  ['cargo', sqlite, CUID2],
  ['cargo', postgres, CUID2],
  ['school', sqlite, UUID],
  ['school', postgres, UUID],
  ['depot', sqlite, POST],
  ['depot', postgres, POST],
] as const)('%s on $1.name', (name, kind, shape) => {
  let before: Variant
  let kit: Kit
  let told: Told
  const opened: { close?(): Promise<void>; destroy?(): Promise<void> }[] = []

  let folder: string

  const load = async (variant: 'before' | 'after', made?: OpenDatabase): Promise<Variant> => {
    folder = copied('typeorm', name, `${kind.name}-${variant}`, (text) => text)
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/typeorm.js', import.meta.url)), connect)
    writeFileSync(join(folder, 'source.ts'), SOURCE(kind.name === 'sqlite' ? 'better-sqlite3' : 'postgres'))
    if (made) {
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
      const source = await started(made, after.entities)
      expect(await kit.migration(source)).toEqual([])
      app = after.open(source)
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () => checkRows(app, rows, shape))
    test('the application compiles unchanged', () => expect(compilerErrors(folder)).toEqual([]))
    test('keys, foreign keys and what stays are told', () => {
      const [keys, left] = TOLD[name]
      const open = told.left.filter(({ reason }) => !reason.startsWith('it refers to'))
      expect([told.adopted.filter((one) => one.kind === 'key').length, open.map((one) => one.name)]).toEqual([
        keys,
        left,
      ])
      expect(told).toMatchObject({ failures: [], faults: [], checked: true })
      const { keys: all, references, adopted: ours, kept, left: others } = told.counts
      expect(all + references).toBe(ours + kept + others)
    })
  })
})
