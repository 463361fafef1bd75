import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const PNPM = /pnpm@[\d.]+/.exec(readFileSync(join(root, 'scripts/setup.js'), 'utf8'))?.[0]

/**
 * The parts of package.json that matter here.
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {Readonly<Record<string, unknown>>} exports
 * @property {Readonly<Record<string, string>>} [bin]
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [peerDependencies]
 */

/** @typedef {{ readonly folder: string, readonly manifest: Manifest }} Package */

/** Every package that is published. @type {readonly Package[]} */
export const packages = readdirSync(join(root, 'packages')).map((name) => {
  const folder = join(root, 'packages', name)
  return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }
})

/** The names by which a user imports its entries. @param {Package} one */
export const entriesOf = ({ manifest }) =>
  Object.keys(manifest.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => join(manifest.name, entry))

/**
 * Packs every package into the folder as a release does.
 * @param {string} folder
 * @returns {ReadonlyMap<string, string>} the path of each package's tarball
 */
export function packAll(folder) {
  const pack = `pnpm --recursive --filter './packages/*' pack --pack-destination '${folder}'`
  // --call, since an outer npx leaves its own in the environment.
  const call = ['--yes', `--package=${PNPM}`, `--call=${pack}`]
  const { status, stdout, stderr } = spawnSync('npx', call, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`pnpm pack failed: ${stdout}${stderr}`)
  return new Map(
    packages.map(({ manifest: { name, version } }) => {
      const file = `${name.slice(1).replace('/', '-')}-${version}.tgz`
      if (!readdirSync(folder).includes(file)) throw new Error(`${name} was not packed as ${file}`)
      return [name, join(folder, file)]
    }),
  )
}
