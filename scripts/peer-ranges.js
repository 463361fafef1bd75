// Compares the peer ranges of every package with the versions on npm: `npm run test:peers`, or with libraries as arguments.
// Fails if a range doesn't admit the latest version. Versions of other dist-tags, such as `next` and `beta`, that are newer than
// the latest one, and ranges that are one exact version, are only reported.
import { spawnSync } from 'node:child_process'
import { manifestOf, PACKAGES } from './packages.js'

const wanted = process.argv.slice(2)

/** @param {readonly string[]} query */
function registry(...query) {
  const { status, stdout, stderr } = spawnSync('npm', ['view', ...query, '--json'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm view ${query.join(' ')}: ${stderr}`)
  // Empty if no version has the answer.
  return stdout.trim() === '' ? [] : JSON.parse(stdout)
}

/** The packages that have a range of a library. @type {Map<string, Map<string, string[]>>} */
const ranges = new Map()
for (const name of [...PACKAGES, 'prisma-8']) {
  const { peerDependencies = {} } = manifestOf(name)
  for (const [library, range] of Object.entries(peerDependencies)) {
    if (library.startsWith('@snoflax/') || (wanted.length > 0 && !wanted.includes(library))) continue
    const packages = ranges.get(library) ?? new Map()
    ranges.set(library, packages.set(range, [...(packages.get(range) ?? []), name]))
  }
}

for (const [library, packages] of [...ranges].sort()) {
  const { 'dist-tags': tags, time } = registry(library, 'dist-tags', 'time')
  const newer = Object.entries(/** @type {Record<string, string>} */ (tags)).filter(
    ([tag, version]) => tag === 'latest' || time[version] > time[tags.latest],
  )
  for (const [range, names] of packages) {
    // As npm reads the range: a prerelease is admitted only by a range that names one of the same version.
    const admitted = [registry(`${library}@${range}`, 'version')].flat()
    const isExact = admitted.length === 1 && admitted[0] === range
    for (const [tag, version] of newer) {
      const isAdmitted = admitted.includes(version)
      const isFailure = !isAdmitted && tag === 'latest' && !isExact
      const verdict = isAdmitted ? 'admitted' : isFailure ? 'NOT ADMITTED' : 'not admitted, only reported'
      console.log(`${library} ${version} (${tag}): ${verdict} by ${range} of ${names.join(', ')}`)
      if (isFailure) process.exitCode = 1
    }
  }
}
if (process.exitCode) {
  console.error(
    'peers: run the tests with each version that is not admitted, and then widen the range, here and in docs/support.md',
  )
}
