import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax, type IdFamily, prefixed, typeid, ulid, uuid7 } from '@snoflax/core'
import { describe, expect, test } from 'vitest'

const folder = (language: string) => fileURLToPath(new URL(`../ports/${language}`, import.meta.url))
const answers = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

describe.skipIf(!answers('python3', '--version'))('ports/python', () => {
  test('its tests pass', () => {
    const { status, stderr } = spawnSync('python3', ['-m', 'unittest'], {
      cwd: folder('python'),
      encoding: 'utf8',
    })
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringMatching(/Ran \d+ tests/) })
  })

  test('its ids are ours, with their times', () => {
    const program = `
import json
from snoflax import flax, prefixed, typeid, ulid, uuid7
families = flax, uuid7, ulid, typeid('user'), prefixed(flax, 'cus'), prefixed(ulid, 'pn')
print(json.dumps([[[id, family.time_ms(id)] for id in (family.generate() for _ in range(1000))] for family in families]))`
    const printed = execFileSync('python3', ['-c', program], { cwd: folder('python'), encoding: 'utf8' })
    const families: IdFamily[] = [
      flax,
      uuid7,
      ulid,
      typeid('user'),
      prefixed(flax, 'cus'),
      prefixed(ulid, 'pn'),
    ]
    const found: [string, number][][] = JSON.parse(printed)
    expect(found.map(({ length }) => length)).toEqual(families.map(() => 1000))
    families.forEach((family, index) => {
      for (const [id, timeMs] of found[index] ?? []) expect(family.timeMs(family.parse(id))).toBe(timeMs)
    })
  })
})

// Go asks for a folder for its cache, which it finds by HOME.
const env = { GOCACHE: join(tmpdir(), 'snoflax-go-cache'), ...process.env }

describe.skipIf(!answers('go', 'version'))('ports/go', () => {
  test('its tests pass, formatted and vetted', () => {
    const cwd = folder('go')
    expect(execFileSync('gofmt', ['-l', '.'], { cwd, encoding: 'utf8' })).toBe('')
    execFileSync('go', ['vet', '.'], { cwd, env })
    const { status, stdout } = spawnSync('go', ['test', '-count=1', '-race', '.'], {
      cwd,
      env,
      encoding: 'utf8',
    })
    expect({ status, stdout }).toMatchObject({ status: 0 })
  }, 300_000)
})
