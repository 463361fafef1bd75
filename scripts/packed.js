import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf, PACKAGES } from './packages.js'
import { withPnpm } from './pnpm.js'

const root = join(import.meta.dirname, '..')

/**
 * Packs every package into the folder as a release does.
 * @param {string} folder
 * @returns {ReadonlyMap<string, string>} the path of each package's tarball
 */
export function packAll(folder) {
  const pack = `pnpm --recursive --filter './packages/*' --filter './tools/*' pack --pack-destination '${folder}'`
  const { status, stdout, stderr } = spawnSync('npx', withPnpm(pack), { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`pnpm pack failed: ${stdout}${stderr}`)
  return new Map(
    PACKAGES.map((name) => {
      const { name: fullName, version } = manifestOf(name)
      const file = join(folder, `${fullName.replace('@', '').replace('/', '-')}-${version}.tgz`)
      if (!existsSync(file)) throw new Error(`${fullName} was not packed`)
      return [fullName, file]
    }),
  )
}

/**
 * Packs prisma-8, which is a workspace of its own.
 * @param {string} folder
 * @param {{ mayBeUnfrozen: boolean }} options
 * @returns {[name: string, path: string]}
 */
export function packPrisma8(folder, { mayBeUnfrozen }) {
  const cwd = join(root, 'packages/prisma-8')
  const space = join(cwd, 'dist/space.json')
  if (!existsSync(space)) throw new Error('prisma-8 is not built: npm run test:prisma8 builds it')
  const isUnfrozen = JSON.parse(readFileSync(space, 'utf8')).at(-1).name.endsWith('_unreleased')
  if (isUnfrozen && !mayBeUnfrozen)
    throw new Error('prisma-8: its SQL is not frozen: run `node scripts/space.js --freeze` in its folder')
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { status, stdout, stderr } = spawnSync('npm', pack, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  const [{ name, filename }] = JSON.parse(stdout)
  return [name, join(folder, filename)]
}
