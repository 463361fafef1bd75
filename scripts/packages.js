import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../packages')

/** The packages of this workspace, without those that have their own, such as extension-prisma. */
export const PACKAGES = readdirSync(folder).filter(
  (name) => !existsSync(join(folder, name, 'pnpm-workspace.yaml')),
)
