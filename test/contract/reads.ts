import type { IdRange } from '@snoflax/core'
import { expect } from 'vitest'
import type { Customer, Graph } from './schema.js'
import { type Assertions, expectMismatch, MALFORMED, type Scene } from './suite.js'

type Customers = readonly Customer[]

export const byId: Assertions<unknown, [id: string], Customer | undefined> = {
  'finds the row, ids equal to those written, null still null': async (run, { seed }) => {
    for (const customer of seed.customers) expect(await run(customer.id)).toEqual(customer)
  },
  'finds nothing for an id that is not there': async (run, { variant }) => {
    expect(await run(variant.generator.generate())).toBeUndefined()
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    expect(await expectMismatch(scene, run(MALFORMED))).toBeUndefined()
  },
}

export const byIds: Assertions<unknown, [ids: readonly string[]], Customers> = {
  'finds the rows of a list': async (run, { seed, variant }) => {
    const wanted = [seed.customers[5], seed.customers[1]] as Customer[]
    const ids = [...wanted.map(({ id }) => id), variant.generator.generate()]
    expectSame(await run(ids), wanted)
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    const { graph } = scene.seed
    const found = await expectMismatch(scene, run([graph.id, MALFORMED]))
    if (found) expectSame(found, [customerIn(graph)])
  },
}

export const byRange: Assertions<unknown, [range: Required<Omit<IdRange<string>, 'lte'>>], Customers> = {
  'finds the rows of a half-open range': async (run, { seed, variant }) => {
    const { customers } = seed
    const range = { gte: customers[2]?.id as string, lt: customers[5]?.id as string }
    const { compare } = variant.family
    const within = customers.filter(({ id }) => compare(id, range.gte) >= 0 && compare(id, range.lt) < 0)
    expect(within).toHaveLength(3)
    expectSame(await run(range), within)
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    await expectMismatch(scene, run({ gte: scene.seed.graph.id, lt: MALFORMED }))
  },
}

export const createdBetween: Assertions<unknown, [from: Date, to: Date], Customers> = {
  'finds the rows made between two moments': async (run, { seed, variant }) => {
    const { timeMs, exactRange } = variant.family
    const isWithin = ({ id }: Customer) => timeMs(id) >= seed.from.getTime() && timeMs(id) < seed.to.getTime()
    const made = seed.customers.filter(isWithin)
    expect(made.length).toBeGreaterThan(1)
    const found = await run(seed.from, seed.to)
    expectSame(exactRange ? found : found.filter(isWithin), made)
  },
  'finds all later ones where the end is after the last moment of the family, none where the beginning is':
    async (run, { seed, variant }) => {
      const ever = new Date(8.64e15)
      const { timeMs, lastMs } = variant.family
      const made = seed.customers.filter(({ id }) => timeMs(id) >= seed.from.getTime())
      const found = await run(seed.from, ever)
      // Other tests have left customers, too.
      const seeded = new Set(seed.customers.map(({ id }) => id))
      expectSame(
        found.filter(({ id }) => seeded.has(id) && timeMs(id) >= seed.from.getTime()),
        made,
      )
      expect(await run(new Date(lastMs + 1), ever)).toEqual([])
    },
}

export const byTrace: Assertions<unknown, [traceId: string | null], Customers> = {
  'finds by an id that is not the key': async (run, { seed }) => {
    const customer = seed.customers[1] as Customer
    expectSame(await run(customer.traceId), [customer])
  },
  'finds those without': async (run, { seed }) => {
    const emails = (await run(null)).map(({ email }) => email)
    const without = seed.customers.filter(({ traceId }) => traceId === null)
    expect(emails).toEqual(expect.arrayContaining(without.map(({ email }) => email)))
    expect(emails).not.toContain(seed.customers[1]?.email)
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    expect((await expectMismatch(scene, run(MALFORMED))) ?? []).toEqual([])
  },
}

export const byOrder: Assertions<unknown, [orderId: string], Customers> = {
  'finds by the id of a related row': async (run, { seed }) => {
    for (const order of seed.graph.orders) expectSame(await run(order.id), [customerIn(seed.graph)])
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    expect((await expectMismatch(scene, run(MALFORMED))) ?? []).toEqual([])
  },
}

export const graph: Assertions<unknown, [id: string], Graph | undefined> = {
  'loads the row with all that hangs on it': async (run, { seed }) => {
    expect(sorted(await run(seed.graph.id))).toEqual(sorted(seed.graph))
  },
  'loads a row on which nothing hangs': async (run, { seed }) => {
    const customer = seed.customers[0] as Customer
    expect(await run(customer.id)).toEqual({ ...customer, referrer: null, profile: null, orders: [] })
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    expect(await expectMismatch(scene, run(MALFORMED))).toBeUndefined()
  },
}

export const page: Assertions<unknown, [after: string | undefined, limit: number], Customers> = {
  'goes through the rows in the order of their ids': async (run, { seed, variant }) => {
    const inOrder = [...seed.customers].sort((a, b) => variant.family.compare(a.id, b.id))
    const first = await run(undefined, 3)
    expect(first).toEqual(inOrder.slice(0, 3))
    expect(await run(first[2]?.id, 4)).toEqual(inOrder.slice(3, 7))
  },
  'a malformed id finds nothing, or is refused': async (run, scene) => {
    // A page may check its cursor where conditions check nothing.
    const isChecked = await run(MALFORMED, 2).then(
      () => false,
      ({ name }: Error) => name === 'IdError',
    )
    if (!isChecked) await expectMismatch(scene, run(MALFORMED, 2))
  },
}

export const ends: Assertions<unknown, [], { readonly min: string; readonly max: string }> = {
  'finds the smallest and the largest id': async (run, scene) => {
    const ids = (await scene.stored.rows('SELECT id FROM orders')).map((row) => row['id'] as string)
    const { min, max } = await run()
    const sortedIds = ids.sort(storedOrder(scene))
    expect([min, max].map((id) => scene.stored.expected(id))).toEqual([sortedIds[0], sortedIds.at(-1)])
  },
}

export const counts: Assertions<unknown, [], ReadonlyMap<string, number>> = {
  'groups by an id': async (run, { seed }) => {
    expect((await run()).get(seed.graph.id)).toBe(seed.graph.orders.length)
  },
}

/** Stored values compare as text, except numbers. */
const storedOrder = ({ variant }: Scene<unknown>) =>
  variant.storage === 'bigint'
    ? (a: string, b: string) => Number(BigInt(a) - BigInt(b) > 0n) - Number(BigInt(a) - BigInt(b) < 0n)
    : (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The expected rows in any order, each once. */
function expectSame(found: Customers, wanted: Customers): void {
  const byEmail = (a: Customer, b: Customer) => (a.email < b.email ? -1 : 1)
  expect([...found].sort(byEmail)).toEqual([...wanted].sort(byEmail))
}

const customerIn = ({ id, email, name, traceId, referrerId }: Graph): Customer => ({
  id,
  email,
  name,
  traceId,
  referrerId,
})

/** Sorted lists, since ORMs promise no order. */
function sorted(one: Graph | undefined): Graph | undefined {
  return (
    one && {
      ...one,
      orders: [...one.orders]
        .sort((a, b) => a.total - b.total)
        .map((order) => ({
          ...order,
          lines: [...order.lines].sort((a, b) => a.position - b.position),
          tags: [...order.tags].sort((a, b) => (a.label < b.label ? -1 : 1)),
        })),
    }
  )
}
