import { type Adoption, planAdoption, type SchemaChange, type Stage, type TableOptions } from '@snoflax/adopt'
import { flax, sno } from '@snoflax/core'
import { type PostgresDatabase, poolTo, postgres } from '@snoflax/test'
import { afterEach, expect, test } from 'vitest'
import { adapterOf, PrismaPg } from './project/clients.js'
import { changesTo } from './project/push.js'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

type Lines = (table: string, column?: string) => string

const linesOf =
  ({ columns, indexes }: SchemaChange): Lines =>
  (table, column) =>
    column === undefined
      ? indexes.flatMap((one) => (one.table === `public.${table}` ? [one.line] : [])).join('\n')
      : columns
          .flatMap((one) => (one.table === `public.${table}` && one.column === column ? one.lines : []))
          .join('\n')

/** The models, as an application's schema.prisma has them. */
function schema(stage: Stage | 'before', lines: Lines): string {
  const isOld = stage === 'before' || stage === 'backfilling'
  const ours = (table: string, column?: string) => (stage === 'before' ? '' : lines(table, column))
  return `
datasource db {
  provider = "postgresql"
}
model Customer {
  ${isOld ? 'id Int @id @default(autoincrement())' : ''}
  ${ours('customer', 'id')}
  name   String
  orders Order[]
  ${ours('customer')}
  @@map("customer")
}
model Order {
  ${isOld ? 'id Int @id @default(autoincrement())' : ''}
  ${ours('orders', 'id')}
  at         DateTime @db.Timestamptz
  ${isOld ? 'customerId Int @map("customer_id")' : ''}
  ${ours('orders', 'customer_id')}
  customer Customer @relation(fields: [customerId], references: [id])
  ${isOld ? 'parentId Int? @map("parent_id")' : ''}
  ${ours('orders', 'parent_id')}
  parent   Order?  @relation("parts", fields: [parentId], references: [id])
  parts    Order[] @relation("parts")
  ${ours('orders')}
  @@index([customerId])
  @@map("orders")
}`
}

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

async function diff({ url }: PostgresDatabase, text: string): Promise<string> {
  const pool = describingPool(url)
  try {
    return await changesTo(text, new PrismaPg(pool), 'database')
  } finally {
    await pool.end()
  }
}

const TABLES: TableOptions[] = [
  { table: 'orders', createdAt: 'at', generator: (clock) => sno.generator({ partition: 9, clock }) },
  {
    table: 'customer',
    createdAt: { from: new Date('2021-01-01'), to: new Date('2022-01-01') },
    generator: (clock) => flax.generator({ monotonic: true, clock }),
  },
]

const BEFORE = schema('before', () => '')
const EMPTY = '-- This is an empty migration.'

async function shop(): Promise<PostgresDatabase> {
  const database = await postgres.open()
  opened.push(database)
  await database.query(await changesTo(BEFORE, adapterOf(database), 'empty'))
  return database
}

async function adopted(): Promise<{ database: PostgresDatabase; adoption: Adoption }> {
  const database = await shop()
  await database.query("INSERT INTO customer (name) VALUES ('one'), ('two')")
  await database.query(
    "INSERT INTO orders (at, customer_id, parent_id) VALUES ('2021-05-01', 1, NULL), ('2021-06-01', 2, 1)",
  )
  return { database, adoption: await planAdoption(database.pool, { tables: TABLES }) }
}

test('the lines of each stage leave Prisma nothing to change', async () => {
  const { database, adoption } = await adopted()
  const at = (stage: Stage) => schema(stage, linesOf(adoption.schemaChange('prisma', stage)))
  expect(await diff(database, BEFORE)).toContain(EMPTY)
  await adoption.backfill()
  // What Prisma would do without them: it drops the keys that are being made.
  expect(await diff(database, BEFORE)).toMatch(/DROP COLUMN "snoflax_new_id"/)
  expect(await diff(database, at('backfilling'))).toContain(EMPTY)
  await adoption.switchKeys()
  expect(await diff(database, at('switched'))).toContain(EMPTY)
  const finished = at('finished')
  await adoption.finish()
  expect(await diff(database, finished)).toContain(EMPTY)
})

test('the migrations make the same of a database without rows, as Prisma’s shadow database is', async () => {
  const { adoption } = await adopted()
  const change = (stage: Stage) => adoption.schemaChange('prisma', stage)
  const empty = await shop()
  await empty.query(change('switched').migration)
  expect(await diff(empty, schema('switched', linesOf(change('switched'))))).toContain(EMPTY)
  await empty.query(change('finished').migration)
  expect(await diff(empty, schema('finished', linesOf(change('finished'))))).toContain(EMPTY)
})
