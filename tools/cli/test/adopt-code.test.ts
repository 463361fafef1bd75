import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { adopt, adoptIn, project, type Told } from './adopting.js'
import { bin, cli, json } from './running.js'

const CUID2 = "import { createId } from '@paralleldrive/cuid2'\n"
const NANOID = "import { nanoid } from 'nanoid'\n"
const SQLITE =
  "import { foreignKey, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'\n"

/** A Drizzle table whose key has this generator, below these lines. */
const keyed = (generator: string, lines = ''): string =>
  `${lines}\n${SQLITE}export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(${generator}) })\n`

test('the printed diff is what --write does, and nothing is changed without it', async () => {
  const before = `import { createId } from '@paralleldrive/cuid2'
import { pgTable, text } from 'drizzle-orm/pg-core'

// People.
export const users = pgTable('users', {
  id: text('id').primaryKey().$defaultFn(() => createId()), // a cuid2
  name: text('name'),
})
export const posts = pgTable('posts', {
  id: text('id').primaryKey().$defaultFn(() => \`post_\${createId()}\`),
  authorId: text('author_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
})`
  const folder = project({ 'schema.ts': before })
  const file = join(folder, 'schema.ts')
  const printed = await cli(['adopt', 'code', file])
  expect(printed).toMatchObject({ code: 0, err: '' })
  expect(printed.out).toContain(`  ${relative('.', file)}:11  posts.authorId → users.id`)
  expect(printed.out).toContain('checked: the schema stays as it is, and each default generates the same ids')
  expect(readFileSync(file, 'utf8')).toBe(before)
  const told = json<Told>(await cli(['adopt', 'code', file, '--json']))
  expect(printed.out).toContain(told.diff)
  execFileSync('git', ['apply', '--unidiff-zero', '-'], { input: told.diff })
  const applied = readFileSync(file, 'utf8')
  writeFileSync(file, before)
  await adoptIn(folder)
  expect(readFileSync(file, 'utf8')).toBe(applied)
  expect(applied).toBe(`import { createId } from '@paralleldrive/cuid2'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { idColumn } from '@snoflax/drizzle/pg-core'
import { opaque } from '@snoflax/core'

const kept = { onMismatch: 'notFound', branded: false } as const

export const usersId = opaque('users', { pattern: /[a-z0-9]{24}/, generate: () => createId() })

// People.
export const users = pgTable('users', {
  id: idColumn('id', usersId, kept).primaryKey(), // a cuid2
  name: text('name'),
})
export const postId = opaque('post', { pattern: /post_[a-z0-9]{24}/, generate: () => \`post_\${createId()}\` })

export const posts = pgTable('posts', {
  id: idColumn('id', postId, kept).primaryKey(),
  authorId: idColumn.ref('author_id', () => users.id, { onDelete: 'cascade' })
    .notNull(),
})`)
})

test('a column is told by table, file and line, and a second run finds all of it done', async () => {
  const first = await adopt({
    'schema.ts': `${CUID2}${SQLITE}export const users = sqliteTable('app_users', {
  id: text('user_id').primaryKey().$defaultFn(() => createId()),
  bossId: text('boss').references((): any => users.id),
})`,
  })
  expect(first).toMatchObject({ code: 0, checked: true, written: true, faults: [] })
  const file = relative('.', join(first.folder, 'schema.ts'))
  expect(first.adopted).toEqual([
    {
      kind: 'key',
      table: 'app_users',
      column: 'user_id',
      name: 'users.id',
      file,
      line: 4,
      pattern: '[a-z0-9]{24}',
      text: 'opaque, createId()',
    },
    {
      kind: 'reference',
      table: 'app_users',
      column: 'boss',
      name: 'users.bossId',
      file,
      line: 5,
      pattern: '[a-z0-9]{24}',
      text: 'users.id',
    },
  ])
  const { counts, diff, code } = await adoptIn(first.folder)
  expect({ code, diff }).toEqual({ code: 0, diff: '' })
  expect(counts).toEqual({ tables: 1, keys: 1, references: 1, adopted: 0, done: 2, kept: 0, left: 0 })
})

test('files change only after stored keys were compared, or if there are none', async () => {
  const folder = project({ 'schema.ts': keyed('() => createId()', CUID2) })
  expect(await cli(['adopt', 'code', folder, '--write'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('pass --url "$DATABASE_URL"'),
  })
  expect((await cli(['adopt', 'code', folder])).out).toContain('not compared with stored keys')
})

/** A table for each generator, in one file, and the tables' names by what they are about. */
function each(
  cases: readonly (readonly [about: string, generator: string, ...more: string[]])[],
  lines: string,
) {
  const tables = cases.map(
    ([, generator], at) =>
      `export const t${at} = sqliteTable('t${at}', { id: text('id').primaryKey().$defaultFn(${generator}) })\n`,
  )
  return `${lines}\n${SQLITE}${tables.join('')}`
}

describe('the pattern comes from the package that generates the ids', () => {
  const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  const KNOWN = [
    ['cuid2', '() => createId()', '[a-z0-9]{24}'],
    ['a generator itself', 'createId', '[a-z0-9]{24}'],
    ['cuid2 of a length', '() => short()', '[a-z0-9]{10}'],
    ['nanoid', '() => nanoid()', '[0-9A-Z_a-z-]{21}'],
    ['nanoid of a length', '() => nanoid(12)', '[0-9A-Z_a-z-]{12}'],
    ['an alphabet', '() => code()', '[\\-\\]\\^abc]{8}'],
    ['an alphabet of a length in the call', '() => digits(12)', '[0-9]{12}'],
    ['uuid', '() => v4()', UUID],
    ['uuidv7 without hyphens', "() => uuidv7().replaceAll('-', '')", '[0-9a-f]{32}'],
    ["Node's uuid", '() => randomUUID()', UUID],
    ["the platform's uuid", '() => crypto.randomUUID()', UUID],
    ['ulid', '() => ulid()', '[0-7][0-9A-HJKMNP-TV-Z]{25}'],
    ['ulid in lower case', "() => 'case_' + ulid().toLowerCase()", 'case_[0-7][0-9a-hjkmnp-tv-z]{25}'],
    ['TypeID', "() => typeid('user').toString()", 'user_[0-7][0-9a-hjkmnp-tv-z]{25}'],
    ['TypeID, unboxed', '() => typeidUnboxed()', '[0-7][0-9a-hjkmnp-tv-z]{25}'],
    ['two parts', "() => nanoid(4) + '.' + createId()", '[0-9A-Z_a-z-]{4}\\.[a-z0-9]{24}'],
    ['a function of the file', "() => newId('usr')", 'usr_[0-9A-Z_a-z-]{9}'],
  ] as const

  test('of each package that is known', async () => {
    const { adopted, code, checked } = await adopt(
      each(
        KNOWN,
        `import { createId, init } from '@paralleldrive/cuid2'
import { customAlphabet, nanoid } from 'nanoid'
import * as ids from 'nanoid'
import { randomUUID } from 'node:crypto'
import { typeid, typeidUnboxed } from 'typeid-js'
import { ulid } from 'ulid'
import { v4 } from 'uuid'
import { uuidv7 } from 'uuidv7'
const short = init({ length: 10 })
const code = customAlphabet('ab^]-c', 8)
const digits = ids.customAlphabet('0123456789', 8)
const newId = (prefix: string) => [prefix, nanoid(9)].join('_')`,
      ),
    )
    expect({ code, checked }).toEqual({ code: 0, checked: true })
    expect(adopted.map(({ pattern }, at) => [KNOWN[at]?.[0], pattern])).toEqual(
      KNOWN.map(([about, , pattern]) => [about, pattern]),
    )
  })

  const NOT_KNOWN = 'a part of its ids is generated by something that is not known'
  const OF_NONE = 'its generator is of no package whose ids are known'
  const UNKNOWN = [
    ['something random', '() => Math.random().toString(36)', OF_NONE],
    ['a time beside it', '() => Date.now().toString(36) + nanoid(4)', NOT_KNOWN],
    ['the month', "() => new Date().toISOString().slice(0, 7) + '-' + nanoid(4)", NOT_KNOWN],
    ['a counter', '() => nanoid(4) + at++', NOT_KNOWN],
    ['several lengths', '() => nanoid(at++ % 2 ? 4 : 5)', NOT_KNOWN],
    ['a digest', '() => btoa(nanoid())', OF_NONE],
    ['an id that repeats', '() => (known ??= nanoid())', NOT_KNOWN],
    [
      'an environment, when it generates',
      "() => (process.env['STAGE'] ?? 'x') + nanoid()",
      'its ids may depend on the environment: STAGE',
    ],
    [
      'an environment, when it is loaded',
      '() => prefix + nanoid()',
      'its ids may depend on the environment: PATH',
    ],
    ['one of few', "() => 'abcdefgh'[Math.floor(Math.random() * 8)]", OF_NONE],
    ['an error', "() => { throw new Error('no session') }", 'its default throws: no session'],
    ['a promise', 'async () => nanoid()', 'its default returns no text, but a promise'],
  ] as const

  test('of others it is not known: the key is left, and says so', async () => {
    const { left, diff, code, counts } = await adopt(
      each(UNKNOWN, `${NANOID}const prefix = process.env['PATH']\nlet at = 0\nlet known: string | undefined`),
    )
    expect({ code, diff }).toEqual({ code: 1, diff: '' })
    expect(left.map(({ reason }, at) => [UNKNOWN[at]?.[0], /\((.*)\); write it/.exec(reason)?.[1]])).toEqual(
      UNKNOWN.map(([about, , reason]) => [about, reason]),
    )
    expect(left[0]?.reason).toContain("write it: --pattern 't0.id=<regular expression>'")
    expect(counts).toMatchObject({ keys: 12, adopted: 0, left: 12 })
  })

  test('or from you, if the ids have it', async () => {
    const source = keyed("() => 'usr_' + Math.random().toString(36).slice(2).padEnd(12, '0').slice(0, 9)")
    const { after, code } = await adopt(source, '--pattern', 'users.id=/^usr_[a-z0-9]{9}$/')
    expect(code).toBe(0)
    expect(after).toContain("opaque('users', { pattern: /usr_[a-z0-9]{9}/, generate: () => 'usr_'")
    const wrong = await adopt(source, '--pattern', 'users.id=usr_[0-9]{9}')
    expect(wrong.left[0]?.reason).toMatch(/^its default generates usr_\w{9}, which --pattern/)
    await expect(adopt(source, '--pattern', 'user.id=x')).rejects.toThrow(
      '--pattern user.id: no id column of this name; there are users.id',
    )
    await expect(adopt(source, '--pattern', 'users.id=[')).rejects.toThrow('--pattern must be a column and')
  })
})

describe('keys that nothing generates stay as they are, by name', () => {
  test('natural keys, plans, counters, rate limits, numbers, and what refers to them', async () => {
    const { kept, left, counts, after, code } = await adopt(`${CUID2}${SQLITE}
export const plans = sqliteTable('plans', { id: text('id').primaryKey() })
export const rateLimit = sqliteTable('rate_limit', { key: text('key').primaryKey(), count: integer('count') })
export const counter = sqliteTable('counter', { id: text('id').primaryKey().default('main'), value: integer('value') })
export const logs = sqliteTable('logs', { id: integer('id').primaryKey({ autoIncrement: true }), planId: text('plan').references(() => plans.id) })
export const orgs = sqliteTable('orgs', { id: text('id').primaryKey().$defaultFn(createId), planId: text('plan').notNull().references(() => plans.id), logId: integer('log').references(() => logs.id), slug: text('slug').$defaultFn(createId) })
`)
    expect({ code, left }).toEqual({ code: 0, left: [] })
    expect(kept.map(({ name, reason }) => [name, reason])).toEqual([
      ['plans.id', 'it has no default: the application or another system decides on its keys'],
      ['rateLimit.key', 'it has no default: the application or another system decides on its keys'],
      ['counter.id', 'it has no default: the application or another system decides on its keys'],
      ['logs.id', 'a number: it can stay as it is; snoflax adopt plan replaces it in a running database'],
      ['logs.planId', 'it refers to plans.id, which stays as it is'],
      ['orgs.planId', 'it refers to plans.id, which stays as it is'],
      ['orgs.logId', 'it refers to logs.id, which stays as it is'],
    ])
    expect(counts).toEqual({ tables: 5, keys: 5, references: 3, adopted: 1, done: 0, kept: 7, left: 0 })
    expect(after.match(/idColumn\(/g)).toHaveLength(1)
  })

  test("better-auth's tables, whose keys it generates itself", async () => {
    const { kept, after, code } = await adopt(`${NANOID}${SQLITE}
export const user = sqliteTable('user', { id: text('id').primaryKey(), email: text('email').notNull().unique() })
export const session = sqliteTable('session', { id: text('id').primaryKey(), token: text('token').notNull().unique(), userId: text('user_id').notNull().references(() => user.id, { onDelete: 'cascade' }) })
export const note = sqliteTable('note', { id: text('id').primaryKey().$defaultFn(() => nanoid()), userId: text('user_id').references(() => user.id) })
`)
    expect(code).toBe(0)
    expect(kept.map(({ name }) => name)).toEqual(['user.id', 'session.id', 'session.userId', 'note.userId'])
    expect(after).toContain("id: idColumn('id', noteId, kept).primaryKey(), userId: text('user_id')")
  })
})

describe("what can't be loaded is said, with the reason", () => {
  test('a module that is missing, beside one that is not', async () => {
    const { failures, adopted, code } = await adopt({
      'good.ts': keyed('createId', CUID2),
      'bad.ts': `import { nothing } from './nowhere.js'\n${keyed('nothing').replaceAll('users', 'others')}`,
    })
    expect(code).toBe(3)
    expect(failures).toEqual([
      { file: expect.stringContaining('bad.ts'), reason: expect.stringContaining("'./nowhere.js'") },
    ])
    expect(adopted.map(({ name }) => name)).toEqual(['users.id'])
  })

  test('a module that throws, and one that ends the process', async () => {
    const thrown = await adopt(`${keyed('createId', CUID2)}throw new Error('DATABASE_URL is not set')`)
    expect(thrown).toMatchObject({ code: 3, adopted: [], failures: [{ reason: 'DATABASE_URL is not set' }] })
    await expect(adopt(`${keyed('createId', CUID2)}process.exit(7)`)).rejects.toThrow(
      /schema\.ts: the process ended with 7 before it was loaded/,
    )
  })

  test('packages that the change needs, and are not installed', async () => {
    const folder = project({ 'schema.ts': keyed('createId', CUID2) }, ['drizzle-orm', '@paralleldrive/cuid2'])
    // Without NODE_PATH, by which tests find packages of this repository.
    const ran = await bin(['adopt', 'code', folder, '--json', '--write', '--unchecked'])
    const { checked, missing, written, diff } = json<Told>(ran)
    expect({ checked, missing, written, code: ran.code }).toEqual({
      checked: false,
      missing: '@snoflax/drizzle',
      written: false,
      code: 1,
    })
    expect(ran.err).toContain('nothing was written: install @snoflax/drizzle')
    expect(diff).toContain('idColumn(')
    expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).not.toContain('idColumn')
  })

  test('nothing at all, and a missing path', async () => {
    const empty = project({ 'a.ts': 'export const a = 1' })
    expect(await cli(['adopt', 'code', empty])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'no Drizzle tables, no DataSource of TypeORM, no configuration of MikroORM, no Prisma schema and no new Kysely in',
      ),
    })
    expect(await cli(['adopt', 'code', 'nowhere'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('nowhere does not exist'),
    })
  })
})
