// Publishes every package whose version the registry lacks: `npm run release:publish`, or with --dry-run to look first.
// With --pack, as `npm run release:pack` has it, it only packs them into release/, for scripts/publish.js.
// With --prisma8 it also packs prisma-8, a workspace of its own that `npm run test:prisma8` builds.
// Writes the repository's address into the published manifests, and into the READMEs' links to other files, which don't
// exist on npm.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withTargets } from './markdown-links.js'
import { folderOf, manifestOf, PACKAGES } from './packages.js'
import { packAll, packPrisma8 } from './packed.js'
import { publishAll, run } from './publish.js'
import { repositoryPage } from './repository.js'

const root = join(import.meta.dirname, '..')
const UNRELEASED = '0.0.0'
const isPacking = process.argv.includes('--pack')
const isDry = process.argv.includes('--dry-run')
// For trying it with a local registry: without provenance and tags, and with the unreleased version.
const isLocal = process.argv.includes('--local')
const isWithPrisma8 = process.argv.includes('--prisma8')

const page = repositoryPage()
if (!page) {
  console.error(
    'release: packages link to their repository, and no git remote "origin" names it. ' +
      'Add it: git remote add origin https://github.com/OWNER/NAME.git',
  )
  process.exit(1)
}

/** @param {string} fullName of a package */
const shortName = (fullName) =>
  PACKAGES.find((name) => manifestOf(name).name === fullName) ?? fullName.replace('@snoflax/', '')

/** @param {string} name of the folder @param {string} folder where the package was unpacked */
function writeAddress(name, folder) {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const directory = folderOf(name)
  Object.assign(manifest, {
    homepage: `${page}/tree/HEAD/${directory}#readme`,
    bugs: `${page}/issues`,
    repository: { type: 'git', url: `git+${page}.git`, directory },
  })
  const { peerDependencies = {} } = manifest
  // prisma-8 has no `workspace:^`, which pnpm replaces.
  for (const peer of Object.keys(peerDependencies).filter((one) => peerDependencies[one] === '*'))
    peerDependencies[peer] = `^${manifestOf(shortName(peer)).version}`
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
  const readme = join(folder, 'README.md')
  writeFileSync(readme, withFullLinks(readFileSync(readme, 'utf8'), directory))
  return manifest
}

/** @param {string} markdown @param {string} directory of the page in the repository */
const withFullLinks = (markdown, directory) =>
  withTargets(markdown, (link, isPicture) => {
    if (link.startsWith('#')) return link
    const { pathname, hash } = new URL(link, `file:///${directory}/`)
    return `${page}/${isPicture ? 'raw' : 'blob'}/HEAD${pathname}${hash}`
  })

const folder = mkdtempSync(join(tmpdir(), 'snoflax-release-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
const packed = isPacking ? join(root, 'release') : join(folder, 'packed')
rmSync(packed, { recursive: true, force: true })
mkdirSync(packed)

const tarballs = [...packAll(folder)]
if (isWithPrisma8) tarballs.push(packPrisma8(folder, { mayBeUnfrozen: isDry || isLocal }))
for (const [fullName, tarball] of tarballs) {
  const name = shortName(fullName)
  const unpacked = join(folder, name)
  mkdirSync(unpacked)
  run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
  const { version } = writeAddress(name, unpacked)
  if (version === UNRELEASED && !isLocal && !isDry) {
    throw new Error(
      `${fullName} has the version ${version}; ` +
        (name === 'prisma-8'
          ? 'set it in packages/prisma-8/package.json'
          : 'run npm run release:version first'),
    )
  }
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', packed], unpacked)
}

if (!isPacking) publishAll(packed, { isDry, isLocal })
if (!isPacking && !isDry && !isLocal) run('npx', ['changeset', 'tag'], root)
