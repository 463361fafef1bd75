import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mysql, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Projects } from '../platforms/project.js'
import { INSTALLED, type Installed, type Neighbour } from './list.js'

const PAGE = new URL('../../docs/neighbours.txt', import.meta.url)
const DATABASES = { postgres, mysql }

const folder = mkdtempSync(join(tmpdir(), 'snoflax-neighbours-'))
/** What passed, by version of Drizzle. */
const seen = new Map<string, string[]>()
let projects: Projects

beforeAll(() => {
  projects = new Projects(folder)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  const all = INSTALLED.reduce((sum, { neighbours }) => sum + neighbours.length, 0)
  if ([...seen.values()].flat().length === all) writeList()
})

const folderOf = ({ drizzle, name }: Installed): string => `${drizzle}-${name}`

const versionOf = (installed: Installed, name: string): string =>
  JSON.parse(readFileSync(join(folder, folderOf(installed), 'node_modules', name, 'package.json'), 'utf8'))
    .version

async function run(installed: Installed, { commands, database }: Neighbour): Promise<string> {
  const opened = database && (await DATABASES[database].open())
  const url = (opened as { readonly url?: string } | undefined)?.url
  try {
    const typed = commands.map((command) => (url ? `URL='${url}' ${command}` : command))
    return await projects.run({ name: '', folder: folderOf(installed), commands: typed })
  } finally {
    await opened?.close()
  }
}

describe.each(INSTALLED)('Drizzle $drizzle, $name', (installed) => {
  beforeAll(async () => {
    await projects.run({
      name: '',
      folder: folderOf(installed),
      made: ['npm init --yes', `npm install --legacy-peer-deps ${installed.packages}`],
      files: ['../../neighbours/projects'],
      commands: [],
    })
  })

  test.each(installed.neighbours)('$name', async (neighbour) => {
    if (neighbour.database && !DATABASES[neighbour.database].selected()) return
    expect(await run(installed, neighbour)).toMatch(/stored, found and refused an id/)
    const versions = neighbour.packages.map((name) => `${name} ${versionOf(installed, name)}`).join(', ')
    const drizzle = versionOf(installed, 'drizzle-orm')
    const told = versions === '' ? neighbour.name : `${neighbour.name} (${versions})`
    seen.set(drizzle, [...(seen.get(drizzle) ?? []), told])
  })
})

const OPENING = 'What the tests run beside @snoflax/drizzle, from packed tarballs (npm run test:neighbours)'

function writeList(): void {
  const lists = [...seen].map(([drizzle, neighbours]) =>
    [`Drizzle ${drizzle}\n`, ...neighbours.map((one) => `  ${one}`)].join('\n'),
  )
  writeFileSync(PAGE, `${[OPENING, ...lists].join('\n\n')}\n`)
}
