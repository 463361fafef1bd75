import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import * as cuid2 from '@paralleldrive/cuid2'
import * as core from '@snoflax/core'
import * as adapter from '@snoflax/core/adapter'
import * as inspect from '@snoflax/core/inspect'
import * as light from '@snoflax/core/light'
import * as testing from '@snoflax/core/testing'
import * as families from '@snoflax/families'
import * as pgSql from '@snoflax/pg-sql'
import * as seal from '@snoflax/seal'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import * as validators from '@snoflax/validators'
import * as relay from '@snoflax/validators/relay'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outcomeOf } from './snippets/outcome.js'
import { blocksOf, section } from './snippets/page.js'
import { run } from './snippets/run.js'
import { typeErrors } from './snippets/type-errors.js'
import { steady } from './snippets/walk.js'
import { at, folderOf, ormFolders, packageFolders } from './workspace.js'

const page = (path: string) => readFileSync(at(path), 'utf8')
const README = page('README.md')
const LEASES = page('docs/leases.md')

const MODULES = {
  '@paralleldrive/cuid2': cuid2,
  '@snoflax/core': core,
  '@snoflax/core/adapter': adapter,
  '@snoflax/core/inspect': inspect,
  '@snoflax/core/light': light,
  '@snoflax/core/testing': testing,
  '@snoflax/families': families,
  '@snoflax/pg-sql': pgSql,
  '@snoflax/seal': seal,
  '@snoflax/validators': validators,
  '@snoflax/validators/relay': relay,
}

const [FIRST_BLOCK = ''] = blocksOf(README, 'ts')

const CORE_BLOCKS: readonly (readonly [name: string, code: string, claims: number])[] = [
  ['the first block of the root page', FIRST_BLOCK, 3],
  ...['core', 'families', 'validators'].flatMap((name) =>
    blocksOf(page(`${folderOf(name)}/README.md`), 'ts').map(
      (code, index) => [`block ${index + 1} on the page of ${name}`, code, 1] as const,
    ),
  ),
  ['the page of seal', blocksOf(page('packages/seal/README.md'), 'ts').join('\n'), 1],
  ['docs/better-auth.md', blocksOf(page('docs/better-auth.md'), 'ts').join('\n'), 2],
  ['docs/coding-agent.md', blocksOf(page('docs/coding-agent.md'), 'ts').join('\n'), 0],
  ['docs/malformed-ids.md', blocksOf(page('docs/malformed-ids.md'), 'ts').join('\n'), 3],
  ['docs/prefixed-ids.md', blocksOf(page('docs/prefixed-ids.md'), 'ts').join('\n'), 2],
  [
    'docs/uuidv7.md',
    blocksOf(page('docs/uuidv7.md'), 'ts')
      .filter((code) => code.startsWith('import'))
      .join('\n'),
    2,
  ],
  ['docs/sealed-ids.md', blocksOf(page('docs/sealed-ids.md'), 'ts').join('\n'), 1],
  ['docs/testing.md', blocksOf(page('docs/testing.md'), 'ts').join('\n'), 4],
  ['docs/adapter.md', blocksOf(page('docs/adapter.md'), 'ts').join('\n'), 2],
  ...[0, -1].map((at) => ['docs/own-ids.md', ownIdsBlocks().at(at) ?? '', 2] as const),
]

describe.each(CORE_BLOCKS)('%s', (_, code, claims) => {
  test('runs, with the results of its comments', async () => {
    const outcome = await outcomeOf(code, { modules: MODULES })
    expect(outcome.contradictions).toEqual([])
    expect(outcome.claims).toBeGreaterThanOrEqual(claims)
  })
})

function ownIdsBlocks(): string[] {
  return blocksOf(page('docs/own-ids.md'), 'ts')
}

/** The page's declarations in ORMs, behind the definition. Prisma's package tests its schema. */
function ownIdsInOrms(): readonly (readonly [folder: string, code: string])[] {
  const [definition = '', ...blocks] = ownIdsBlocks()
  return ['drizzle', 'typeorm', 'kysely', 'mikro-orm'].map((name, at) => {
    const block = blocks[at] ?? ''
    expect(block).toContain(`@snoflax/${name}`)
    return [
      `packages/${name}/test`,
      `${definition.replace(/^import \{ createId.*$/m, 'declare const createId: () => string')}\n${block}`,
    ]
  })
}

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  await pgSql.install(database.pool)
})
afterAll(() => database.close())

describe('docs/leases.md', () => {
  const [lease = ''] = blocksOf(LEASES, 'ts')

  test('leases, generates an id and releases', async () => {
    const made: string[] = []
    await run(`${lease}\nkeep(id)`, {
      modules: MODULES,
      globals: { pool: database.pool, keep: (id: string) => made.push(id) },
    })
    expect(made.map((id) => core.sno.unpack(id as core.SnoId).partition)).toEqual([1])
  })

  test('shows who holds what', async () => {
    const [select = ''] = blocksOf(LEASES, 'sql')
    expect(await database.query(select)).toMatchObject([{ family: 'sno', number: 1, state: 'free' }])
  })
})

const LEASE = `
import type { SnoGenerator, SnoId } from '@snoflax/core'
declare const lease: { readonly generator: SnoGenerator }
`
const FROM_TYPEORM = "import { SnoIdColumn } from '@snoflax/typeorm'"
const FROM_DRIZZLE = `
import { snoId } from '@snoflax/drizzle/pg-core'
import { pgTable } from 'drizzle-orm/pg-core'
`

/** The page's lines that give a lease to an ORM. Prisma's are of a client that has to be generated. */
function leasesInOrms(): readonly (readonly [folder: string, code: string])[] {
  const [, block = ''] = blocksOf(LEASES, 'ts')
  const [entity, table] = block.split(/^(?=const )/m)
  return [
    ['packages/typeorm/test', `${FROM_TYPEORM}${LEASE}${entity}`],
    ['packages/drizzle/test', `${FROM_DRIZZLE}${LEASE}${table}`],
  ]
}

const EXISTING_KEYS = `
import { eq } from 'drizzle-orm'
declare const db: import('drizzle-orm/node-postgres').NodePgDatabase
declare const app: { get(path: string, handler: (request: { params: { id: string } }) => unknown): void }
${blocksOf(page('docs/existing-keys.md'), 'ts').join('\n')}
`

test('the blocks compile, for users of the built packages', () => {
  const codeAt = new Map(CORE_BLOCKS.map(([, code], index) => [at(`test/block-${index}.ts`), code]))
  const [lease = ''] = blocksOf(LEASES, 'ts')
  codeAt.set(at('packages/pg-sql/test/lease.ts'), `declare const pool: import('pg').Pool\n${lease}`)
  codeAt.set(at('packages/drizzle/test/existing-keys.ts'), EXISTING_KEYS)
  for (const [folder, code] of ownIdsInOrms()) codeAt.set(at(`${folder}/own-ids.ts`), code)
  for (const [folder, code] of leasesInOrms()) codeAt.set(at(`${folder}/lease.ts`), code)
  expect(typeErrors(codeAt)).toEqual([])
})

describe('a code block with a wrong comment', () => {
  const tells = async (code: string) => (await outcomeOf(code, { modules: MODULES })).contradictions
  const using = (code: string) => `import { flax } from '@snoflax/core'\n${code}`

  test.each([
    ["flax.name // 'sno'", "told 'sno', came 'flax'"],
    ["const id = flax.generate() // 'Kpcan0M1FakODT4'", 'told 15 characters, came 16 characters'],
    [
      "flax.time(flax.generate()) // FlaxId, e.g. 'Kpcan0M1FakODT4k'",
      /^told 'Kpcan0M1FakODT4k', came \w+ \w+ \d\d /,
    ],
    ['flax.byteLength // 10', 'told 10, came 12'],
    ['flax.unpack(flax.generate()) // { timeMs, meta }', 'told timeMs, meta, came timeMs, random'],
    ['if (true) console.log(flax.name, 3) // flax 4', 'told flax 4, came flax 3'],
  ])('is found: %s', async (code, contradiction) => {
    expect(await tells(using(code))).toEqual([expect.stringMatching(contradiction)])
  })

  test('is found if the statement is not reached', async () => {
    await expect(tells(using('if (flax === undefined) console.log(1) // 1'))).rejects.toThrow('1 statements')
  })

  test('is found if it does not compile', () => {
    const codeAt = new Map([[at('test/wrong.ts'), using("flax.meta('x')\nkey: flax")]])
    expect(typeErrors(codeAt)).toEqual([
      expect.stringContaining("Property 'meta' does not exist"),
      expect.stringContaining('Unused label'),
    ])
  })
})

/** Tests that run the code of pages other than packages' READMEs. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'test/readme.test.ts',
  'docs/adapter.md': 'test/readme.test.ts',
  'docs/adopting.md': 'tools/adopt/test/guide.test.ts',
  'docs/better-auth.md': 'test/readme.test.ts',
  'docs/client-ids.md': 'test/client-ids.long.test.ts',
  'docs/coding-agent.md': 'test/readme.test.ts',
  'docs/malformed-ids.md': 'test/readme.test.ts',
  'docs/existing-keys.md': 'test/readme.test.ts',
  'docs/frameworks.md': 'packages/validators/test/frameworks.long.test.ts',
  'docs/leases.md': 'test/readme.test.ts',
  'docs/pagination.md': 'test/pagination.long.test.ts',
  'docs/own-ids.md': 'test/readme.test.ts',
  'docs/own-family.md': 'examples/own-families/test/guide.test.ts',
  'docs/postgresql-time.md': 'packages/pg-sql/test/time-page.test.ts',
  'docs/prefixed-ids.md': 'test/readme.test.ts',
  'docs/recipes.md': 'test/recipes.long.test.ts',
  'docs/sealed-ids.md': 'test/readme.test.ts',
  'docs/testing.md': 'test/readme.test.ts',
  'docs/uuidv7-time.md': 'packages/pg-sql/test/time-page.test.ts',
  'docs/uuidv7.md': 'test/readme.test.ts',
}

describe('a page with code has a test that runs it', () => {
  const CODE = '(?:ts|prisma|sql)'
  const hasCode = (path: string) => blocksOf(page(path), CODE).length > 0
  const guides = readdirSync(at('docs')).map((name) => `docs/${name}`)
  const pages = ['README.md', ...guides.filter((path) => path.endsWith('.md'))]

  test('of the guides', () => {
    expect(pages.filter(hasCode).sort()).toEqual(Object.keys(RUN_BY).sort())
    for (const [path, by] of Object.entries(RUN_BY)) expect(page(by)).toContain(path)
  })

  test('of the README', () => {
    expect(blocksOf(README, CODE)).toEqual([FIRST_BLOCK])
    expect(blocksOf(LEASES, CODE)).toHaveLength(3)
  })

  test.each(packageFolders)('of the README of %s', (name) => {
    const names = ['readme.test.ts', 'readme.long.test.ts', 'guide.test.ts']
    const tests = names.map((file) => `${folderOf(name)}/test/${file}`)
    const isHere = CORE_BLOCKS.some(([block]) => block.endsWith(`the page of ${name}`))
    const by = isHere ? ['test/readme.test.ts'] : tests.filter((path) => existsSync(at(path)))
    expect(by.map(page).join('\n')).toMatch(/README\.md/)
  })
})

describe('the table of starts in the README', () => {
  const rows = [...section(README, 'Start').matchAll(/^\| \[.*$/gm)].map(([row]) => row)

  test.each(ormFolders)('has a row for %s', (folder) => {
    expect(rows.filter((row) => row.includes(`](packages/${folder}/README.md)`))).toHaveLength(1)
  })

  test('has a row for each start page, with a declaration that stands on the page', () => {
    const started = rows.flatMap((row) => {
      const [, start = ''] = /\]\((docs\/start\/[^)]+)\)/.exec(row) ?? []
      const [, code = ''] = /`(.*)`/.exec(row) ?? []
      if (start !== '') expect(page(start).replaceAll(/\s+/g, ' ')).toContain(code.replaceAll('\\|', '|'))
      return start === '' ? [] : [start]
    })
    expect(started.sort()).toEqual(readdirSync(at('docs/start')).map((name) => `docs/start/${name}`))
  })
})

test.each(readdirSync(at('docs/start')))('%s prints the time that its id contains', (name) => {
  const customerId = core.prefixed(core.flax, 'cus')
  const output = blocksOf(page(`docs/start/${name}`), 'text').find((one) => one.includes('cus_')) ?? ''
  const [id = ''] = /cus_[\w-]{16}/.exec(output) ?? []
  const [time] = /20\d\d-\S+Z/.exec(output) ?? []
  expect(customerId.time(customerId.parse(id)).toISOString()).toBe(time)
})

test("the README's first command prints ids", () => {
  const command = /^node -p .*$/m.exec(README)?.[0] as string
  const [output = ''] = blocksOf(README, 'text')
  const { stdout } = spawnSync(command, { cwd: at('test'), shell: true, encoding: 'utf8' })
  expect(steady(stdout)).toBe(steady(output))
  expect(stdout.match(/cus_[\w-]{16}/g)).toHaveLength(3)
})

describe.each(packageFolders)('the headings of %s', (name) => {
  const headings = [...page(`${folderOf(name)}/README.md`).matchAll(/^## (.+)$/gm)].map(([, text]) => text)

  test('begin with Install and Use, and end with Errors and Limits', () => {
    expect(headings.slice(0, 2)).toEqual(['Install', 'Use'])
    expect(headings.slice(-2)).toEqual(['Errors', 'Limits'])
  })
})
