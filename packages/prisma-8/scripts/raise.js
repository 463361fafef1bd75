// Raises the pins to another version of Prisma, and says what breaks: `node scripts/raise.js` takes the newest release candidate,
// `node scripts/raise.js 8.0.0-rc.20` that one. It is the version of the command, whose own dependencies name those of the rest.
// Undo with git.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withPnpm } from '../../../scripts/pnpm.js'

const root = join(import.meta.dirname, '..')

/** What the registry says of a package. @param {readonly string[]} query */
function registry(...query) {
  const { stdout, stderr, status } = spawnSync('npm', ['view', ...query, '--json'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm view ${query.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The highest of the versions 8.0.0 and 8.0.0-rc.N: dist-tags name others. */
function newest() {
  const candidates = /** @type {string[]} */ (registry('prisma', 'versions')).flatMap((version) => {
    const match = /^8\.0\.0(?:-rc\.(\d+))?$/.exec(version)
    return match ? [{ version, number: Number(match[1] ?? Number.POSITIVE_INFINITY) }] : []
  })
  const [first] = candidates.sort((one, other) => other.number - one.number)
  if (first === undefined) throw new Error('prisma: the registry has no 8.0.0')
  return first.version
}

const [command = newest()] = process.argv.slice(2)
const needs = registry(`prisma@${command}`, 'dependencies')
const orm = needs['@prisma/orm-toolchain']
const engine = needs['@prisma/cli-engine']
if (!orm || !engine)
  throw new Error(`prisma ${command} does not name its @prisma/orm-toolchain and @prisma/cli-engine`)

/** @param {string} name */
const versionOf = (name) => (name === 'prisma' ? command : name === '@prisma/cli-engine' ? engine : orm)
const PIN =
  /((?<![\w/-])prisma|@prisma\/(?:cli-engine|orm-[a-z-]+))("\s*:\s*"|@|`\s+)(\d+\.\d+\.\d+(?:-[\w.]*\w)?)/g

console.log(`raise: prisma ${command}, @prisma/orm-* ${orm}, @prisma/cli-engine ${engine}`)
let pins = 0
for (const file of [
  'package.json',
  'test/postgres/package.json',
  'test/sqlite/package.json',
  'examples/orders/package.json',
  'README.md',
]) {
  const path = join(root, file)
  const raised = readFileSync(path, 'utf8').replaceAll(PIN, (pin, name, between, version) => {
    if (version === versionOf(name)) return pin
    pins += 1
    return name + between + versionOf(name)
  })
  writeFileSync(path, raised)
}
console.log(pins === 0 ? 'raise: every pin is there already' : `raise: ${pins} pins changed`)

/** @param {string} name @param {string} program @param {readonly string[]} args @param {string} cwd */
function passes(name, program, args, cwd) {
  const passed = spawnSync(program, args, { cwd, stdio: 'inherit' }).status === 0
  console.log(`raise: ${name} ${passed ? 'passed' : 'FAILED'}`)
  return passed
}

// Without what has to be installed, the rest would test the version before.
const isInstalled = passes('install', 'npx', withPnpm('pnpm install --no-frozen-lockfile'), root)
if (!isInstalled) process.exit(1)
// Both of them, so that one look tells all that broke.
const results = [
  passes('types', 'npx', withPnpm('pnpm exec tsc -b'), root),
  passes('tests', 'npm', ['run', '-s', 'test:prisma8'], join(root, '../..')),
]
process.exitCode = results.every(Boolean) ? 0 : 1
