import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Below these stand the packages: what applications install, and the tools beside them. */
const PARENTS = ['packages', 'tools'].filter((parent) => existsSync(join(root, parent)))

/** Each package's folder by its name, without workspaces of their own, such as prisma-8. @type {ReadonlyMap<string, string>} */
const FOLDERS = new Map(
  PARENTS.flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => /** @type {const} */ ([name, `${parent}/${name}`])),
  ).filter(([, folder]) => !existsSync(join(root, folder, 'pnpm-workspace.yaml'))),
)

/** The names of the packages' folders. */
export const PACKAGES = [...FOLDERS.keys()]

/** The folder of a package, such as `packages/core`. @param {string} name of the folder */
export const folderOf = (name) => FOLDERS.get(name) ?? `packages/${name}`

/** @param {string} name of the folder */
export const manifestOf = (name) =>
  JSON.parse(readFileSync(join(root, folderOf(name), 'package.json'), 'utf8'))
