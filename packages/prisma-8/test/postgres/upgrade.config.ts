import assert from 'node:assert/strict'
import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-postgres/config'
import control from '@snoflax/prisma-8/control'
// biome-ignore lint/style/noRestrictedImports: what makes a release is no part of what users import
import { contractSpace, spaceVersions } from '../../dist/postgres/space.js'
import { versions } from './versions.ts'

// The extension as an earlier release had it, and as a later one will.
const released = versions(spaceVersions().at(-1)).slice(0, Number(process.env['VERSIONS']))

const { CONTRACT, OUTPUT, MIGRATIONS, DATABASE_URL } = process.env
assert.ok(CONTRACT && OUTPUT && MIGRATIONS && DATABASE_URL)

export default definePrismaConfig({
  orm: defineConfig({
    contract: CONTRACT,
    output: OUTPUT,
    extensions: [{ ...control, contractSpace: contractSpace(released) }],
    migrations: { dir: MIGRATIONS },
    db: { connection: DATABASE_URL },
  }),
})
