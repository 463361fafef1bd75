import { type Adoption, planAdoption, type SchemaChange, type Stage, type TableOptions } from '@snoflax/adopt'
import { flax, sno } from '@snoflax/core'
import * as pg from '@snoflax/drizzle/pg-core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { generateDrizzleJson, generateMigration, pushSchema } from 'drizzle-kit/api'
import { drizzle } from 'drizzle-orm/node-postgres'
import * as core from 'drizzle-orm/pg-core'
import { afterEach, expect, test } from 'vitest'

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

/** The tables, as an application's schema.ts has them. */
function schema(stage: Stage | 'before', lines: Lines): Record<string, unknown> {
  const isOld = stage === 'before' || stage === 'backfilling'
  const ours = (table: string, column?: string) => (stage === 'before' ? '' : lines(table, column))
  const source = `
const customer = pgTable('customer', {
  ${isOld ? "id: serial('id').primaryKey()," : ''} ${ours('customer', 'id')}
  name: text('name').notNull(),
}, (t) => [${ours('customer')}])
const orders = pgTable('orders', {
  ${isOld ? "id: serial('id').primaryKey()," : ''} ${ours('orders', 'id')}
  at: timestamp('at', { withTimezone: true }).notNull(),
  ${isOld ? "customerId: integer('customer_id').notNull().references(() => customer.id)," : ''} ${ours('orders', 'customer_id')}
  ${isOld ? "parentId: integer('parent_id').references(() => orders.id)," : ''} ${ours('orders', 'parent_id')}
}, (t) => [index('orders_customer').on(t.customerId), ${ours('orders')}])
return { customer, orders }`
  const { default: _, ...names } = { default: undefined, ...core, ...pg }
  return new Function(...Object.keys(names), source)(...Object.values(names))
}

/** What drizzle-kit push would run. */
async function diff({ pool }: PostgresDatabase, tables: Record<string, unknown>): Promise<string[]> {
  const { statementsToExecute } = await pushSchema(tables, drizzle(pool) as never, ['public'])
  return statementsToExecute
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

async function shop(): Promise<PostgresDatabase> {
  const database = await postgres.open()
  opened.push(database)
  for (const sql of await generateMigration(generateDrizzleJson({}), generateDrizzleJson(BEFORE)))
    await database.query(sql)
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

test('the lines of each stage leave drizzle-kit nothing to change', async () => {
  const { database, adoption } = await adopted()
  const at = (stage: Stage) => schema(stage, linesOf(adoption.schemaChange('drizzle', stage)))
  expect(await diff(database, BEFORE)).toEqual([])
  await adoption.backfill()
  // What drizzle-kit push would do without them: it drops the keys that are being made.
  expect((await diff(database, BEFORE)).join()).toMatch(/DROP COLUMN "snoflax_new_id"/)
  expect(await diff(database, at('backfilling'))).toEqual([])
  await adoption.switchKeys()
  expect(await diff(database, at('switched'))).toEqual([])
  const finished = at('finished')
  await adoption.finish()
  expect(await diff(database, finished)).toEqual([])
  // What `drizzle-kit generate` compares is the schema of before; its snapshot of this one is the baseline.
  const snapshot = generateDrizzleJson(finished)
  expect(await generateMigration(snapshot, generateDrizzleJson(finished))).toEqual([])
})

test('the migrations make the same of a database without rows', async () => {
  const { adoption } = await adopted()
  const change = (stage: Stage) => adoption.schemaChange('drizzle', stage)
  const empty = await shop()
  await empty.query(change('switched').migration)
  expect(await diff(empty, schema('switched', linesOf(change('switched'))))).toEqual([])
  await empty.query(change('finished').migration)
  expect(await diff(empty, schema('finished', linesOf(change('finished'))))).toEqual([])
})
