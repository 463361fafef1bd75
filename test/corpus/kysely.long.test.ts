import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Dialect, type Told, urlOf } from './project.js'
import { checkRows, scenarios, storeRows } from './scenarios.js'

/** SQLite has no schemas, and no uuid: its DEFAULT makes them of random bytes. */
const HEX = (bytes: number) => `lower(hex(randomblob(${bytes})))`
const toSqlite: Dialect = (text) =>
  text
    .replace('CREATE SCHEMA audit;', '')
    .replace("'audit.posts': {", 'auditPosts: {')
    .replaceAll("'audit.posts'", "'auditPosts'")
    .replaceAll('audit.posts', 'audit_posts')
    .replaceAll('public.', '')
    .replaceAll(/\buuid\b/g, 'text')
    .replaceAll(
      'gen_random_uuid()',
      `(${HEX(4)} || '-' || ${HEX(2)} || '-4' || substr(${HEX(2)}, 2) || '-8' || substr(${HEX(2)}, 2) || '-' || ${HEX(6)})`,
    )
const same: Dialect = (text) => text

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const PATTERNS = ['users.id=usr_[0-9a-f]{12}', 'posts.id=post_[0-9a-f]{12}']
/** SQLite's catalog doesn't say that texts are UUIDs. */
const UUIDS = ['folders.id', 'tags.id', 'reactions.id', 'auditPosts.id'].map((name) => `${name}=${UUID}`)

describe.each([
  ['press', sqlite, toSqlite, [...PATTERNS, ...UUIDS]],
  ['press', postgres, same, PATTERNS],
] as const)('%s on $1.name', (name, kind, dialect, patterns) => {
  type Db = { destroy(): Promise<void> }
  interface Variant {
    connect(dialect: unknown): Db
    open(db: Db): App
    readonly tables: string
    readonly ids?: { checkColumns(db: Db): Promise<void> }
  }
  let before: Variant
  let kit: { dialectOf(database: OpenDatabase): unknown }
  let told: Told
  let folder: string
  const opened: OpenDatabase[] = []

  const load = async (variant: 'before' | 'after', made?: OpenDatabase): Promise<Variant> => {
    folder = copied('kysely', name, `${kind.name}-${variant}`, dialect)
    const connect = join(dirname(folder), 'connect.js')
    cpSync(fileURLToPath(new URL('connect/kysely.js', import.meta.url)), connect)
    const given = patterns.flatMap((one) => ['--pattern', one])
    if (made) told = await adopted(folder, '--write', '--url', urlOf(made), ...given)
    kit = await import(connect)
    const { open } = await import(join(folder, 'app.ts'))
    return { ...(await import(join(folder, 'db.ts'))), ...(await import(join(folder, 'tables.ts'))), open }
  }
  const database = async (): Promise<OpenDatabase> => {
    const made = await kind.open()
    opened.push(made)
    for (const statement of before.tables.split(';\n')) if (statement.trim()) await made.query(statement)
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
      app = before.open(before.connect(kit.dialectOf(await database())))
    })
    scenarios(() => app)
  })

  describe('adopted, in the same database', () => {
    let app: App
    let rows: Awaited<ReturnType<typeof storeRows>>
    beforeAll(async () => {
      const made = await database()
      rows = await storeRows(before.open(before.connect(kit.dialectOf(made))))
      const after = await load('after', made)
      const db = after.connect(kit.dialectOf(made))
      await after.ids?.checkColumns(db)
      expect(after.ids).toBeDefined()
      app = after.open(db)
    })
    scenarios(() => app)
    test('rows that were there are found, and referred to by new ones', () =>
      checkRows(app, rows, /^post_[0-9a-f]{12}$/))
    test('the application compiles unchanged', () => expect(compilerErrors(folder)).toEqual([]))
    test('the database answers with the same errors', async () => {
      const made = opened.at(-1) as OpenDatabase
      const errorsOf = async (one: App): Promise<string[]> => {
        const user = await one.signUp({ name: `errors of ${Math.random()}` })
        const post = await one.post({ ownerId: user, title: 'once', at: 1 })
        await one.share(post, user)
        const calls = [
          () => one.share(post, user),
          () => one.share(one.label('post', 404), user),
          () => one.folder({ ownerId: user, name: 'lost', parentId: one.label('folder', 404) }),
          () => one.post({ ownerId: user, title: null as never, at: 1 }),
          () => one.folder({ id: null as never, ownerId: user, name: 'no key' }),
          () => one.path('no uuid'),
        ]
        return Promise.all(calls.map((call) => call().then(JSON.stringify, String)))
      }
      const [old, now] = [before.open(before.connect(kit.dialectOf(made))), app]
      expect(await errorsOf(now)).toEqual(await errorsOf(old))
    })
    test.runIf(kind.name === 'postgres')('what is no UUID is an error with status 400', async () => {
      const ownerId = await app.signUp({ name: 'upper' })
      await expect(app.folder({ id: 'no uuid', ownerId, name: 'a' })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('folders.id: folders: "no uuid" does not match'),
      })
    })
    test('keys, foreign keys and what stays are told', () => {
      expect(told).toMatchObject({ code: 3, left: [], faults: [], checked: true })
      expect(told.failures).toEqual([
        {
          file: expect.stringContaining('db.ts'),
          reason: expect.stringContaining('the interface has drafts, but'),
        },
      ])
      const of = (kind: string) => told.adopted.filter((one) => one.kind === kind).map((one) => one.name)
      const audit = kind.name === 'sqlite' ? 'auditPosts' : 'audit.posts'
      expect(of('key').sort()).toEqual(
        [`${audit}.id`, 'folders.id', 'posts.id', 'reactions.id', 'tags.id', 'users.id'].sort(),
      )
      expect(of('reference').sort()).toEqual(
        [
          'folders.ownerId',
          'folders.parentId',
          'posts.ownerId',
          'posts.folderId',
          `${audit}.postId`,
          'postTags.postId',
          'postTags.tagId',
          'profiles.userId',
          'shares.postId',
          'shares.userId',
          'reactions.postId',
          'reactions.userId',
        ].sort(),
      )
      expect(told.kept.map((one) => one.name).sort()).toEqual([
        'plans.id',
        'sessions.token',
        'sessions.user_id',
        'users.planId',
      ])
      const { tables, keys, references, adopted: ours, kept, left } = told.counts
      expect({ tables, total: keys + references }).toEqual({ tables: 11, total: ours + kept + left })
    })
  })
})
