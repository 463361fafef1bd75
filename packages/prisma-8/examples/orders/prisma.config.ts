import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-sqlite/config'
import { withIds } from '@snoflax/prisma-8/sqlite/control'

export default definePrismaConfig({
  orm: withIds(
    defineConfig({
      contract: './contract.prisma',
      output: './src/generated',
      migrations: { dir: process.env['ORDERS_MIGRATIONS'] ?? './migrations' },
      db: { connection: process.env['ORDERS_DB'] ?? './orders.db' },
    }),
  ),
})
