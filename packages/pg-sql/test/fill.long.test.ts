import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const FILL = fileURLToPath(new URL('../../../scripts/fill-sql.js', import.meta.url))

let copy: string
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'snoflax-fill-'))
  for (const part of ['sql', 'dist', 'scripts', 'package.json']) {
    cpSync(join(PACKAGE, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'))
})
afterEach(() => rmSync(copy, { recursive: true }))

/** The script, in the copy. It needs the build of core. */
function fill(): { status: number | null; told: string } {
  const { status, stderr } = spawnSync(process.execPath, [FILL, copy], { encoding: 'utf8' })
  return { status, told: stderr }
}

function change(file: string, from: string, to: string): void {
  const path = join(copy, file)
  const before = readFileSync(path, 'utf8')
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

test('a file that differs is filled again, and others are not changed', () => {
  const written = (file: string) => statSync(join(copy, 'dist/sql', file)).mtimeMs
  const others = written('uid.sql')
  const flake = readFileSync(join(copy, 'dist/sql/flake.sql'), 'utf8')
  change('dist/sql/flake.sql', 'RETURN number;', 'RETURN number ;')
  expect(fill()).toEqual({ status: 0, told: '' })
  expect(readFileSync(join(copy, 'dist/sql/flake.sql'), 'utf8')).toBe(flake)
  expect(written('uid.sql')).toBe(others)
})

test('no placeholder is left, and each number has its name in a comment', () => {
  const texts = readdirSync(join(copy, 'dist/sql')).map((file) =>
    readFileSync(join(copy, 'dist/sql', file), 'utf8'),
  )
  expect(texts.join('')).toContain('12/*flax.bytes*/')
  expect(texts.join('')).not.toMatch(/\{[a-z]|^-- \[/m)
})

test.each([
  ['sql/flake.sql', '{counter.max}', '{counter.most}', 'flake.sql: there is no {counter.most}'],
  ['sql/family.sql', '{digit bits}', '{bits}', 'sno.sql: there is no {bits}'],
  ['sql/uid.sql', '[time:', '[times:', 'uid.sql: there is no section [times]'],
  ['sql/shared.sql', '{uid.stepUs}', '{uid.stepsUs}', 'shared.sql: there is no {uid.stepsUs}'],
])('%s: what a file names must exist: %s', (file, from, to, told) => {
  change(file, from, to)
  const { status, told: found } = fill()
  expect(status).toBe(1)
  expect(found).toContain(told)
})

test('each file except the template ships, filled', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: copy, encoding: 'utf8' })
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
  const shipped = packed?.files.map(({ path }) => path).filter((path) => path.endsWith('.sql')) ?? []
  expect(shipped.sort()).toEqual(
    readdirSync(join(copy, 'sql'))
      .filter((name) => name !== 'family.sql')
      .map((name) => `dist/sql/${name}`)
      .sort(),
  )
})
