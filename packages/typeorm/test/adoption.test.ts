import 'reflect-metadata'
import { type Adoption, planAdoption, type SchemaChange, type Stage, type TableOptions } from '@snoflax/adopt'
import { flax, sno } from '@snoflax/core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import * as snoflax from '@snoflax/typeorm'
import { prepareDataSource } from '@snoflax/typeorm'
import * as typeorm from 'typeorm'
import { DataSource } from 'typeorm'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterEach, expect, test } from 'vitest'
import { optionsFor } from './open-data-source.js'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

/** The lines that a stage of the adoption has for a table. */
type Lines = (table: string, column?: string) => string

const linesOf =
  ({ columns, indexes }: SchemaChange): Lines =>
  (table, column) =>
    column === undefined
      ? indexes.flatMap((one) => (one.table === `public.${table}` ? [one.line] : [])).join('\n')
      : columns
          .flatMap((one) => (one.table === `public.${table}` && one.column === column ? one.lines : []))
          .join('\n')

const OLD_KEY = '@PrimaryGeneratedColumn() id!: number'

/** The entities, with a key of the application's or of ours, and what an adoption adds. */
const source = (stage: Stage | 'before', lines: Lines): string => {
  const isOld = stage === 'before' || stage === 'backfilling'
  const key = (table: string) =>
    [...(isOld ? [OLD_KEY] : []), ...(stage === 'before' ? [] : [lines(table, 'id')])].join('\n')
  const reference = (table: string, column: string) => (stage === 'before' ? '' : lines(table, column))
  const own = (table: string) => (stage === 'before' ? '' : lines(table))
  return `
${own('customer')}
@Entity('customer') class Customer {
  ${key('customer')}
  @Column('text') name!: string
}
${own('orders')}
@Entity('orders') class Order {
  ${key('orders')}
  @Column('timestamptz') at!: Date
  ${reference('orders', 'customer_id')}
  @Index() @ManyToOne(() => Customer, { nullable: false, onDelete: 'CASCADE' }) @JoinColumn({ name: 'customer_id' }) customer!: Customer
  ${reference('orders', 'parent_id')}
  @ManyToOne(() => Order, { nullable: true }) @JoinColumn({ name: 'parent_id' }) parent!: Order
}
return [Customer, Order]`
}

/** A DataSource whose entities are that source, which is compiled as an application's would be. */
async function connect(database: PostgresDatabase, code: string, synchronize = false): Promise<DataSource> {
  const compilerOptions = {
    module: ModuleKind.CommonJS,
    target: ScriptTarget.ES2022,
    experimentalDecorators: true,
    useDefineForClassFields: false,
  }
  const { outputText } = transpileModule(code, { compilerOptions })
  const { default: _, ...names } = { ...snoflax, ...typeorm }
  const entities = new Function(...Object.keys(names), outputText)(...Object.values(names))
  const options = { ...optionsFor(database), entities, synchronize } as typeorm.DataSourceOptions
  const dataSource = await prepareDataSource(new DataSource(options)).initialize()
  opened.push({ close: () => dataSource.destroy() })
  return dataSource
}

/** What TypeORM would change. */
async function diff(database: PostgresDatabase, code: string): Promise<string[]> {
  const dataSource = await connect(database, code)
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
  return upQueries.map(({ query }) => query)
}

const TABLES: TableOptions[] = [
  { table: 'orders', createdAt: 'at', generator: (clock) => sno.generator({ partition: 9, clock }) },
  {
    table: 'customer',
    createdAt: { from: new Date('2021-01-01'), to: new Date('2022-01-01') },
    generator: (clock) => flax.generator({ monotonic: true, clock }),
  },
]

async function shop(): Promise<PostgresDatabase> {
  const database = await postgres.open()
  opened.push(database)
  await connect(
    database,
    source('before', () => ''),
    true,
  )
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

test('the lines of each stage leave TypeORM nothing to change', async () => {
  const { database, adoption } = await adopted()
  const at = (stage: Stage) => source(stage, linesOf(adoption.schemaChange('typeorm', stage)))
  expect(
    await diff(
      database,
      source('before', () => ''),
    ),
  ).toEqual([])
  await adoption.backfill()
  // What TypeORM would do without them: it drops the keys that are being made.
  expect(
    (
      await diff(
        database,
        source('before', () => ''),
      )
    ).join(),
  ).toMatch(/DROP COLUMN "snoflax_new_id"/)
  expect(await diff(database, at('backfilling'))).toEqual([])
  await adoption.switchKeys()
  expect(await diff(database, at('switched'))).toEqual([])
  await database.query(adoption.schemaChange('typeorm', 'switched').migration)
  expect(
    await database.query(
      'SELECT name FROM orders JOIN customer AS c ON c.id = customer_id ORDER BY orders.id',
    ),
  ).toEqual([{ name: 'one' }, { name: 'two' }])
  const { migration } = adoption.schemaChange('typeorm', 'finished')
  await expect(database.query(migration)).rejects.toThrow(/run snoflax adopt finish on this database first/)
  const finished = at('finished')
  await adoption.finish()
  await database.query(migration)
  expect(await diff(database, finished)).toEqual([])
})

test('the migrations make the same of a database without rows, and refuse one that has some', async () => {
  const { database, adoption } = await adopted()
  const change = (stage: Stage) => adoption.schemaChange('typeorm', stage)
  const empty = await shop()
  await empty.query(change('switched').migration)
  expect(await diff(empty, source('switched', linesOf(change('switched'))))).toEqual([])
  await empty.query(change('finished').migration)
  expect(await diff(empty, source('finished', linesOf(change('finished'))))).toEqual([])
  await expect(database.query(change('switched').migration)).rejects.toThrow(
    /run snoflax adopt backfill and switch/,
  )
})
