// Tests @snoflax/prisma-8 with Prisma 8: `npm run test:prisma8`, or with test files as arguments, of which `contract` is
// the contract of every ORM package and `orders` its example. Its toolchain is a separate workspace, including the Node that Prisma's command needs.
// If it can't be installed, the exit code is 3.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withPnpm } from './pnpm.js'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'packages/prisma-8')
const NO_TOOLCHAIN = 3

/** @param {string} command @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env] @param {string} [cwd] */
const run = (command, args, env, cwd = folder) =>
  spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1

const { status, stdout } = spawnSync(
  'npx',
  withPnpm('pnpm install --frozen-lockfile --reporter=append-only'),
  {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  },
)
const node = join(folder, 'node_modules/node/bin/node')
if (status !== 0 || !existsSync(node)) {
  console.error(stdout)
  // A lock file that doesn't match the manifests is our mistake, not a network failure.
  if (stdout.includes('LOCKFILE')) process.exit(1)
  console.error(
    'test:prisma8: the toolchain of Prisma 8, or its Node, could not be installed; NOTHING WAS TESTED',
  )
  process.exit(NO_TOOLCHAIN)
}

const build = [['node_modules/typescript/bin/tsc', '-b'], ['scripts/space.js']]
if (build.some((args) => run(node, args) !== 0)) process.exit(1)

const { startPostgres } = await import(
  pathToFileURL(join(root, 'test/dist/databases/postgres-provider.js')).href
)
const server = await startPostgres()
console.log(`test:prisma8: PostgreSQL ${server.fullVersion} (${server.provider})`)
try {
  const wanted = process.argv.slice(2)
  const isWanted = (/** @type {string} */ suite) => wanted.length === 0 || wanted.includes(suite)
  const files =
    wanted.length > 0
      ? wanted.filter((file) => file !== 'contract' && file !== 'orders')
      : ['test/**/*.test.ts']
  // One file at a time, since each runs Prisma's command, which takes seconds of CPU time.
  const ownTests = () =>
    run(node, ['--test', '--test-concurrency=1', ...files], { SNOFLAX_PRISMA8_POSTGRES: server.url })
  /** @param {string} project @param {readonly string[]} tests */
  const shared = (project, ...tests) =>
    run(
      node,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...tests],
      { SNOFLAX_PRISMA8: '1', SNOFLAX_POSTGRES_URL: server.url },
      root,
    )
  const suites = [
    ...(files.length > 0 ? [ownTests] : []),
    ...(isWanted('contract')
      ? [() => shared('prisma-8', 'orm/every-variant/postgres', 'orm/every-variant/sqlite')]
      : []),
    ...(isWanted('orders') ? [() => shared('test', 'orders-examples')] : []),
  ]
  // Run all of them, so that one run shows every failure.
  process.exitCode = suites.map((suite) => suite()).find((status) => status !== 0) ?? 0
} finally {
  await server.stop()
}
