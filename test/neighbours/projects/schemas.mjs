import assert from 'node:assert/strict'
import { flax } from '@snoflax/core'
import * as ours from '@snoflax/drizzle/sqlite-core'
import * as theirs from 'drizzle-orm/sqlite-core'
import { isBefore1, tablesOf } from './exercise.mjs'

const { customers, orders } = tablesOf('sqlite', theirs, ours)
const [library] = process.argv.slice(2)
/** Whether a library's schema accepts a value. */
const TAKES = {
  zod: async () => (schema, value) => schema.safeParse(value).success,
  valibot: async () => {
    const v = await import('valibot')
    return (schema, value) => v.safeParse(schema, value).success
  },
  arktype: async () => {
    const { type } = await import('arktype')
    return (schema, value) => !(schema(value) instanceof type.errors)
  },
  typebox: async () => {
    const { default: Value } = await import('typebox/value')
    return Value.Check
  },
  'typebox-legacy': async () => (await import('@sinclair/typebox/value')).Value.Check,
}
const before = { 'typebox-legacy': 'drizzle-typebox' }[library] ?? `drizzle-${library}`
const { createInsertSchema, createSelectSchema, createUpdateSchema } = await import(
  isBefore1 ? before : `drizzle-orm/${library}`
)
const { insertIds, selectIds, updateIds } = await import(`@snoflax/drizzle/${library}`)
const takes = await TAKES[library]()

const customer = { id: flax.generate(), n: 1 }
assert.ok(takes(createSelectSchema(customers), { ...customer, id: 'wrong' }))
assert.ok(takes(createSelectSchema(customers, selectIds(customers)), customer))
assert.ok(!takes(createSelectSchema(customers, selectIds(customers)), { ...customer, id: 'wrong' }))
const insert = createInsertSchema(orders, insertIds(orders))
assert.ok(takes(insert, { customerId: customer.id, n: 1 }))
assert.ok(takes(insert, { customerId: customer.id, n: 1, jobId: null }))
assert.ok(!takes(insert, { customerId: 'wrong', n: 1 }))
assert.ok(!takes(insert, { n: 1 }))
const update = createUpdateSchema(orders, updateIds(orders))
assert.ok(takes(update, {}))
assert.ok(!takes(update, { customerId: null }))
assert.ok(!takes(update, { jobId: 'x' }))
console.log('stored, found and refused an id')
