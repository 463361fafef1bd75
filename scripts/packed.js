import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGES } from './packages.js'
import { withPnpm } from './pnpm.js'

const root = join(import.meta.dirname, '..')

/**
 * Packs every package into the folder as a release does.
 * @param {string} folder
 * @returns {ReadonlyMap<string, string>} the path of each package's tarball
 */
export function packAll(folder) {
  const pack = `pnpm --recursive --filter './packages/*' pack --pack-destination '${folder}'`
  const { status, stdout, stderr } = spawnSync('npx', withPnpm(pack), { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`pnpm pack failed: ${stdout}${stderr}`)
  return new Map(
    PACKAGES.map((name) => {
      const file = readdirSync(folder).find((packed) => /^snoflax-(.*)-\d.*\.tgz$/.exec(packed)?.[1] === name)
      if (file === undefined) throw new Error(`${name} was not packed`)
      return [`@snoflax/${name}`, join(folder, file)]
    }),
  )
}
