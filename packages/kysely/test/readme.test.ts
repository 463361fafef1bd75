import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [schema = '', ...uses] = [...README.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
  ([, code]) => code as string,
)

/** The tables of the page, as a migration creates them. */
const MIGRATION = `
  await db.schema.createTable('customers')
    .addColumn('id', ids.columnType('customers.id'), (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createTable('orders')
    .addColumn('id', ids.columnType('orders.id'), (column) => column.primaryKey())
    .addColumn('customer_id', ids.columnType('orders.customer_id'), (column) => column.references('customers.id'))
    .addColumn('trace_id', ids.columnType('orders.trace_id'))
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('paid', 'boolean', (column) => column.defaultTo(false))
    .execute()
`

interface Seen {
  readonly db: Kysely<unknown>
  readonly ada: { readonly id: Id<'cus'> }
  readonly found: readonly { readonly id: SnoId; readonly customer: Id<'cus'> }[]
  readonly times: readonly Date[]
  readonly page: readonly { readonly id: SnoId; readonly trace_id: null; readonly paid: boolean }[]
}

// Below this folder, so that bare imports lead where they do for users.
const folder = mkdtempSync(fileURLToPath(new URL('.readme-', import.meta.url)))
let database: PostgresDatabase
let seen: Seen

beforeAll(async () => {
  database = await postgres.open()
  writeFileSync(join(folder, 'schema.ts'), schema)
  const imports = uses.flatMap((block) => block.match(/^import .*$/gm) ?? [])
  const program = join(folder, 'program.ts')
  writeFileSync(
    program,
    [
      ...imports,
      'export async function run() {',
      ...[...uses.slice(0, 1), MIGRATION, ...uses.slice(1)].map((block) =>
        block.replaceAll(/^import .*$/gm, ''),
      ),
      'return { db, ada, found, times, page } }',
    ].join('\n'),
  )
  const { run } = await import(program)
  vi.stubEnv('DATABASE_URL', database.url)
  seen = await run()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await seen?.db.destroy()
  await database?.close()
})

test('the programs of the README run, and return ids', () => {
  expect(uses).toHaveLength(4)
  expect(prefixed(flax, 'cus').is(seen.ada.id)).toBe(true)
  expect(seen.found.map(({ id, customer }) => [sno.meta(id), customer])).toEqual(
    Array(3).fill([2, seen.ada.id]),
  )
  expect(seen.page.map(({ id }) => id)).toEqual(
    seen.found
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
  expect(seen.page[0]).toMatchObject({ trace_id: null, paid: false })
  expect(seen.times.every((time) => time instanceof Date)).toBe(true)
})
