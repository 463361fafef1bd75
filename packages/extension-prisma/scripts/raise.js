// Raises the pins to other versions of Prisma, and says what breaks: `node scripts/raise.js` takes the newest release candidates,
// `node scripts/raise.js 8.0.0-rc.14 8.0.0-rc.20` these, the first for @prisma/orm-*, the second for the command. Undo with git.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The highest of the versions 8.0.0 and 8.0.0-rc.N: dist-tags name others. @param {string} name */
function newest(name) {
  const { stdout } = spawnSync('npm', ['view', name, 'versions', '--json'], { encoding: 'utf8' })
  const candidates = /** @type {string[]} */ (JSON.parse(stdout)).flatMap((version) => {
    const [, number] = /^8\.0\.0(?:-rc\.(\d+))?$/.exec(version) ?? []
    return version.startsWith('8.0.0') && (number !== undefined || version === '8.0.0')
      ? [{ version, number: Number(number ?? Number.POSITIVE_INFINITY) }]
      : []
  })
  const [first] = candidates.sort((one, other) => other.number - one.number)
  if (first === undefined) throw new Error(`${name}: the registry has no 8.0.0`)
  return first.version
}

const [orm = newest('@prisma/orm-postgres'), command = newest('prisma')] = process.argv.slice(2)

const manifests = [
  'package.json',
  'test/postgres/package.json',
  'test/sqlite/package.json',
  'examples/orders/package.json',
].map((path) => join(root, path))
const pinned = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies[
  '@prisma/orm-framework'
]
const pinnedCommand = JSON.parse(readFileSync(manifests[1] ?? '', 'utf8')).dependencies.prisma

console.log(`raise: @prisma/orm-* ${pinned} → ${orm}, prisma ${pinnedCommand} → ${command}`)
for (const file of [...manifests, join(root, 'README.md')]) {
  const text = readFileSync(file, 'utf8')
  // The command first: its version may be one that the others had.
  const raised = text
    .replaceAll(
      new RegExp(`(\\bprisma(?:"\\s*:\\s*"|@|\`\\s+))${pinnedCommand.replaceAll('.', '\\.')}`, 'g'),
      `$1${command}`,
    )
    .replaceAll(
      new RegExp(`(@prisma/orm-[a-z-]+(?:"\\s*:\\s*"|@|\`\\s+))${pinned.replaceAll('.', '\\.')}`, 'g'),
      `$1${orm}`,
    )
  writeFileSync(file, raised)
}

/** @param {string} name @param {string} program @param {readonly string[]} args @param {string} cwd */
const passes = (name, program, args, cwd) => {
  const passed = spawnSync(program, args, { cwd, stdio: 'inherit' }).status === 0
  console.log(`raise: ${name} ${passed ? 'passed' : 'FAILED'}`)
  return passed
}

const steps = [
  ['install', 'npx', ['--yes', 'pnpm@12.21.0', 'install', '--no-frozen-lockfile'], root],
  ['types', join(root, 'node_modules/.bin/tsc'), ['-b'], root],
  ['tests', 'npm', ['run', '-s', 'test:prisma8'], join(root, '../..')],
]
// All of them, so that one look tells all that broke.
const results = steps.map(([name, program, args, cwd]) =>
  passes(String(name), String(program), /** @type {string[]} */ (args), String(cwd)),
)
process.exitCode = results.every(Boolean) ? 0 : 1
