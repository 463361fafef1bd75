import { fileURLToPath } from 'node:url'
import { run } from '@snoflax/cli'
import { expect, test } from 'vitest'
import { postgres, sqlite } from './databases.js'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

interface Report {
  readonly columns: readonly { place: string; family: string; storage: string; evidence: string }[]
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

test('--typeorm: the entities tell the columns of empty tables, and what differs from them', async () => {
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
])('%s: the same', async (option, file) => {
  const database = await postgres.open()
  await database.query(`CREATE TABLE customers (id uuid PRIMARY KEY, name text);
    CREATE TABLE orders (id text PRIMARY KEY COLLATE "C", customer_id uuid REFERENCES customers)`)
  const report = await doctor(database.url, option, file)
  expect(columnsOf(report)).toEqual([
    'customers.id flax uuid declared',
    'orders.id sno uuid declared',
    'orders.customer_id flax uuid declared',
  ])
  expect(findingsOf(report)).toEqual(['type orders.id'])
  await database.close()
})

test('a file that declares no ids is refused', async () => {
  const database = await sqlite.open()
  const file = `${EXAMPLES}orders-drizzle/dist/seed.js`
  await expect(doctor(database.file, '--drizzle', file)).rejects.toThrow(/no id column found; pass a module/)
  await expect(doctor(database.file, '--kysely', '/nowhere.js')).rejects.toThrow('/nowhere.js: no such file')
  await database.close()
})
