import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adapterOf } from '../../packages/prisma-extension/test/project/clients.js'
import { changesTo } from '../../packages/prisma-extension/test/project/push.js'
import { onConnection, type StartedPostgres, urlTo } from '../databases/postgres-connection.js'
import { startPostgres } from '../databases/postgres-provider.js'
import { steady, stepsOf } from '../snippets/walk.js'
import { at } from '../workspace.js'
import { Projects } from './project.js'

const folder = mkdtempSync(join(tmpdir(), 'snoflax-start-'))
let projects: Projects
let server: StartedPostgres

beforeAll(async () => {
  projects = new Projects(folder)
  server = await startPostgres()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const README = readFileSync(at('README.md'), 'utf8')
const pageOf = (name: string) => readFileSync(at(`docs/start/${name}.md`), 'utf8')

/** Follows a page as typed; where it shows an output, the program runs twice. */
async function follow(name: string, page: string): Promise<void> {
  const place = `start_${name.replace('-', '_')}`
  await onConnection(server.url, (client) => client.query(`CREATE DATABASE ${place}`))
  const url = urlTo(server.url, { database: place })
  const env = { DATABASE_URL: url, ...(await nodeOf(name, page)) }
  const run = (command: string) => projects.type(name, command, env)
  let shown: string | undefined
  for (const step of stepsOf(page)) {
    if ('file' in step) {
      const path = projects.at(name, step.file)
      await mkdir(dirname(path), { recursive: true })
      writeFileSync(path, step.code)
      continue
    }
    let last = ''
    for (const command of name === 'prisma' ? await withoutEngine(step.commands, url) : step.commands)
      last = await run(command)
    shown = step.output ?? shown
    // Once a program's output is shown, each later block ends by running the same program.
    if (shown === undefined || !/main|node -p/.test(step.commands.at(-1) as string)) continue
    expect(steady(last)).toBe(steady(shown))
    expect(steady(await run(step.commands.at(-1) as string))).toBe(steady(shown))
  }
  expect(shown).toBeDefined()
}

/** The newer Node that a page asks for, in front of the PATH. */
async function nodeOf(name: string, page: string): Promise<Record<string, string>> {
  const [major = 0, minor = 0] =
    /with Node (\d+)(?:\.(\d+))?/
      .exec(page)
      ?.slice(1)
      .map((part = '0') => Number(part)) ?? []
  const [ourMajor = 0, ourMinor = 0] = process.versions.node.split('.').map(Number)
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return {}
  for (const command of ['npm init -y', `npm install node@${major}`])
    await projects.type(`${name}-node`, command)
  return { PATH: `${projects.at(`${name}-node`, 'node_modules/.bin')}:${process.env['PATH']}` }
}

/** Prisma's schema engine is downloaded by each command that changes a database; the same engine in WebAssembly isn't. */
async function withoutEngine(commands: readonly string[], url: string): Promise<string[]> {
  const isOurs = (command: string) => !/prisma (?:db|migrate)|collation/.test(command)
  if (commands.every(isOurs)) return [...commands]
  const path = projects.at('prisma', 'prisma/schema.prisma')
  const isServer = commands.some((command) => command.includes('migrate'))
  if (isServer) {
    const page = pageOf('prisma')
    const edits = [
      ['prisma/schema.prisma', 'provider = "sqlite"', 'provider = "postgresql"'],
      ['prisma.config.ts', "url: 'file:./shop.db'", 'url: process.env.DATABASE_URL!'],
    ] as const
    for (const [file, before, after] of edits) {
      expect(page).toContain(`\`${after}\``)
      const code = readFileSync(projects.at('prisma', file), 'utf8')
      expect(code).toContain(before)
      writeFileSync(projects.at('prisma', file), code.replace(before, after))
    }
  }
  await projects.type('prisma', commands[0] as string, { DATABASE_URL: url })
  const schema = readFileSync(path, 'utf8')
  const database = isServer
    ? { kind: 'postgres', url }
    : { kind: 'sqlite', file: projects.at('prisma', 'shop.db') }
  const sql = await changesTo(schema, adapterOf(database as never), 'empty')
  if (isServer) {
    const collations = readFileSync(projects.at('prisma', 'generated/snoflax/collation.sql'), 'utf8')
    await onConnection(url, (client) => client.query(`${sql}\n${collations}`))
  } else {
    new Database(projects.at('prisma', 'shop.db')).exec(sql).close()
  }
  return commands.slice(1).filter(isOurs)
}

test.concurrent.each(['drizzle', 'kysely', 'prisma', 'typeorm', 'mikro-orm', 'postgresql'])(
  'docs/start/%s.md',
  (name) => follow(name, pageOf(name)),
)

test('what the README runs in a clone, and in your project', async () => {
  const [, command = ''] = /^npm run try -- \.\.\/your-project (\w+)/m.exec(README) ?? []
  await projects.type('readme', 'npm init -y')
  const packed = ['run', '-s', 'try', '--', projects.at('readme', '.'), command]
  const printed = execFileSync('npm', packed, { cwd: at('.'), encoding: 'utf8' })
  const [, rest = ''] = README.split('In your project then:')
  const install = printed.trim().split('\n').at(-1)
  return follow('readme', `\`\`\`sh\n${install}\n\`\`\`\n${rest.split('**One definition')[0]}`)
})
