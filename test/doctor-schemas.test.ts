import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { flax, storageFor } from '@snoflax/core'
import { run } from 'snoflax'
import { expect, test } from 'vitest'
import { postgres, sqlite } from './databases.js'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

interface Report {
  readonly columns: readonly {
    place: string
    family: string
    prefix?: string
    storage: string
    evidence: string
  }[]
  readonly findings: readonly { check: string; where: string; message: string; cure: { sql?: string } }[]
}

async function doctor(...options: string[]): Promise<Report> {
  const [out, err]: [string[], string[]] = [[], []]
  const into = (texts: string[]) => ({ write: (text: string) => texts.push(text) > 0 })
  const stdin = Object.assign(process.stdin, { isTTY: true })
  const code = await run(['doctor', ...options, '--json'], {
    stdin,
    stdout: into(out),
    stderr: into(err),
    env: {},
  })
  if (code === 2) throw new Error(err.join(''))
  return JSON.parse(out.join(''))
}

const columnsOf = ({ columns }: Report) =>
  columns.map(({ place, family, storage, evidence }) => `${place} ${family} ${storage} ${evidence}`)
const findingsOf = ({ findings }: Report) => findings.map(({ check, where }) => `${check} ${where}`)

test('--typeorm: columns of empty tables are declared by the entities, and differences are reported', async () => {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE orders (id TEXT COLLATE NOCASE PRIMARY KEY, item TEXT)`)
  const report = await doctor(database.file, '--typeorm', `${EXAMPLES}orders-typeorm/dist/database.js`)
  expect(columnsOf(report)).toEqual(['customers.id flax text declared', 'orders.id sno text declared'])
  expect(findingsOf(report)).toEqual([
    'declaration orders.customerId',
    'type customers.id',
    'collation orders.id',
  ])
  await database.close()
})

test.each([
  ['--drizzle', `${EXAMPLES}orders-drizzle/dist/schema.js`],
  ['--kysely', `${EXAMPLES}orders-kysely/dist/schema.js`],
])('%s: columns of empty tables are declared by the schema', async (option, file) => {
  const database = await postgres.open()
  await database.query(`CREATE TABLE customers (id text PRIMARY KEY COLLATE "C", name text);
    CREATE TABLE orders (id uuid PRIMARY KEY, customer_id text COLLATE "C" REFERENCES customers)`)
  const report = await doctor(database.url, option, file)
  expect(columnsOf(report)).toEqual([
    'customers.id flax text declared',
    'orders.id sno text declared',
    'orders.customer_id flax text declared',
  ])
  expect(findingsOf(report)).toEqual(['type orders.id'])
  await database.close()
})

const MODULES = {
  typeorm: `
import 'reflect-metadata'
import { flax, prefixed } from '@snoflax/core'
import { IdColumn } from '@snoflax/typeorm'
import { DataSource, Entity, JoinColumn, ManyToOne } from 'typeorm'
class Customer {}
IdColumn(prefixed(flax, 'cus'), { storage: 'uuid' })(Customer.prototype, 'id')
Entity('customers')(Customer)
class Order {}
IdColumn(prefixed(flax, 'ord'))(Order.prototype, 'id')
ManyToOne(() => Customer)(Order.prototype, 'customer')
JoinColumn({ name: 'customer_id' })(Order.prototype, 'customer')
Entity('orders')(Order)
export const source = new DataSource({ type: 'postgres', entities: [Customer, Order] })
`,
  drizzle: `
import { flax, prefixed } from '@snoflax/core'
import { idColumn } from '@snoflax/drizzle/pg-core'
import { pgTable } from 'drizzle-orm/pg-core'
const customerId = prefixed(flax, 'cus')
export const customers = pgTable('customers', { id: idColumn(customerId, { storage: 'uuid' }).primaryKey() })
export const orders = pgTable('orders', {
  id: idColumn(prefixed(flax, 'ord')).primaryKey(),
  customerId: idColumn.ref('customer_id', () => customers.id),
})
`,
}

test.each(Object.entries(MODULES))(
  '--%s: prefixes are declared, and text columns store them',
  async (orm, text) => {
    const database = await postgres.open()
    await database.query(`CREATE TABLE customers (id uuid PRIMARY KEY);
    CREATE TABLE orders (id text COLLATE "C" PRIMARY KEY, customer_id uuid REFERENCES customers)`)
    const orders = Array.from({ length: 3 }, () => `ord_${flax.generate()}`)
    for (const order of orders) {
      const bare = storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(flax.generate())
      await database.query('INSERT INTO customers VALUES ($1)', [bare])
      await database.query('INSERT INTO orders VALUES ($1, $2)', [order, bare])
    }
    const file = `${EXAMPLES}orders-${orm}/dist/prefixed.js`
    writeFileSync(file, text)
    const told = async () => {
      const { columns, findings } = await doctor(database.url, `--${orm}`, file)
      return {
        columns: columns.map((one) => `${one.place} ${one.family} ${one.prefix} ${one.storage}`).sort(),
        findings,
      }
    }
    try {
      const columns = [
        'customers.id flax cus uuid',
        'orders.customer_id flax cus uuid',
        'orders.id flax ord text',
      ]
      expect(await told()).toEqual({ columns, findings: [] })
      await database.query(`UPDATE orders SET id = 'cus' || substr(id, 4) WHERE id = $1`, [orders[0]])
      const { findings } = await told()
      expect(findings.map(({ where }) => where)).toEqual(['orders.id'])
      expect(findings[0]?.message).toContain('cus_')
    } finally {
      rmSync(file)
      await database.close()
    }
  },
)

test('a declared generated column is recognized', async () => {
  const database = await sqlite.open()
  database.connection.exec('CREATE TABLE shown (id TEXT PRIMARY KEY, again TEXT AS (id) VIRTUAL)')
  const file = `${EXAMPLES}orders-kysely/dist/generated.js`
  writeFileSync(
    file,
    `import { flaxId, idPlugin } from '@snoflax/kysely'
const id = flaxId.plain({ storage: 'text' })
export const ids = idPlugin({ database: 'sqlite', tables: { shown: { id, again: id, other: id } } })`,
  )
  try {
    const { columns, findings } = await doctor(database.file, '--kysely', file)
    expect(columns.map(({ place }) => place)).toEqual(['shown.id'])
    expect(findings.map(({ check, where }) => `${check} ${where}`)).toEqual(['declaration shown.other'])
  } finally {
    rmSync(file)
    await database.close()
  }
})

test('a file that declares no ids is refused', async () => {
  const database = await sqlite.open()
  const file = `${EXAMPLES}orders-drizzle/dist/seed.js`
  await expect(doctor(database.file, '--drizzle', file)).rejects.toThrow(/no id column found; pass a module/)
  await expect(doctor(database.file, '--kysely', '/nowhere.js')).rejects.toThrow('/nowhere.js: no such file')
  await database.close()
})
