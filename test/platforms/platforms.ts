import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PLATFORMS } from './list.js'
import { type Platform, Projects } from './project.js'

const PAGE = new URL('../../docs/platforms.txt', import.meta.url)

const folder = mkdtempSync(join(tmpdir(), 'snoflax-platforms-'))
const passed = new Set<Platform>()
let projects: Projects

beforeAll(() => {
  projects = new Projects(folder)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  if (passed.size === PLATFORMS.length) writeList()
})

/** The last run of each folder, since platforms of one folder take turns. */
const runs = new Map<string, Promise<string>>()

test.concurrent.each(PLATFORMS)('$name', async (platform) => {
  const before = runs.get(platform.folder) ?? Promise.resolve()
  const run = before.catch(() => {}).then(() => projects.run(platform))
  runs.set(platform.folder, run)
  expect(await run).toMatch(/stor\w+, f\w+ and refuse\w+ an id/)
  passed.add(platform)
})

function writeList(): void {
  const lines = PLATFORMS.map(({ name, made = [], commands }) => {
    const versions = [...made, ...commands].join(' ').match(/(?<=\s)(?!@types)[@\w/.-]+@\d[\d.]*/g) ?? []
    return [name, [...new Set(versions)].join(', ')].filter((part) => part !== '').join(': ')
  })
  const opening = 'Projects of the tests, from packed tarballs (npm run test:platforms)'
  writeFileSync(PAGE, `${[opening, '', ...lines].join('\n')}\n`)
}
