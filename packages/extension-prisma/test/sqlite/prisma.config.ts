import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-sqlite/config'
import snoflax from '@snoflax/extension-prisma/sqlite/control'

export default definePrismaConfig({
  orm: defineConfig({
    contract: process.env['CONTRACT'] ?? './contract.prisma',
    output: process.env['OUTPUT'] ?? './generated',
    extensions: [snoflax],
    db: { connection: process.env['DATABASE_URL'] ?? './none.db' },
  }),
})
