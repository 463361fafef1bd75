import { readFileSync } from 'node:fs'
import * as adapter from '@prisma/adapter-better-sqlite3'
import * as ours from '@snoflax/better-sqlite3'
import * as core from '@snoflax/core'
import Database from 'better-sqlite3'
import * as drizzle from 'drizzle-orm/better-sqlite3'
import * as typeorm from 'typeorm'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterEach, describe, expect, test } from 'vitest'
import { FAMILIES, sqliteTime } from './families.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code as string,
  )

const MODULES: Readonly<Record<string, unknown>> = {
  '@snoflax/core': core,
  '@snoflax/better-sqlite3': ours,
  '@prisma/adapter-better-sqlite3': adapter,
  'better-sqlite3': Database,
  'drizzle-orm/better-sqlite3': drizzle,
  typeorm,
}

/** The constant that the program of a block defines last, with databases in memory in place of files. */
function run(block: string, constant: string): unknown {
  const program = block.replaceAll("'app.db'", "':memory:'").replaceAll("'file:app.db'", "':memory:'")
  const options = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true }
  const { outputText } = transpileModule(program, { compilerOptions: options })
  const body = `${outputText}\nreturn ${constant}`
  return new Function('require', 'exports', body)((name: string) => MODULES[name] ?? unknownModule(name), {})
}

function unknownModule(name: string): never {
  throw new Error(`the page imports ${name}`)
}

const programs = blocks('ts')
const opened: Database.Database[] = []
const keep = (db: Database.Database): Database.Database => {
  opened.push(db)
  return db
}
afterEach(() => {
  for (const db of opened.splice(0)) db.close()
})

test('the README has only programs of the kinds tested here', () => {
  expect(programs).toHaveLength(4)
})

test('the SQL statements run, in order, on the connection of the first program', () => {
  const db = keep(run(programs[0] as string, 'db') as Database.Database)
  const scripts = blocks('sql')
  expect(scripts).toHaveLength(1)
  // So that the month of the page is now.
  const script = (scripts[0] as string)
    .replace('2026-11-01', '2020-01-01')
    .replace('2026-12-01', '2049-01-01')
  const results: unknown[][] = []
  for (const statement of script.split(';').filter((text) => text.trim() !== '')) {
    const prepared = db.prepare(statement)
    if (prepared.reader) results.push(prepared.raw().all() as unknown[])
    else prepared.run()
  }
  const [customers, events, times, made] = results
  expect(results).toHaveLength(4)
  expect(customers).toEqual([['Ada', expect.stringMatching(/^20\d\d-/)]])
  expect(events).toEqual([[expect.stringMatching(core.sno.pattern), 3]])
  expect(times).toEqual([[expect.closeTo(Date.now(), -5)]])
  const [[id, at] = []] = made as string[][]
  expect(at).toBe(sqliteTime(core.flax.timeMs(id as core.FlaxId)))
  expect(db.prepare('SELECT count(*) FROM event').pluck().get()).toBe(1001)
})

describe('the ORMs', () => {
  const select = 'SELECT sno_is_valid(sno_generate_text()) AS valid'

  test('TypeORM', async () => {
    const dataSource = await (run(programs[1] as string, 'dataSource') as typeorm.DataSource).initialize()
    expect(await dataSource.query(select)).toEqual([{ valid: 1 }])
    await dataSource.destroy()
  })

  test('Drizzle', () => {
    const db = run(programs[2] as string, 'db') as { $client: Database.Database }
    expect(keep(db.$client).prepare(select).get()).toEqual({ valid: 1 })
  })

  test('Prisma', async () => {
    const factory = run(programs[3] as string, 'adapter') as adapter.PrismaBetterSqlite3
    const connected = await factory.connect()
    const { rows } = await connected.queryRaw({ sql: select, args: [], argTypes: [] })
    expect(rows.map((row) => row.map(Number))).toEqual([[1]])
    await connected.dispose()
  })
})

test('the README names all functions, and only existing ones', () => {
  const db = keep(
    ours.registerSnoflax(new Database(':memory:'), { families: FAMILIES.map(({ family }) => family) }),
  )
  const names = db
    .prepare<[], string>('SELECT name FROM pragma_function_list UNION SELECT name FROM pragma_module_list')
    .pluck()
    .all()
  const there = new Set(names.filter((name) => /^(?:flax|sno|flake|uid)_/.test(name)))
  const spans = [...README.matchAll(/`(…|flax|sno|flake|uid)_(?!local`)([a-z0-9_]+)((?:\[_\w+\])*)/g)].map(
    namesOf,
  )
  const ofPostgres = ['sno_set_partition']
  const known = (name: string) => there.has(name) || ofPostgres.includes(name)
  expect(spans.filter((names) => !names.some(known))).toEqual([])
  expect([...there].filter((name) => !spans.flat().includes(name))).toEqual([])
})

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  '[_storage]': ['', '_text', '_bigint'],
  '[_ms]': ['', '_ms'],
}

/** Every name that a code span of the page stands for. */
function namesOf([, prefix, name, endings = '']: RegExpExecArray): string[] {
  const prefixes = prefix === '…' ? FAMILIES.map((family) => family.prefix) : [prefix]
  const start = prefixes.map((one) => `${one}_${name}`)
  return (endings.match(/\[_\w+\]/g) ?? []).reduce(
    (names, ending) => names.flatMap((one) => (ENDINGS[ending] ?? []).map((end) => one + end)),
    start,
  )
}
