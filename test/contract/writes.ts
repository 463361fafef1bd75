import { expect } from 'vitest'
import type { Written } from './adapter.js'
import { freshCustomer, freshGraph } from './fresh.js'
import type { NewCustomer, NewGraph } from './schema.js'
import { type Assertions, expectMismatch, expectRefusal, MALFORMED, type Scene } from './suite.js'

/** A clock that is a little ahead or behind, or a unit of some milliseconds, must not fail a test. */
const SLACK_MS = 5_000

export const inserts: Assertions<unknown, [rows: readonly NewCustomer[]], Written> = {
  'an id is made for each row, of its time, and is the one that lies there': async (run, scene) => {
    const rows = [freshCustomer(), freshCustomer(), freshCustomer()]
    const since = Date.now()
    await expectInserted(scene, rows, await run(rows), since)
  },
  'an id that was supplied is kept': async (run, scene) => {
    const rows = [1, 2, 3].map(() => freshCustomer({ id: scene.variant.generator.generate() }))
    await expectInserted(scene, rows, await run(rows))
  },
  'an id that is no key is stored as given, and null stays null': async (run, scene) => {
    const traceId = scene.variant.generator.generate()
    const rows = [freshCustomer({ traceId }), freshCustomer({ traceId: null }), freshCustomer()]
    await run(rows)
    const found = await Promise.all(rows.map((row) => customerOf(scene, row)))
    expect(found.map((row) => row['trace_id'])).toEqual([scene.stored.expected(traceId), null, null])
  },
  'a foreign key has the form of its target': async (run, scene) => {
    const referrer = scene.seed.customers[1]?.id as string
    const row = freshCustomer({ referrerId: referrer })
    await run([row])
    expect((await customerOf(scene, row))['referrer_id']).toBe(scene.stored.expected(referrer))
  },
  'a malformed id is an error, and no row': async (run, scene) => {
    for (const wrong of [{ id: MALFORMED }, { traceId: MALFORMED }, { referrerId: MALFORMED }]) {
      const before = await scene.stored.count('customers')
      await expectRefusal(run([freshCustomer(wrong)]))
      expect(await scene.stored.count('customers')).toBe(before)
    }
  },
  'the objects that were given keep what they had': async (run) => {
    const row = freshCustomer()
    const before = { ...row }
    await run([row])
    expect(row).toMatchObject(before)
  },
  'takes objects that can not be written into': async (run, scene) => {
    const row = Object.freeze(freshCustomer())
    await expectInserted(scene, [row], await run([row]))
  },
}

export const upserts: Assertions<unknown, [row: NewCustomer], string> = {
  'inserts with a new id where nothing is in the way': async (run, scene) => {
    const row = freshCustomer()
    await expectInserted(scene, [row], [await run(row)])
  },
  'keeps an id that was supplied': async (run, scene) => {
    const row = freshCustomer({ id: scene.variant.generator.generate() })
    await expectInserted(scene, [row], [await run(row)])
  },
  'answers the id that lies there after a conflict, and makes no second row': async (run, scene) => {
    const row = freshCustomer()
    const first = await run(row)
    const count = await scene.stored.count('customers')
    expect(await run({ ...row, name: 'Changed' })).toBe(first)
    expect(await scene.stored.count('customers')).toBe(count)
    const found = await customerOf(scene, row)
    expect(found).toMatchObject({ id: scene.stored.expected(first), name: 'Changed' })
  },
  'refuses a malformed id': async (run) => {
    await expectRefusal(run(freshCustomer({ traceId: MALFORMED })))
  },
}

export const graphs: Assertions<unknown, [graph: NewGraph], string> = {
  'every row has an id, and every foreign key its target': async (run, scene) => {
    const graph = freshGraph({ referrerId: scene.seed.customers[0]?.id as string })
    await expectGraph(scene, graph, await run(graph))
  },
  'refuses a malformed id': async (run) => {
    await expectRefusal(run(freshGraph({ traceId: MALFORMED })))
  },
}

export const updates: Assertions<unknown, [id: string, change: Partial<Omit<NewCustomer, 'id'>>], void> = {
  'changes the row, ids that are no keys and foreign keys too': async (run, scene) => {
    const { id, email } = await planted(scene)
    const traceId = scene.variant.generator.generate()
    const referrerId = scene.seed.customers[4]?.id as string
    await run(id, { name: 'Changed', traceId, referrerId })
    const expected = (one: string) => scene.stored.expected(one)
    expect(await customerOf(scene, { email })).toMatchObject({
      id: expected(id),
      name: 'Changed',
      trace_id: expected(traceId),
      referrer_id: expected(referrerId),
    })
    await run(id, { traceId: null, referrerId: null })
    expect(await customerOf(scene, { email })).toMatchObject({ trace_id: null, referrer_id: null })
  },
  'changes no other row': async (run, scene) => {
    const { id } = await planted(scene)
    const other = await planted(scene)
    await run(id, { name: 'Only this' })
    expect((await customerOf(scene, other))['name']).toBe(other.name)
  },
  'refuses a malformed id': async (run, scene) => {
    const { id } = await planted(scene)
    await expectRefusal(run(id, { traceId: MALFORMED }))
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    const count = async () =>
      (await scene.stored.rows("SELECT id FROM customers WHERE name = 'Nowhere'")).length
    await expectMismatch(scene, run(MALFORMED, { name: 'Nowhere' }))
    expect(await count()).toBe(0)
  },
}

export const deletes: Assertions<unknown, [ids: readonly string[]], void> = {
  'removes the rows, and no other': async (run, scene) => {
    const [one, two, three] = [await planted(scene), await planted(scene), await planted(scene)]
    await run([one.id, three.id])
    const found = await Promise.all([one, two, three].map(({ email }) => byEmail(scene, email)))
    expect(found.map((rows) => rows.length)).toEqual([0, 1, 0])
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    await expectMismatch(scene, run([MALFORMED]))
  },
}

export const links: Assertions<unknown, [orderId: string, tagId: string], void> = {
  'ties the two rows': async (run, scene) => {
    const { order, tag } = await looseEnds(scene)
    await run(order, tag)
    expect(await tied(scene, order, tag)).toBe(1)
  },
  'refuses a malformed id': async (run, scene) => {
    const { order } = await looseEnds(scene)
    await expectRefusal(run(order, MALFORMED))
  },
}

export const unlinks: Assertions<unknown, [orderId: string, tagId: string], void> = {
  'unties the two rows': async (run, scene) => {
    const { order, tag } = await looseEnds(scene)
    const { table, order: orderColumn, tag: tagColumn } = scene.junction
    const { storage } = scene.stored
    const row = { [orderColumn]: storage.toDatabase(order), [tagColumn]: storage.toDatabase(tag) }
    await scene.stored.insert(table, row)
    await run(order, tag)
    expect(await tied(scene, order, tag)).toBe(0)
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    const { order } = await looseEnds(scene)
    await expectMismatch(scene, run(order, MALFORMED))
  },
}

export const around: Assertions<unknown, [row: NewCustomer], unknown> = {
  'fails, and leaves no row': async (run, scene) => {
    const row = freshCustomer()
    await expect(run(row)).rejects.toThrow()
    expect(await byEmail(scene, row.email)).toEqual([])
  },
}

async function expectInserted(
  scene: Scene<unknown>,
  rows: readonly NewCustomer[],
  written: Written,
  sinceMs?: number,
): Promise<void> {
  const found = await Promise.all(rows.map((row) => customerOf(scene, row)))
  const ids = found.map((row) => readBack(scene, row['id']))
  expect(new Set(ids).size).toBe(rows.length)
  rows.forEach((row, i) => {
    expect(found[i]).toMatchObject({ email: row.email, name: row.name })
    if (row.id !== undefined) expect(found[i]?.['id']).toBe(scene.stored.expected(row.id))
  })
  if (written !== undefined) expect(written).toEqual(ids)
  if (sinceMs === undefined) return
  for (const id of ids) {
    const made = scene.variant.family.timeMs(id)
    expect(made).toBeGreaterThan(sinceMs - SLACK_MS)
    expect(made).toBeLessThan(Date.now() + SLACK_MS)
  }
}

async function expectGraph(scene: Scene<unknown>, graph: NewGraph, written: string): Promise<void> {
  const { stored, junction } = scene
  const customer = await customerOf(scene, graph)
  const key = customer['id'] as string
  expect(readBack(scene, key)).toBe(written)
  const keyed = stored.storage.toDatabase(written)
  const profiles = await stored.rows('SELECT * FROM profiles WHERE customer_id = ?', [keyed])
  expect(profiles).toEqual([{ id: profiles[0]?.['id'], bio: graph.profile.bio, customer_id: key }])
  const orders = await stored.rows('SELECT * FROM orders WHERE customer_id = ? ORDER BY total', [keyed])
  expect(orders.map((row) => Number(row['total']))).toEqual(graph.orders.map((order) => order.total))
  for (const [i, order] of graph.orders.entries()) {
    const id = stored.storage.toDatabase(readBack(scene, orders[i]?.['id']))
    const lines = await stored.rows('SELECT * FROM order_lines WHERE order_id = ? ORDER BY position', [id])
    expect(lines.map((row) => Number(row['quantity']))).toEqual(order.lines.map((line) => line.quantity))
    const { table, order: orderColumn, tag } = junction
    const sql = `SELECT t.id, t.label FROM tags t JOIN ${table} j ON j.${tag} = t.id WHERE j.${orderColumn} = ?`
    const tags = await stored.rows(sql, [id])
    for (const one of tags) readBack(scene, one['id'])
    expect(tags.map((one) => one['label']).sort()).toEqual(order.tags.map((one) => one.label).sort())
  }
}

/** The id of a stored value; fails if the value doesn't have the storage's form. */
function readBack({ stored, variant }: Scene<unknown>, value: string | null | undefined): string {
  expect(value, 'a stored id').toBeTypeOf('string')
  const isHex = variant.storage === 'binary'
  const id = stored.storage.fromDatabase(isHex ? Buffer.from(value as string, 'hex') : (value as string))
  expect(stored.expected(id)).toBe(value)
  return id
}

async function customerOf(scene: Scene<unknown>, { email }: { readonly email: string }) {
  const rows = await byEmail(scene, email)
  expect(rows, `rows of ${email}`).toHaveLength(1)
  return rows[0] as Record<string, string | null>
}

const byEmail = ({ stored }: Scene<unknown>, email: string) =>
  stored.rows('SELECT * FROM customers WHERE email = ?', [email])

/** A customer inserted by plain SQL. */
async function planted(scene: Scene<unknown>): Promise<{ id: string; email: string; name: string }> {
  const { email, name } = freshCustomer()
  const id = scene.variant.generator.generate()
  await scene.stored.insert('customers', { id: scene.stored.storage.toDatabase(id), email, name })
  return { id, email, name }
}

/** An order and a tag that are not connected yet. */
async function looseEnds(scene: Scene<unknown>): Promise<{ order: string; tag: string }> {
  const { storage } = scene.stored
  const [order, tag] = scene.variant.generator.batch(2) as [string, string]
  const customer = await planted(scene)
  const customer_id = storage.toDatabase(customer.id)
  await scene.stored.insert('orders', { id: storage.toDatabase(order), total: 1, customer_id })
  await scene.stored.insert('tags', { id: storage.toDatabase(tag), label: `loose ${customer.email}` })
  return { order, tag }
}

async function tied({ stored, junction }: Scene<unknown>, order: string, tag: string): Promise<number> {
  const sql = `SELECT * FROM ${junction.table} WHERE ${junction.order} = ? AND ${junction.tag} = ?`
  const rows = await stored.rows(sql, [stored.storage.toDatabase(order), stored.storage.toDatabase(tag)])
  return rows.length
}
