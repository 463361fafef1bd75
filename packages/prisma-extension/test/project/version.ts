import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** The version of Prisma that the tests run with, such as `6.19`; by default the newest supported one. */
export const VERSION = process.env['SNOFLAX_PRISMA'] ?? ''
const isPrisma6 = VERSION.startsWith('6.')

/** Where a package of Prisma is; older versions are installed under names of their own. */
export const installed = (name: string): string =>
  realpathSync(join(modules, VERSION === '' ? name : `${name.replace('@prisma/', 'prisma-')}-${VERSION}`))

/** What Node imports of it. */
export const entry = (name: string): string => createRequire(import.meta.url).resolve(installed(name))

/** A schema as the version wants it. */
export const schemaFor = (schema: string): string =>
  isPrisma6
    ? schema
        .replace(/^generator client \{/m, '$&\n  engineType = "client"')
        .replace(/^datasource db \{/m, '$&\n  url = "file:unused"')
    : schema

/** A schema for the engine that makes tables, which is always the newest. */
export const schemaForEngine = (schema: string): string => schema.replace(/^ {2}url = .*\n/m, '')

/** Has what is generated in a folder import the version's client. */
export function linkClient(folder: string): void {
  const link = join(folder, 'node_modules/@prisma/client')
  if (VERSION === '' || existsSync(link)) return
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(installed('@prisma/client'), link)
}
