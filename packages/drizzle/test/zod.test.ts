import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { snoId as sqliteSnoId } from '@snoflax/drizzle/sqlite-core'
import { idSchema, insertIds, selectIds, updateIds } from '@snoflax/drizzle/zod'
import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { createInsertSchema, createSelectSchema, createUpdateSchema } from 'drizzle-zod'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const customers = pgTable('customers', { id: flaxId().primaryKey(), email: text() })
const orders = pgTable('orders', {
  id: snoId().primaryKey(),
  customerId: flaxId
    .ref('customer_id')
    .notNull()
    .references(() => customers.id),
  traceId: snoId.plain('trace_id'),
  past: flaxId.plain().array().notNull(),
  total: integer().notNull(),
})
const row = {
  id: sno.generate(),
  customerId: flax.generate(),
  traceId: null,
  past: [flax.generate()],
  total: 3,
}

/** Path and message of each issue. */
const issuesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

describe('drizzle-zod by itself', () => {
  test('takes any text for an id, but nothing else', () => {
    const schema = createSelectSchema(orders)
    expect(schema.safeParse({ ...row, id: 'wrong' }).success).toBe(true)
    expect(schema.safeParse({ ...row, id: 7 }).success).toBe(false)
  })
})

describe('a select schema', () => {
  const schema = createSelectSchema(orders, selectIds(orders))

  test('takes a row, ids branded', () => {
    const parsed = schema.parse(row)
    expect(parsed).toEqual(row)
    expectTypeOf(parsed).toEqualTypeOf<{
      id: SnoId
      customerId: FlaxId
      traceId: SnoId | null
      past: FlaxId[]
      total: number
    }>()
  })

  test('refuses malformed ids, each with its place and reason', () => {
    expect(
      issuesOf(schema, { ...row, id: 'x', traceId: 'brpk4q72xwf2m63!', past: [row.customerId, 'y'] }),
    ).toEqual([
      'id: sno: an id has 16 characters, not 1 ("x")',
      expect.stringMatching(/^traceId: sno: /),
      'past.1: flax: an id has 16 characters, not 1 ("y")',
    ])
    expect(issuesOf(schema, { ...row, id: null, customerId: 3 })).toHaveLength(2)
  })
})

describe('an insert schema', () => {
  const schema = createInsertSchema(orders, { ...insertIds(orders), total: (total) => total.positive() })

  test('lets generated and nullable ids be left out, not a reference', () => {
    const { customerId, past, total } = row
    const parsed = schema.parse({ customerId, past, total })
    expectTypeOf(parsed).toExtend<typeof orders.$inferInsert>()
    expect(parsed).toEqual({ customerId, past, total })
    expect(issuesOf(schema, { past, total })).toEqual([expect.stringMatching(/^customerId: /)])
    expect(issuesOf(schema, { customerId, past, total: -1 })).toEqual([expect.stringMatching(/^total: /)])
    expect(issuesOf(schema, { customerId, past, total, id: 'x' })).toEqual([
      expect.stringMatching(/^id: sno/),
    ])
    expect(schema.safeParse({ customerId, past, total, id: null }).success).toBe(false)
  })
})

describe('an update schema', () => {
  const schema = createUpdateSchema(orders, updateIds(orders))

  test('lets all be left out', () => {
    expectTypeOf<z.infer<typeof schema>['traceId']>().toEqualTypeOf<SnoId | null | undefined>()
    expect(schema.parse({})).toEqual({})
    expect(schema.parse({ traceId: null, customerId: row.customerId })).toEqual({
      traceId: null,
      customerId: row.customerId,
    })
    expect(issuesOf(schema, { customerId: null, traceId: 'x' })).toHaveLength(2)
  })
})

test('a schema of one column, in any dialect', () => {
  const table = sqliteTable('t', { id: sqliteSnoId({ storage: 'binary' }) })
  const input = z.object({ id: idSchema(table.id) })
  expectTypeOf<z.infer<typeof input>>().toEqualTypeOf<{ id: SnoId }>()
  expectTypeOf<z.input<typeof input>>().toEqualTypeOf<{ id: string }>()
  expect(input.parse({ id: row.id })).toEqual({ id: row.id })
  expect(issuesOf(input, { id: row.id.toUpperCase() })).toHaveLength(1)
  expect(z.toJSONSchema(input)).toMatchObject({ properties: { id: { type: 'string' } } })
  expect(() => idSchema(customers.email)).toThrow('customers.email is not an id column')
})

test('an id that the database alone writes is read, and neither inserted nor updated', () => {
  const copies = pgTable('copies', {
    id: flaxId().primaryKey(),
    copy: flaxId.plain().notNull().generatedAlwaysAs(sql`id`),
  })
  const id = flax.generate()
  expect(createSelectSchema(copies, selectIds(copies)).parse({ id, copy: id })).toEqual({ id, copy: id })
  expect(createInsertSchema(copies, insertIds(copies)).parse({ id, copy: id })).toEqual({ id })
  expect(createUpdateSchema(copies, updateIds(copies)).parse({ copy: id })).toEqual({})
  expect([insertIds(copies), updateIds(copies)].map(Object.keys)).toEqual([['id'], ['id']])
})
