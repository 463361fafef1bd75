import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { project } from './adopting.js'
import { BIN, bin, cli } from './running.js'

const KILLS = 60
const FILES = 40

const schema = (name: string): string => `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const ${name} = sqliteTable('${name}', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
// ${'x'.repeat(20_000)}
`
const names = Array.from({ length: FILES }, (_, i) => `t${i}`)
const before = Object.fromEntries(names.map((name) => [`${name}.ts`, schema(name)]))

/** The text of each file, and what is left beside. */
const read = (folder: string) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

test(`killed at ${KILLS} moments, no file is ever partly written, and the next run does the rest`, async () => {
  const whole = project(before)
  const startMs = performance.now()
  expect(await bin(['adopt', 'code', whole, '--write'])).toMatchObject({ code: 0 })
  const runMs = performance.now() - startMs
  const after = read(whole)
  const moments = { untouched: 0, between: 0, done: 0 }
  for (let kill = 0; kill < KILLS; kill++) {
    const folder = project(before)
    const child = spawn(process.execPath, [BIN, 'adopt', 'code', folder, '--write'], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.on('close', resolve))
    if (kill % 3 === 0) await Promise.race([sleep(Math.random() * runMs), ended])
    // At a moment when it writes: from the first file beside on.
    else while (readdirSync(folder).length === FILES && child.exitCode === null) await sleep(0)
    if (kill % 3 === 2) await sleep(Math.random() * 60)
    child.kill('SIGKILL')
    await ended
    const found = read(folder)
    const changed = names.filter((name) => found.get(`${name}.ts`) !== before[`${name}.ts`])
    for (const name of changed) expect(found.get(`${name}.ts`)).toBe(after.get(`${name}.ts`))
    moments[changed.length === 0 ? 'untouched' : changed.length === FILES ? 'done' : 'between']++
    const told = await cli(['adopt', 'code', folder])
    if (found.size > FILES) expect(told.out).toContain('was left by a run that was killed')
    expect((await cli(['adopt', 'code', folder, '--write'])).code).toBe(0)
    expect(read(folder)).toEqual(after)
  }
  expect(moments.untouched).toBeGreaterThan(0)
  expect(moments.done + moments.between).toBeGreaterThan(0)
})
