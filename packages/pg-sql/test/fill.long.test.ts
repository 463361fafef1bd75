import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

let copy: string
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'snoflax-fill-'))
  for (const part of ['sql', 'generated', 'scripts', 'package.json']) {
    cpSync(join(PACKAGE, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'))
})
afterEach(() => rmSync(copy, { recursive: true }))

/** The script, in the copy. It needs the build of core. */
function fill(...options: string[]): { status: number | null; told: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'scripts/fill.js'), ...options], {
    encoding: 'utf8',
  })
  return { status, told: stderr }
}

const FINE = { status: 0, told: '' }

function change(file: string, from: string | RegExp, to: string): void {
  const path = join(copy, file)
  const before = readFileSync(path, 'utf8')
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

test('what ships is filled from the sources, with the numbers of core', () => {
  expect(fill('--check')).toEqual(FINE)
})

test.each([
  ['a number', 'generated/flax.sql', '12/*flax.bytes*/', '13/*flax.bytes*/'],
  ['an alphabet', 'generated/sno.sql', /'23456789abc/, "'32456789abc"],
  ['an epoch', 'generated/sno.sql', /1262304000000(?=\/\*sno\.epochMs)/, '1262304000001'],
  ['a tag', 'generated/uid.sql', /'04'(?=\/\*uid\.tag)/, "'05'"],
  ['a number in a file that ships as it is', 'sql/shared.sql', '1024/*uid.stepUs*/', '1023/*uid.stepUs*/'],
  ['a file that was not filled again', 'sql/flake.sql', 'RETURN number;', 'RETURN number ;'],
])('%s that differs fails, and filling puts it right', (_, file, from, to) => {
  change(file, from, to)
  const { status, told } = fill('--check')
  expect(status).toBe(1)
  const filled = file.replace(/sql\/(?!shared)/, 'generated/')
  expect(told).toBe(`${filled} differs: run scripts/fill.js\n`)
  expect(fill()).toEqual(FINE)
  expect(fill('--check')).toEqual(FINE)
})

test.each([
  [
    'a number that core has not',
    'sql/flake.sql',
    '{counter.max}',
    '{counter.most}',
    'flake.sql: there is no {counter.most}',
  ],
  [
    'a word that the family has not',
    'sql/family.sql',
    '{digit bits}',
    '{bits}',
    'sno.sql: there is no {bits}',
  ],
  ['a section that is not there', 'sql/uid.sql', '[time:', '[times:', 'uid.sql: there is no section [times]'],
  ['a number that no file uses', 'sql/flax.sql', '{random.from}', '6', 'no SQL file uses flax.random.from'],
  [
    'a number of a file that ships as it is, which core has not',
    'sql/shared.sql',
    '1024/*uid.stepUs*/',
    '1024/*uid.stepsUs*/',
    'shared.sql: there is no {uid.stepsUs}',
  ],
])('%s fails', (_, file, from, to, told) => {
  change(file, from, to)
  const { status, told: found } = fill()
  expect(status).toBe(1)
  expect(found).toContain(told)
})

test('each file ships once: filled, or as it is', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: copy, encoding: 'utf8' })
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
  const shipped = packed?.files.map(({ path }) => path).filter((path) => path.endsWith('.sql')) ?? []
  expect(shipped.map((path) => basename(path)).sort()).toEqual(
    readdirSync(join(copy, 'sql'))
      .filter((name) => name !== 'family.sql')
      .sort(),
  )
  expect(shipped.filter((path) => path.startsWith('generated/')).sort()).toEqual(
    readdirSync(join(copy, 'generated'))
      .map((name) => `generated/${name}`)
      .sort(),
  )
})
