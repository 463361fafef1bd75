import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Folders whose tests need databases: those that have @snoflax/test. Every other project runs without a server. */
export const DATABASE_PROJECTS = [
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
  'test',
].filter((folder) => /"@snoflax\/test"/.test(readFileSync(join(root, folder, 'package.json'), 'utf8')))

/** The name of a folder's project. @param {string} folder */
export const projectName = (folder) => folder.replace('packages/', '')
