import assert from 'node:assert/strict'
import { flax, sno } from '@snoflax/core'
import * as ours from '@snoflax/drizzle/sqlite-core'
import { createClient } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { buildSchema } from 'drizzle-graphql'
import { drizzle } from 'drizzle-orm/libsql'
import * as theirs from 'drizzle-orm/sqlite-core'
import { graphql } from 'graphql'
import { relatedOf, statementsOf, tablesOf } from './exercise.mjs'

const tables = tablesOf('sqlite', theirs, ours)
const db = drizzle({ client: createClient({ url: ':memory:' }), ...relatedOf(tables) })
for (const statement of statementsOf(tables)) await db.run(sql.raw(statement))
const { schema } = buildSchema(db)
const ask = async (source, variableValues) => {
  const { data, errors } = await graphql({ schema, source, variableValues })
  assert.equal(errors, undefined)
  return JSON.parse(JSON.stringify(data))
}
const { insertIntoCustomersSingle: ada } = await ask('mutation { insertIntoCustomersSingle(values: { n: 1 }) { id } }')
assert.ok(flax.is(ada.id))
const { insertIntoOrders: [order] } = await ask(
  'mutation ($id: String!) { insertIntoOrders(values: [{ customerId: $id, n: 2 }]) { id customerId } }',
  ada,
)
assert.ok(sno.is(order.id))
const found = 'query ($id: String!) { customers(where: { id: { eq: $id } }) { id orders { id customer { id } } } }'
assert.deepEqual(await ask(found, ada), {
  customers: [{ id: ada.id, orders: [{ id: order.id, customer: ada }] }],
})
const { errors } = await graphql({ schema, source: found, variableValues: { id: 'wrong' } })
assert.match(errors[0].message, /an id has 16 characters/)
console.log('stored, found and refused an id')
