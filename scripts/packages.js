import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../packages')

/** @param {string} name of a package's folder */
export const manifestOf = (name) => JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))

/** The packages of this workspace, without those that have their own, such as prisma-8. */
export const PACKAGES = readdirSync(folder).filter(
  (name) => !existsSync(join(folder, name, 'pnpm-workspace.yaml')),
)
