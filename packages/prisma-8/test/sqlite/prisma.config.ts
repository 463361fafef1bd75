import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-sqlite/config'
import { withIds } from '@snoflax/prisma-8/sqlite/control'
import { ksuid } from 'example-own-families/ksuid'

export default definePrismaConfig({
  orm: withIds(
    defineConfig({
      contract: process.env['CONTRACT'] ?? './contract.prisma',
      output: process.env['OUTPUT'] ?? './generated',
      db: { connection: process.env['DATABASE_URL'] ?? './none.db' },
    }),
    { families: [ksuid] },
  ),
})
