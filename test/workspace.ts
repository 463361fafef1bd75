import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { folderOf, PACKAGES } from '../scripts/packages.js'

/** A file or folder of the repository. */
export const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export { folderOf }

export const packageFolders: readonly string[] = PACKAGES

/** What can be imported from a package, as a user writes it. */
export function entryPointsOf(folder: string): string[] {
  const { name, exports } = JSON.parse(readFileSync(at(`${folderOf(folder)}/package.json`), 'utf8'))
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== './package.json')
  return subpaths.map((subpath) => `${name}${subpath.slice(1)}`)
}

/** The packages that bring an adapter of the contract. */
export const ormFolders: readonly string[] = packageFolders.filter((name) =>
  existsSync(at(`${folderOf(name)}/test/contract/adapter.ts`)),
)
