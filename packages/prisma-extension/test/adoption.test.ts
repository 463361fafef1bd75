import type { PostgresDatabase, SqliteDatabase } from '@snoflax/test'
import { poolTo } from '@snoflax/test'
import { type Adoptable, describeOrm } from '@snoflax/test/adoption'
import { adapterOf, PrismaPg } from './project/clients.js'
import { changesTo } from './project/push.js'

const CHAR = 18
const TEXT = 25

/** A pool that names the catalog's own type "char", which Prisma's engine asks for and its adapter does not know. */
function describingPool(url: string): ReturnType<typeof poolTo> {
  const pool = poolTo(url)
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<QueryResult>
  const named = async (...given: unknown[]): Promise<QueryResult> => {
    const result = await query(...given)
    for (const field of result.fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT
    return result
  }
  return Object.assign(pool, { query: named })
}

interface QueryResult {
  readonly fields: { dataTypeID: number }[]
}

const EMPTY = '-- This is an empty migration.'

/** The tables that a line of Prisma's config hides. */
const hidden = (config: readonly string[]): string[] =>
  [...(config.find((line) => line.startsWith('tables:'))?.matchAll(/'(\w+)'/g) ?? [])].map(
    ([, table]) => table as string,
  )

async function changes(database: Adoptable, text: string, config: readonly string[]): Promise<string> {
  if (database.kind !== 'postgres')
    return await changesTo(text, adapterOf(database), 'database', hidden(config))
  const pool = describingPool(database.url)
  try {
    return await changesTo(text, new PrismaPg(pool), 'database')
  } finally {
    await pool.end()
  }
}

describeOrm({
  orm: 'prisma',
  // Its engine in WebAssembly doesn't know MySQL and MariaDB.
  kinds: ['postgres', 'sqlite'],
  source: (kind, isOld, lines) => `
datasource db {
  provider = "${kind === 'postgres' ? 'postgresql' : 'sqlite'}"
}
model Customer {
  ${isOld ? 'id Int @id @default(autoincrement())' : ''}
  ${lines('customer', 'id')}
  name   String
  orders Order[]
  ${lines('customer')}
  @@map("customer")
}
model Order {
  ${isOld ? 'id Int @id @default(autoincrement())' : ''}
  ${lines('orders', 'id')}
  at         DateTime ${kind === 'postgres' ? '@db.Timestamptz' : ''}
  ${isOld ? 'customerId Int @map("customer_id")' : ''}
  ${lines('orders', 'customer_id')}
  customer Customer @relation(fields: [customerId], references: [id])
  ${isOld ? 'parentId Int? @map("parent_id")' : ''}
  ${lines('orders', 'parent_id')}
  parent   Order?  @relation("parts", fields: [parentId], references: [id])
  parts    Order[] @relation("parts")
  ${lines('orders')}
  @@index([customerId])
  @@map("orders")
}`,
  async create(database, source) {
    await runScript(database, await changesTo(source, adapterOf(database), 'empty'))
  },
  async diff(database, source, config) {
    const sql = await changes(database, source, config)
    return sql.includes(EMPTY) ? [] : [sql]
  },
  migrate: (database, statements) =>
    runScript(database, statements.map((statement) => `${statement};`).join('\n')),
})

async function runScript(database: Adoptable, sql: string): Promise<void> {
  if (database.kind === 'sqlite') (database as SqliteDatabase).connection.exec(sql)
  else await (database as PostgresDatabase).query(sql)
}
