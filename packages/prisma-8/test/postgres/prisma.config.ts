import { definePrismaConfig } from '@prisma/cli-engine'
import { defineConfig } from '@prisma/orm-postgres/config'
import { withIds } from '@snoflax/prisma-8/control'
import { ksuid } from 'example-own-families/ksuid'

const config = defineConfig({
  contract: process.env['CONTRACT'] ?? './contract.prisma',
  output: process.env['OUTPUT'] ?? './generated',
  migrations: { dir: process.env['MIGRATIONS'] ?? './migrations' },
  db: { connection: process.env['DATABASE_URL'] ?? 'postgres://nobody@localhost/none' },
})

export default definePrismaConfig({
  orm: process.env['PLAIN'] ? config : withIds(config, { families: [ksuid] }),
})
