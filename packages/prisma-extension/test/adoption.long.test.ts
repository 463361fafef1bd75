import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MysqlDatabase } from '@snoflax/test'
import { type Adoptable, describeOrm, differencesInMariadb } from '@snoflax/test/adoption'
import { adapterOf, PrismaPg } from './project/clients.js'
import { mysqlTables } from './project/mysql-tables.js'
import { changesTo, describingPool } from './project/push.js'

const EMPTY = '-- This is an empty migration.'

/** The tables that a line of Prisma's config hides. */
const hidden = (config: readonly string[]): string[] =>
  [...(config.find((line) => line.startsWith('tables:'))?.matchAll(/'([\w.]+)'/g) ?? [])].map(
    ([, table]) => table as string,
  )

async function changes(
  database: Exclude<Adoptable, MysqlDatabase>,
  text: string,
  config: readonly string[],
): Promise<string> {
  if (database.kind === 'sqlite')
    return await changesTo(text, adapterOf(database), 'database', hidden(config))
  const pool = describingPool(database.url)
  try {
    return await changesTo(text, new PrismaPg(pool), 'database', hidden(config))
  } finally {
    await pool.end()
  }
}

/** Prisma's engine in WebAssembly doesn't know MariaDB, so its schema is read by the tests. They make no indexes. */
async function tablesInMariadb(source: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-prisma-'))
  try {
    mkdirSync(join(folder, 'schema'))
    writeFileSync(join(folder, 'schema/schema.prisma'), source)
    return await mysqlTables(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isIndex = (difference: string): boolean => /^(DROP|ADD) index /.test(difference)

describeOrm({
  orm: 'prisma',
  source(kind, oldKeys, lines) {
    const native = {
      counted: { postgres: '', sqlite: '', mysql: '' },
      text: { postgres: '@db.VarChar(30)', sqlite: '', mysql: '@db.VarChar(30)' },
      uuid: { postgres: '@db.Uuid', sqlite: '', mysql: '@db.Char(36)' },
    }[oldKeys ?? 'text'][kind]
    const [type, more] =
      oldKeys === 'counted' ? ['Int', '@default(autoincrement())'] : ['String', '@default(uuid())']
    const ifOld = (line: string) => (oldKeys === undefined ? '' : line)
    return `
datasource db {
  provider = "${kind === 'postgres' ? 'postgresql' : kind}"
}
model Customer {
  ${ifOld(`id ${type} @id ${more} ${native}`)}
  ${lines('customer', 'id')}
  name   String
  orders Order[]
  ${lines('customer')}
  @@map("customer")
}
model Order {
  ${ifOld(`id ${type} @id ${more} ${native}`)}
  ${lines('orders', 'id')}
  at         DateTime ${kind === 'postgres' ? '@db.Timestamptz' : ''}
  ${ifOld(`customerId ${type} @map("customer_id") ${native}`)}
  ${lines('orders', 'customer_id')}
  customer Customer @relation(fields: [customerId], references: [id])
  ${ifOld(`parentId ${type}? @map("parent_id") ${native}`)}
  ${lines('orders', 'parent_id')}
  parent   Order?  @relation("parts", fields: [parentId], references: [id])
  parts    Order[] @relation("parts")
  ${ifOld(`giftTo ${type}? @map("gift_to") ${native}`)}
  ${lines('orders', 'gift_to')}
  ${lines('orders')}
  @@index([customerId])
  @@map("orders")
}`
  },
  async create(database, source) {
    if (database.kind !== 'mysql')
      await runScript(database, await changesTo(source, adapterOf(database), 'empty'))
    else for (const sql of await tablesInMariadb(source)) await database.query(sql)
  },
  async diff(database, source, config) {
    if (database.kind === 'mysql') {
      const found = await differencesInMariadb(database, await tablesInMariadb(source))
      return found.filter(
        (one) => !isIndex(one) && !hidden(config).some((name) => one.includes(`\`${name}\``)),
      )
    }
    const sql = await changes(database, source, config)
    return sql.includes(EMPTY) ? [] : [sql]
  },
  migrate: (database, statements) =>
    runScript(database, statements.map((statement) => `${statement};`).join('\n')),
})

async function runScript(database: Adoptable, sql: string): Promise<void> {
  if (database.kind === 'sqlite') database.connection.exec(sql)
  else await database.query(sql)
}
