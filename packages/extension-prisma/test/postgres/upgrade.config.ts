import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-postgres/config'
import control from '@snoflax/extension-prisma/control'
// biome-ignore lint/style/noRestrictedImports: what makes a release is no part of what users import
import { contractSpace, spaceVersions } from '../../dist/postgres/space.js'
import { versions } from './versions.ts'

// The extension as an earlier release had it, and as a later one will.
const released = versions(spaceVersions().at(-1)).slice(0, Number(process.env['VERSIONS']))

export default definePrismaConfig({
  orm: defineConfig({
    contract: process.env['CONTRACT'],
    output: process.env['OUTPUT'],
    extensions: [{ ...control, contractSpace: contractSpace(released) }],
    migrations: { dir: process.env['MIGRATIONS'] },
    db: { connection: process.env['DATABASE_URL'] },
  }),
})
