import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { project } from './adopting.js'
import { BIN, bin, cli } from './running.js'

const KILLS = 20
const FILES = 8
/** So large that one is written in parts. */
const BYTES = 300_000

const schema = (name: string): string => `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const ${name} = sqliteTable('${name}', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
// ${'x'.repeat(BYTES)}
`
const names = Array.from({ length: FILES }, (_, i) => `t${i}.ts`)
const before = Object.fromEntries(names.map((name) => [name, schema(name.replace('.ts', ''))]))

const codeIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes('.ts'))

/** The text of each file, and what is left beside. */
const read = (folder: string) =>
  new Map(codeIn(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

const FILES_MODULE = new URL('../dist/adopt-code/files.js', import.meta.url).href
/** What the command does to files, without a second for TypeScript's parser. */
const REPLACE = `import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readFiles } from '${FILES_MODULE}'
const [folder, whole] = process.argv.slice(1)
const files = readFiles([folder])
files.replace(new Map([...files.texts.keys()].map((file) => [file, readFileSync(join(whole, basename(file)), 'utf8')])))`

/** A process that replaces the files of the folder, and what it has done so far. */
function start(folder: string, ...argv: readonly string[]) {
  const child = spawn(process.execPath, argv, { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const old = statSync(join(folder, 't0.ts'))
  const isOver = () => child.exitCode !== null
  return {
    kill: () => child.kill('SIGKILL'),
    ended,
    /** Until the first file beside another. */
    async begins() {
      while (codeIn(folder).length === FILES && !isOver()) await sleep(1)
    },
    /** Until the first byte of an old file changes. */
    async changes() {
      const isOld = ({ ino, size, mtimeMs }: typeof old) =>
        ino === old.ino && size === old.size && mtimeMs === old.mtimeMs
      while (isOld(statSync(join(folder, 't0.ts'))) && !isOver()) await soon()
    },
  }
}

test(`killed at ${KILLS} moments, no file is ever partly written, and the next run does the rest`, async () => {
  const whole = project(before)
  expect(await bin(['adopt', 'code', whole, '--write', '--unchecked'])).toMatchObject({ code: 0 })
  const command = (folder: string) => start(folder, BIN, 'adopt', 'code', folder, '--write', '--unchecked')
  const replacing = (folder: string) =>
    start(folder, '--input-type=module', '-e', REPLACE, '--', folder, whole)
  const unkilled = project(before)
  const startMs = performance.now()
  const run = replacing(unkilled)
  await run.begins()
  const loadMs = performance.now() - startMs
  await run.ended
  const writeMs = performance.now() - startMs - loadMs
  const after = read(whole)
  expect([...after.keys()].sort()).toEqual(names)
  expect(names.filter((name) => after.get(name) === before[name])).toEqual([])
  expect(names.filter((name) => after.get(name) !== read(unkilled).get(name))).toEqual([])
  let beside = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const folder = project(before)
    const { begins, changes, ended, kill: end } = (kill % 20 < 3 ? command : replacing)(folder)
    if (kill % 3 === 0) await Promise.race([sleep(Math.random() * (loadMs + writeMs)), ended])
    else await begins()
    if (kill % 3 === 1) await Promise.race([sleep(Math.random() * writeMs), ended])
    if (kill % 3 === 2) await changes()
    end()
    await ended
    const found = read(folder)
    // Not by toBe(), which would print all of it.
    const partly = names.filter((name) => ![before[name], after.get(name)].includes(found.get(name)))
    expect(partly).toEqual([])
    const told = await cli(['adopt', 'code', folder, '--write', '--unchecked'])
    expect(told.code).toBe(0)
    if (found.size > FILES) {
      beside++
      expect(told.out).toContain('was left by a run that was killed')
    }
    const now = read(folder)
    expect([...now.keys()].sort()).toEqual(names)
    expect(names.filter((name) => now.get(name) !== after.get(name))).toEqual([])
    rmSync(folder, { recursive: true })
  }
  expect(beside).toBeGreaterThan(0)
})
