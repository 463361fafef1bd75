import { readFileSync } from 'node:fs'
import { flax, prefixed } from '@snoflax/core'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { blocksOf } from './snippets/page.js'
import { run } from './snippets/run.js'
import { typeErrors } from './snippets/type-errors.js'
import { at } from './workspace.js'

const PAGE = readFileSync(at('docs/pagination.md'), 'utf8')
const [drizzle, prisma, typeorm, mikroOrm, kysely, endpoint] = blocksOf(PAGE, 'ts') as [
  string,
  string,
  string,
  string,
  string,
  string,
]

const GIVEN = `
import type { Id } from '@snoflax/core'
declare const after: Id<'ord'> | undefined
declare const customerId: Id<'cus'>
`

test('the code of each ORM compiles, for users of the built packages', () => {
  const codeAt = new Map([
    [
      at('packages/drizzle/test/page.ts'),
      `import { flaxId, keyset } from '@snoflax/drizzle/pg-core'
      import { pgTable } from 'drizzle-orm/pg-core'
      import { drizzle } from 'drizzle-orm/pglite'
      const orders = pgTable('orders', { id: flaxId({ prefix: 'ord' }).primaryKey() })
      const db = drizzle('', { schema: { orders } })
      ${GIVEN}${drizzle}`,
    ],
    [
      at('packages/prisma-extension/test/page.ts'),
      // The client is generated: its types are tested there.
      `import { keyset } from '@snoflax/prisma-extension'
      declare const db: { order: { findMany(options: object): Promise<unknown[]> } }
      ${GIVEN}${prisma}`,
    ],
    [
      at('packages/typeorm/test/page.ts'),
      `import { FlaxIdColumn, keyset } from '@snoflax/typeorm'
      import { ManyToOne, type Relation, type Repository } from 'typeorm'
      ${GIVEN}
      class Customer { @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'> }
      class Order {
        @FlaxIdColumn({ prefix: 'ord' }) id!: Id<'ord'>
        @ManyToOne(() => Customer) customer!: Relation<Customer>
      }
      declare const orders: Repository<Order>
      ${typeorm}`,
    ],
    [
      at('packages/mikro-orm/test/page.ts'),
      `import { defineEntity, type EntityManager, p } from '@mikro-orm/core'
      import { flaxId, keyset } from '@snoflax/mikro-orm'
      ${GIVEN}
      const Customer = defineEntity({ name: 'Customer', properties: { id: flaxId({ prefix: 'cus' }) } })
      const Order = defineEntity({
        name: 'Order',
        properties: { id: flaxId({ prefix: 'ord' }), customer: () => p.manyToOne(Customer) },
      })
      declare const em: EntityManager
      ${mikroOrm}`,
    ],
    [
      at('packages/kysely/test/page.ts'),
      `import { flaxId, idPlugin, type WithIds } from '@snoflax/kysely'
      import type { Kysely } from 'kysely'
      const ids = idPlugin({ database: 'postgres', tables: {
        customers: { id: flaxId({ prefix: 'cus' }) },
        orders: { id: flaxId({ prefix: 'ord' }), customer_id: flaxId.ref('customers.id') },
      } })
      declare const db: Kysely<WithIds<{ customers: {}, orders: {} }, typeof ids>>
      ${GIVEN}${kysely}`,
    ],
  ])
  expect(typeErrors(codeAt)).toEqual([])
})

test('the endpoint lists each order once, page by page, and refuses a cursor that is no id', async () => {
  const orderId = prefixed(flax, 'ord')
  const stored = orderId.generator({ monotonic: true }).batch(45).reverse()
  let listOrders: ((cursor?: string) => Promise<{ orders: { id: string }[]; next?: string }>) | undefined
  await run(`${endpoint}\nkeep(listOrders)`, {
    modules: {},
    globals: {
      orderId,
      ordersAfter: async (after: string | undefined, take: number) =>
        stored
          .filter((id) => after === undefined || id < after)
          .slice(0, take)
          .map((id) => ({ id })),
      keep: (found: typeof listOrders) => {
        listOrders = found
      },
    },
  })
  const seen: string[] = []
  let next: string | undefined
  do {
    const page = await listOrders?.(next)
    seen.push(...(page?.orders.map(({ id }) => id) ?? []))
    next = page?.next
  } while (next !== undefined)
  expect(seen).toEqual(stored)
  await expect(listOrders?.('x')).rejects.toMatchObject({ statusCode: 400 })
})

test('the partial index of soft deleted rows makes a page one range', () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE orders (id text PRIMARY KEY, deleted_at integer)')
  const [, index = ''] = blocksOf(PAGE, 'sql')
  db.exec(index)
  const plan = db
    .prepare(
      'EXPLAIN QUERY PLAN SELECT * FROM orders WHERE id < ? AND deleted_at IS NULL ORDER BY id DESC LIMIT 20',
    )
    .all('x')
  expect(plan).toMatchObject([{ detail: 'SEARCH orders USING INDEX orders_live (id<?)' }])
})
