import { cpSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Told, urlOf } from './project.js'
import { checkRows, scenarios, storeRows } from './scenarios.js'

/** What we use of a MikroORM, which is that of the folder's own package. */
interface Orm {
  readonly schema: { create(): Promise<void>; getUpdateSchemaSQL(): Promise<string> }
  close(): Promise<void>
}
interface Variant {
  readonly entities: unknown
  open(orm: Orm): App
}

/** The configuration that the command loads, and doesn't connect. */
const config = (driver: string) => `import { defineConfig } from '@mikro-orm/${driver}'
import { entities } from './entities.js'
export default defineConfig({ dbName: 'app', entities })
`

describe.each([sqlite, postgres])('parcel on $name', (kind) => {
  let start: (database: OpenDatabase, entities: unknown) => Promise<Orm>
  let before: Variant
  let told: Told
  let folder: string
  const opened: { close(): Promise<void> }[] = []

  const load = async (variant: 'before' | 'after', made?: OpenDatabase): Promise<Variant> => {
    folder = copied('mikro-orm', 'parcel', `${kind.name}-${variant}`, (text) => text)
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/mikro-orm.js', import.meta.url)), connect)
    writeFileSync(
      join(folder, 'mikro-orm.config.ts'),
      config(kind.name === 'sqlite' ? 'sqlite' : 'postgresql'),
    )
    if (made) told = await adopted(folder, '--write', '--url', urlOf(made))
    start = (await import(connect)).start
    const { entities } = await import(join(folder, 'entities.ts'))
    const { open } = await import(join(folder, 'app.ts'))
    return { entities, open }
  }
  const database = async (): Promise<OpenDatabase> => {
    const made = await kind.open()
    opened.push(made)
    return made
  }
  const started = async (made: OpenDatabase, { entities }: Variant): Promise<Orm> => {
    const orm = await start(made, entities)
    opened.push(orm)
    return orm
  }

  beforeAll(async () => {
    before = await load('before')
  })
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close()
  })

  describe('as it is', () => {
    let app: App
    beforeAll(async () => {
      const orm = await started(await database(), before)
      await orm.schema.create()
      app = before.open(orm)
    })
    scenarios(() => app)
  })

  describe('adopted, in the same database', () => {
    let app: App
    let rows: Awaited<ReturnType<typeof storeRows>>
    beforeAll(async () => {
      const made = await database()
      const old = await started(made, before)
      await old.schema.create()
      rows = await storeRows(before.open(old))
      const after = await load('after', made)
      const orm = await started(made, after)
      const diff = await orm.schema.getUpdateSchemaSQL()
      expect(diff).toBe(await old.schema.getUpdateSchemaSQL())
      // In SQLite MikroORM creates a table with a foreign key of two columns anew each time.
      expect(diff.match(/create table (\S+)|alter table "/g) ?? []).toEqual(
        kind.name === 'sqlite' ? ['create table `reaction__temp_alter`'] : [],
      )
      app = after.open(orm)
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () =>
      checkRows(app, rows, /^post_[a-z0-9]{24}$/))
    test('the application compiles unchanged', () => expect(compilerErrors(folder)).toEqual([]))
    test('keys, foreign keys and what stays are told', () => {
      expect(told).toMatchObject({ code: 0, failures: [], faults: [], checked: true, left: [] })
      expect(told.adopted.flatMap((one) => (one.kind === 'key' ? one.name : [])).sort()).toEqual([
        'Export.id',
        'Folder.id',
        'Org.id',
        'Post.id',
        'Reaction.id',
        'Tag.id',
        'User.id',
        'Visit.id',
      ])
      expect(told.kept.map(({ name }) => name).sort()).toEqual(['Org.plan', 'Plan.code'])
      const { keys, references, adopted: ours, kept } = told.counts
      expect(keys + references).toBe(ours + kept)
    })
  })
})
