import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import postgres from '@prisma/orm-postgres/runtime'
import { flake, flax, IdError, prefixed, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'
import { parametersOf, withIds } from '@snoflax/prisma-8/runtime'
import { ksuid } from 'example-own-families/ksuid'
import { refusal, testOperations, type Untyped } from '../operations.ts'
import { Project } from '../project.ts'
import { freshDatabase } from './database.ts'

const generators = {
  flake: flake.withEpoch(1_577_836_800_000).generator({ datacenter: 1, worker: 2 }),
  uid: uid.generator({ node: 'orders@10.0.0.7' }),
  uidLocal: uidLocal.generator(),
  twitter: twitter.generator({ datacenter: 1, worker: 2 }),
  discord: discord.generator({ worker: 1, process: 2 }),
}
const families = [ksuid]

const customerId = prefixed(flax, 'cus')
const { url, query } = await freshDatabase()
const project = new Project(import.meta.dirname, url)
let contractJson: Untyped
let db: Untyped
let parameter: ReturnType<typeof parametersOf>

before(async () => {
  project.clean()
  await project.succeeds('contract', 'emit')
  await project.succeeds('migration', 'plan', '--name', 'init')
  await project.succeeds('db', 'init')
  await query('SELECT snoflax.sno_set_partition(9)')
  contractJson = (await import('./generated/contract.json', { with: { type: 'json' } })).default
  db = postgres(withIds({ contractJson, url, generators, families }))
  parameter = parametersOf({ contractJson, families })
})
after(() => db?.close())

test('a database created from the contract has no drift', async () => {
  await project.succeeds('db', 'verify')
  assert.deepEqual((await project.succeeds('migration', 'plan', '--name', 'again'))['noOp'], true)
  const again = await project.succeeds('db', 'init')
  assert.deepEqual(again['execution'] ?? { operationsExecuted: 0 }, {
    operationsPlanned: 0,
    operationsExecuted: 0,
  })
})

test('drift of an id column is found', async () => {
  await query('ALTER TABLE "FlaxTextRow" ALTER id TYPE text COLLATE "en-x-icu"')
  const { ok } = await project.prisma('db', 'verify')
  await query('ALTER TABLE "FlaxTextRow" ALTER id TYPE snoflax.id_text')
  assert.equal(ok, false)
  await project.succeeds('db', 'verify')
})

const ns = (client: Untyped) => client.public
for (const model of [
  { name: 'FlaxUuidRow', family: flax },
  { name: 'FlaxTextRow', family: flax },
  { name: 'CustomerTextRow', family: customerId },
  { name: 'SnoTextRow', family: sno },
  { name: 'Event', family: flake.withEpoch(1_577_836_800_000) },
  { name: 'UidUuidRow', family: uid },
  { name: 'UidTextRow', family: uid },
  { name: 'LocalBigintRow', family: uidLocal },
  { name: 'LocalTextRow', family: uidLocal },
  { name: 'Uuid7UuidRow', family: uuid7 },
  { name: 'MadeHereRow', family: flax },
  { name: 'MadeHereTextRow', family: flax },
  { name: 'MadeHereSnoRow', family: sno },
  { name: 'FlaxUuid8Row', family: flax },
  { name: 'SnoUuid8Row', family: prefixed(sno, 'ord') },
  { name: 'FlakeUuid8Row', family: flake.withEpoch(1_577_836_800_000) },
  { name: 'UidUuid8Row', family: uid },
  { name: 'LocalUuid8Row', family: uidLocal },
  { name: 'Uuid7TextRow', family: uuid7 },
  { name: 'UlidUuidRow', family: ulid },
  { name: 'UlidTextRow', family: prefixed(ulid, 'log') },
  { name: 'TypeidUuidRow', family: typeid('user') },
  { name: 'TypeidTextRow', family: typeid('user') },
  { name: 'TwitterRow', family: twitter },
  { name: 'DiscordRow', family: discord },
  { name: 'KsuidRow', family: ksuid },
  { name: 'KsuidPrefixedRow', family: prefixed(ksuid, 'file') },
  { name: 'MadeHereUuid8Row', family: flax },
  { name: 'MadeHereUlidRow', family: ulid },
  { name: 'MadeHerePrefixedRow', family: customerId },
]) {
  testOperations(
    () => db,
    () => parameter,
    ns,
    model,
  )
}

test('columns have the types that the README states', async () => {
  const types = await query(
    `SELECT attrelid::regclass::text || '.' || attname AS place, atttypid::regtype::text AS type FROM pg_attribute
      WHERE attrelid IN ('"FlaxUuidRow"'::regclass, '"FlaxTextRow"'::regclass, '"Event"'::regclass, 'orders'::regclass)
        AND attname IN ('id', 'customer_id') ORDER BY 1`,
  )
  assert.deepEqual(
    types.map(({ place, type }) => `${place} ${type}`),
    [
      '"Event".id bigint',
      '"FlaxTextRow".id snoflax.id_text',
      '"FlaxUuidRow".id uuid',
      'orders.customer_id uuid',
      'orders.id uuid',
    ],
  )
})

test('compact columns store ids without prefix, text columns with it, and sno ids have the metabyte', async () => {
  const { Customer, Order } = db.orm.public
  const customer = await Customer.create({ name: 'stored' })
  const order = await Order.create({ customerId: customer.id })
  const [stored] = await query(
    `SELECT id, snoflax.flax_encode(id) AS text FROM "Customer" WHERE name = 'stored'`,
  )
  assert.equal(`cus_${stored?.['text']}`, customer.id)
  const { id } = await db.orm.public.CustomerTextRow.create({ label: 'stored' })
  assert.deepEqual(await query(`SELECT id FROM "CustomerTextRow" WHERE label = 'stored'`), [{ id }])
  assert.equal(sno.meta(order.id), 3)
  const made = await db.orm.public.MadeHereSnoRow.create({ label: 'meta' })
  assert.equal(sno.meta(made.id), 5)
  const [row] = await query(`SELECT id FROM "MadeHereSnoRow" WHERE label = 'meta'`)
  assert.ok(row)
})

test('relations: nested create and connect, include, filters, counts', async () => {
  const { Customer, Order } = db.orm.public
  const ada = await Customer.create({
    name: 'Ada',
    orders: (order: Untyped) => order.create([{ total: 1 }, { total: 2 }]),
  })
  const connected = await Order.create({
    total: 3,
    customer: (customer: Untyped) => customer.connect({ id: ada.id }),
  })
  assert.equal(connected.customerId, ada.id)
  const [loaded] = await Customer.where({ id: ada.id })
    .include('orders', (orders: Untyped) => orders.orderBy((order: Untyped) => order.total.asc()))
    .all()
  assert.deepEqual(
    loaded.orders.map(({ customerId, total }: Untyped) => ({ customerId, total })),
    [1, 2, 3].map((total) => ({ customerId: ada.id, total })),
  )
  for (const { id } of loaded.orders) assert.ok(sno.is(id))
  const [order] = await Order.where({ id: connected.id }).include('customer').all()
  assert.equal(order.customer.id, ada.id)
  const having = await Customer.where((customer: Untyped) =>
    customer.orders.some((each: Untyped) => each.id.eq(connected.id)),
  ).all()
  assert.deepEqual(having, [{ id: ada.id, name: 'Ada', referrer: null }])
  const grouped = await Order.where({ customerId: ada.id })
    .groupBy('customerId')
    .aggregate((aggregate: Untyped) => ({ orders: aggregate.count() }))
  assert.deepEqual(grouped, [{ customerId: ada.id, orders: 3 }])
  await assert.rejects(
    async () => Order.create({ total: 3, customer: (customer: Untyped) => customer.connect({ id: 'nope' }) }),
    refusal('Customer.id'),
  )
  await assert.rejects(async () => Order.create({ customerId: sno.generate() }), refusal('Order.customerId'))
  await assert.rejects(
    async () => Order.where({ id: connected.id }).update({ customerId: 'x' }),
    refusal('Order.customerId'),
  )
})

test('nullable ids', async () => {
  const { Customer } = db.orm.public
  const bob = await Customer.create({ name: 'Bob' })
  assert.equal(bob.referrer, null)
  const eve = await Customer.create({ name: 'Eve', referrer: bob.id })
  assert.equal(eve.referrer, bob.id)
  assert.equal((await Customer.where({ id: eve.id }).update({ referrer: null })).referrer, null)
  assert.deepEqual(await Customer.where({ id: eve.id, referrer: null }).all(), [{ ...eve, referrer: null }])
})

test('transactions, one of them rolled back', async () => {
  const { Customer } = db.orm.public
  const id = customerId.generate()
  await db.transaction(async (tx: Untyped) => {
    await tx.orm.public.Customer.create({ id, name: 'in one' })
    assert.equal((await tx.orm.public.Customer.first({ id })).name, 'in one')
  })
  await assert.rejects(
    db.transaction(async (tx: Untyped) => {
      await tx.orm.public.Customer.where({ id }).delete()
      throw new Error('undone')
    }),
    /undone/,
  )
  assert.equal((await Customer.first({ id })).name, 'in one')
})

test('a join of tables with aliases', async () => {
  const { Customer, Order } = db.orm.public
  const customer = await Customer.create({ name: 'joined' })
  const order = await Order.create({ customerId: customer.id })
  const { orders, Customer: customers } = db.sql.public
  const plan = orders
    .as('o')
    .innerJoin(customers.as('c'), (fields: Untyped, fns: Untyped) =>
      fns.eq(fields.o.customer_id, fields.c.id),
    )
    .select((fields: Untyped) => ({ order: fields.o.id, customer: fields.c.id }))
    .where((fields: Untyped, fns: Untyped) => fns.eq(fields.o.id, order.id))
    .build()
  assert.deepEqual(await db.runtime().query(plan), [{ order: order.id, customer: customer.id }])
})

test('your own SQL uses codecs, which do not know a prefix', async () => {
  const customer = await db.orm.public.Customer.create({ name: 'raw' })
  const rows = await db
    .runtime()
    .query(
      db.raw
        .sql`SELECT id FROM "Customer" WHERE snoflax.flax_between(id, now() - interval '1 hour', 'infinity') AND name = ${'raw'}`
        .returnsRow({ id: 'snoflax/flax-uuid@1' })
        .build(),
    )
  assert.deepEqual(rows, [{ id: customerId.withoutPrefix(customer.id) }])
  const { id } = await db.orm.public.CustomerTextRow.create({ label: 'raw' })
  const texts = db.raw.sql`SELECT id FROM "CustomerTextRow" WHERE id = ${id}`.returnsRow({
    id: 'snoflax/flax-text@1',
  })
  assert.deepEqual(await db.runtime().query(texts.build()), [{ id }])
  await query(`UPDATE "CustomerTextRow" SET id = 'written by others' WHERE label = 'raw'`)
  assert.equal((await db.orm.public.CustomerTextRow.first({ label: 'raw' })).id, 'written by others')
})

test('a client without the extension is refused by Prisma', () => {
  assert.throws(() => postgres({ contractJson, url }), /snoflax/)
})

test('wrong options are refused when the client is created', () => {
  const refused = (options: Untyped, code: string, message: RegExp) =>
    assert.throws(
      () => withIds({ contractJson, url, families, ...options }),
      (error) => error instanceof IdError && error.code === code && message.test(error.message),
    )
  const { flake: _flake, ...others } = generators
  refused(
    { generators: others },
    'GENERATOR_REQUIRED',
    /^Event\.id: flake has no default generator; pass generators: \{ flake: /,
  )
  refused(
    { generators, families: [] },
    'INVALID_OPTION',
    /^Ksuid\w*\.id: the column stores ksuid ids, a family of your own; pass families: \[ksuid\]/,
  )
  refused({ generators, families: [ksuid, ksuid] }, 'INVALID_OPTION', /^families: ksuid is passed twice/)
  refused({ generators, families: [undefined] }, 'INVALID_OPTION', /^families: undefined must be an IdFamily/)
  refused(
    { generators: { ...generators, flake: flake.generator({ datacenter: 1, worker: 2 }) } },
    'INVALID_OPTION',
    /^Event\.id: /,
  )
  refused({ generators: { ...generators, flax: sno.generator() } }, 'INVALID_OPTION', /flax/)
  refused({ generators: { nope: flax.generator() } }, 'INVALID_OPTION', /no family nope/)
  refused({ contractJson: undefined }, 'INVALID_OPTION', /contractJson/)
  const altered = (alter: (contract: Untyped) => void) => {
    const contract = structuredClone(contractJson)
    alter(contract)
    return { contractJson: contract, generators }
  }
  const tables = (contract: Untyped) => contract.storage.namespaces.public.entries.table
  refused(
    altered((contract) =>
      Object.assign(tables(contract).orders.columns.customer_id, {
        codecId: 'pg/uuid@1',
        typeRef: undefined,
      }),
    ),
    'INVALID_OPTION',
    /^Order\.customerId: references Customer\.id/,
  )
  refused(
    altered((contract) =>
      Object.assign(tables(contract).orders.columns.customer_id, {
        codecId: 'snoflax/sno-uuid@1',
        typeRef: undefined,
      }),
    ),
    'INVALID_OPTION',
    /^Order\.customerId: stores sno ids, but references Customer\.id with cus ids/,
  )
  refused(
    altered((contract) => Object.assign(contract.storage.types.CustomerId.typeParams, { prefix: 'user' })),
    'INVALID_OPTION',
    /differ in prefix or epoch/,
  )
})
