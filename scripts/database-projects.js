import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, PACKAGES } from './packages.js'

const root = join(import.meta.dirname, '..')

/** Folders whose tests need databases: those that depend on @snoflax/test. Other projects run without a server. */
export const DATABASE_PROJECTS = [...PACKAGES.map(folderOf), 'test'].filter((folder) =>
  /"@snoflax\/test"/.test(readFileSync(join(root, folder, 'package.json'), 'utf8')),
)

/** The name of a folder's project. @param {string} folder */
export const projectName = (folder) => folder.replace(/^(?:packages|tools)\//, '')
