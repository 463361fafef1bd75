// Runs all tests on every version of Node that we promise: `npm run test:node-matrix`, or with versions as arguments.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const VERSIONS = ['20', '22', '24', '26']
// The platform's package contains the headers for native addons; `node` contains only the program.
const NODE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

const wanted = process.argv.slice(2)
const root = join(import.meta.dirname, '..')

/** @param {string} version @param {string} command @returns {boolean} whether it passed */
const runOn = (version, command) => {
  console.log(`\nNode ${version}: ${command}`)
  const call = `npx --yes --package=${NODE}@${version} --call="${command}"`
  return spawnSync(call, { cwd: root, shell: true, stdio: 'inherit' }).status === 0
}

const results = (wanted.length > 0 ? wanted : VERSIONS).map((version) => ({
  version,
  passed: runOn(version, 'node -v && npm test && npm run test:long'),
}))

// Rebuilds native addons for the Node that runs this, since each version has built its own.
spawnSync(process.execPath, [join(root, 'scripts/setup.js')], { cwd: root, stdio: 'inherit' })

for (const { version, passed } of results) console.log(`Node ${version}: ${passed ? 'passed' : 'FAILED'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
