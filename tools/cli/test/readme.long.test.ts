import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, cli } from './running.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const section = (title: string): string => README.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] as string
const block = (title: string, language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section(title))?.[1] as string

let folder: string
let database: PostgresDatabase
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'snoflax-readme-'))
  symlinkSync(fileURLToPath(new URL('../bin/snoflax.js', import.meta.url)), join(folder, 'snoflax'))
  database = await postgres.open()
  await install(database.pool)
  await database.query(`SELECT snoflax.sno_set_partition(1);
    CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT snoflax.sno_generate_uuid());
    INSERT INTO orders SELECT FROM generate_series(1, 10);
    CREATE TABLE customers (id text COLLATE "C" PRIMARY KEY);
    INSERT INTO customers VALUES ('cus_Kpcan0M1FakODT4k')`)
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

/** A line of the page, with the command found by its name. */
function shell(line: string): Promise<{ failure: Error | null; out: string }> {
  const PATH = `${folder}:${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { PATH, DATABASE_URL: database.url }
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', line.replaceAll('npx snoflax', 'snoflax')],
      { cwd: folder, env },
      (failure, out) => resolve({ failure, out }),
    )
  })
}

test('each command of the README runs', async () => {
  const lines = block('Use', 'sh').trim().split('\n')
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) {
    const { failure, out } = await shell(line)
    expect(failure, line).toBeNull()
    expect(out, line).not.toBe('')
    if (line.includes('--out')) expect(existsSync(join(folder, out.trimEnd()))).toBe(true)
  }
})

test('the TypeScript of the README runs', async () => {
  const code = block('From code', 'ts')
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const out = await new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', code], { cwd }, (_, text) => resolve(text))
  })
  expect(out).toContain('2026-01-15T12:00:00.000Z')
})

test('the README names every command, option and check, and only existing ones', async () => {
  const { out } = await cli(['--help'])
  const list = out.slice(out.indexOf('Commands:'), out.indexOf('Examples:'))
  const commands = [...list.matchAll(/^ {2}([\w-]+) \[?/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'help')
  expect(commands).toEqual([...section('Commands').matchAll(/^\| `([\w-]+)/gm)].map(([, name]) => name))

  // The other stages of an adoption take the options of plan.
  const stages = ['plan', 'rehearse', 'switch', 'code'].map((stage) => ['adopt', stage])
  const pages = [...commands.map((name) => [name as string]), ...stages]
  const page = await Promise.all(pages.map(async (names) => (await cli([...names, '--help'])).out))
  const options = new Set(page.join('').match(/--[a-z][a-z-]+/g))
  expect([...options].filter((option) => !README.includes(option))).toEqual([])
  const named = [...README.matchAll(/(?<=[`\s])--[a-z][a-z-]+/g)].map(([option]) => option)
  expect(named.filter((option) => !options.has(option))).toEqual(['--save-dev'])
  const helped = page.filter((text) => text.includes('npx snoflax '))
  expect(helped.length).toBeGreaterThanOrEqual(page.length - 6)

  const { err } = await cli(['doctor', 'x', '--skip', 'nothing'])
  const checks = /choices are (.*)\./.exec(err)?.[1]?.split(', ')
  expect([...section('Doctor').matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name)).toEqual(checks)
})

test('help and version exit with 0, a missing or misspelled command with 2', async () => {
  expect(await bin(['--help'])).toMatchObject({ code: 0, err: '' })
  expect(await bin(['inspect', '--help'])).toMatchObject({ code: 0, err: '' })
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await bin(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  expect(await bin([])).toMatchObject({ code: 2, out: '' })
  expect(await bin(['inspct'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean inspect?'),
  })
})
