import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax } from '@snoflax/core'
import { acceptLabels } from '@snoflax/core/testing'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from './app.js'
import { adopted, compilerErrors, copied, type Told, toBinaryOrder } from './project.js'
import { checkRows, scenarios, storeRows } from './scenarios.js'

// As the set-up of the application's own tests does.
acceptLabels(/0{8}-0000-4000-8000-[0-9a-f]{12}/)

const opened: PostgresDatabase[] = []
afterAll(async () => {
  for (const one of opened) await one.close()
})

async function database(): Promise<PostgresDatabase> {
  const made = await postgres.open()
  opened.push(made)
  await made.query(readFileSync(new URL('kysely-library/schema.sql', import.meta.url), 'utf8'))
  return made
}

function copy(variant: string): string {
  const folder = copied('kysely', 'library', variant, (text) => text)
  const connect = fileURLToPath(new URL('connect/kysely.js', import.meta.url))
  cpSync(connect, join(dirname(folder), 'connect.js'))
  return folder
}

async function started(folder: string, made: PostgresDatabase): Promise<App> {
  const { dialectOf } = await import(join(dirname(folder), 'connect.js'))
  const { connect } = await import(join(folder, 'db.ts'))
  const { open } = await import(join(folder, 'app.ts'))
  return open(connect(dialectOf(made)))
}

/** What a person does with the lines that the command prints. */
function declare(folder: string, { left }: Told): void {
  const tables = left.flatMap(({ text }) => /^declare it: (.*)/.exec(text)?.[1] ?? [])
  const edit = (file: string, ...changes: [before: string, after: string][]) => {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    for (const [before] of changes) expect(text).toContain(before)
    writeFileSync(
      path,
      changes.reduce((all, [before, after]) => all.replace(before, after), text),
    )
  }
  writeFileSync(
    join(folder, 'ids.ts'),
    `import { uuid7 } from '@snoflax/core'
import { flaxId, idColumn, idPlugin, type WithIds } from '@snoflax/kysely'
import type { DB } from './types.js'

export const ids = idPlugin({
  database: 'postgres',
  tables: {
${tables.map((one) => `    ${one},\n`).join('')}  },
})
export type Database = WithIds<DB, typeof ids>
`,
  )
  edit(
    'db.ts',
    ["import type { DB } from './types.js'", "import { type Database, ids } from './ids.js'"],
    ['new Kysely<DB>({ dialect })', 'new Kysely<Database>({ dialect, plugins: [ids] })'],
  )
  edit(
    'app.ts',
    ["import { createId } from '@paralleldrive/cuid2'\n", ''],
    ["import { nanoid } from 'nanoid'\n", ''],
    ['id: createId(), ', ''],
    ['id: nanoid(), ', ''],
  )
}

describe('library as it is', () => {
  let app: App
  beforeAll(async () => {
    app = await started(copy('before'), await database())
  })
  scenarios(() => app)
})

describe('library, declared in the same database', () => {
  let app: App
  let rows: Awaited<ReturnType<typeof storeRows>>
  let told: Told
  let folder: string
  beforeAll(async () => {
    const made = await database()
    rows = await storeRows(await started(copy('before'), made))
    folder = copy('after')
    told = await adopted(folder, '--url', made.url)
    declare(folder, told)
    await toBinaryOrder(made)
    app = await started(folder, made)
  })
  scenarios(() => app)
  test('rows that were there are found, and referred to by new ones', () =>
    checkRows(app, rows, (id) => flax.is(id)))
  test('the application compiles', () => expect(compilerErrors(folder)).toEqual([]))
  test('keys, and what a person has to do, are told', () => {
    expect(told).toMatchObject({ code: 1, counts: { tables: 9, keys: 6, references: 0 }, diff: '' })
    const uuid = 'idColumn(uuid7, { accept: uuid7.withVersion4(), branded: false })'
    expect(told.left.map(({ text }) => text)).toEqual([
      `declare it: folders: { id: ${uuid} }`,
      'declare it: posts: { id: flaxId({ accept: /^[\\w-]{21}$/, branded: false }) }',
      `declare it: reactions: { id: ${uuid} }`,
      expect.stringContaining("--accept 'sessions.id=<pattern>'"),
      `declare it: tags: { id: ${uuid} }`,
      'declare it: users: { id: flaxId({ accept: /^[a-z][a-z0-9]{23}$/, branded: false }) }',
      expect.stringContaining('add plugins: [ids]'),
    ])
  })
})
