import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import sqlite from '@prisma/orm-sqlite/runtime'
import { flax, prefixed, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { parametersOf, withIds } from '@snoflax/prisma-8/sqlite/runtime'
import { ksuid } from 'example-own-families/ksuid'
import { refusal, testOperations, type Untyped } from '../operations.ts'
import { Project } from '../project.ts'

const generators = { uid: uid.generator({ node: 'orders@10.0.0.7' }), uidLocal: uidLocal.generator() }
const customerId = prefixed(flax, 'cus')
const folder = mkdtempSync(join(tmpdir(), 'snoflax-prisma8-'))
const path = join(folder, 'shop.db')
const project = new Project(import.meta.dirname, path)
let db: Untyped
let parameter: ReturnType<typeof parametersOf>

before(async () => {
  project.clean()
  await project.succeeds('contract', 'emit')
  await project.succeeds('migration', 'plan', '--name', 'init')
  await project.succeeds('db', 'init')
  const { default: contractJson } = await import('./generated/contract.json', { with: { type: 'json' } })
  db = sqlite(withIds({ contractJson, path, generators, families: [ksuid] }))
  parameter = parametersOf({ contractJson, families: [ksuid] })
})
after(async () => {
  await db?.close()
  rmSync(folder, { recursive: true })
})

test('a database created from the contract has no drift', async () => {
  await project.succeeds('db', 'verify')
  assert.deepEqual((await project.succeeds('migration', 'plan', '--name', 'again'))['noOp'], true)
})

for (const model of [
  { name: 'FlaxTextRow', family: flax },
  { name: 'CustomerTextRow', family: customerId },
  { name: 'SnoTextRow', family: sno },
  { name: 'UidTextRow', family: uid },
  { name: 'LocalTextRow', family: uidLocal },
  { name: 'Uuid7TextRow', family: uuid7 },
  { name: 'UlidTextRow', family: prefixed(ulid, 'log') },
  { name: 'TypeidTextRow', family: typeid('user') },
  { name: 'KsuidRow', family: ksuid },
  { name: 'KsuidPrefixedRow', family: prefixed(ksuid, 'file') },
]) {
  testOperations(
    () => db,
    () => parameter,
    (client) => client,
    model,
  )
}

test('relations: nested create and connect, include', async () => {
  const { Customer, Order } = db.orm
  const ada = await Customer.create({
    name: 'Ada',
    orders: (order: Untyped) => order.create([{ total: 1 }, { total: 2 }]),
  })
  const connected = await Order.create({
    total: 3,
    customer: (customer: Untyped) => customer.connect({ id: ada.id }),
  })
  assert.equal(connected.customerId, ada.id)
  assert.equal(sno.meta(connected.id), 3)
  const [loaded] = await Customer.where({ id: ada.id })
    .include('orders', (orders: Untyped) => orders.orderBy((order: Untyped) => order.total.asc()))
    .all()
  assert.deepEqual(
    loaded.orders.map(({ customerId: owner, total }: Untyped) => ({ owner, total })),
    [1, 2, 3].map((total) => ({ owner: ada.id, total })),
  )
  await assert.rejects(async () => Order.create({ customerId: sno.generate() }), refusal('Order.customerId'))
})
