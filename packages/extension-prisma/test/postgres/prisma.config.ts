import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-postgres/config'
import snoflax from '@snoflax/extension-prisma/control'

export default definePrismaConfig({
  orm: defineConfig({
    contract: process.env['CONTRACT'] ?? './contract.prisma',
    output: process.env['OUTPUT'] ?? './generated',
    extensions: process.env['PLAIN'] ? [] : [snoflax],
    migrations: { dir: process.env['MIGRATIONS'] ?? './migrations' },
    db: { connection: process.env['DATABASE_URL'] ?? 'postgres://nobody@localhost/none' },
  }),
})
