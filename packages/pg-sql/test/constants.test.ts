import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

let copy: string
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'snoflax-constants-'))
  for (const part of ['sql', 'scripts', 'package.json']) {
    cpSync(join(PACKAGE, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'))
})
afterEach(() => rmSync(copy, { recursive: true }))

/** The generator of constants, in the copy. It needs the build of core. */
function constants(...options: string[]): { status: number | null; told: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'scripts/constants.js'), ...options], {
    encoding: 'utf8',
  })
  return { status, told: stderr }
}

function change(file: string, from: string | RegExp, to: string): void {
  const path = join(copy, 'sql', file)
  const before = readFileSync(path, 'utf8')
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

test('the numbers of the SQL files are those of core', () => {
  expect(constants('--check')).toEqual({ status: 0, told: '' })
})

test('a number that differs fails, and writing puts it right', () => {
  change('flax.sql', '12/*flax.bytes*/', '13/*flax.bytes*/')
  const { status, told } = constants('--check')
  expect(status).toBe(1)
  expect(told).toMatch(/^flax\.sql:\d+: flax\.bytes is 12 in core, and 13 here$/m)
  expect(constants()).toEqual({ status: 0, told: '' })
  expect(constants('--check')).toEqual({ status: 0, told: '' })
})

test.each([
  ['an alphabet', 'sno.sql', /'23456789abc/, "'32456789abc", 'sno.alphabet'],
  ['an epoch', 'sno.sql', /1262304000000(?=\/\*sno\.epochMs)/, '1262304000001', 'sno.epochMs'],
  ['a tag', 'uid.sql', /'04'(?=\/\*uid\.tag)/, "'05'", 'uid.tag'],
  [
    'a name that core has not',
    'flake.sql',
    '/*flake.bytes*/',
    '/*flake.octets*/',
    'core knows no flake.octets',
  ],
])('%s that differs fails', (_, file, from, to, named) => {
  change(file, from, to)
  const { status, told } = constants('--check')
  expect(status).toBe(1)
  expect(told).toContain(named)
})
