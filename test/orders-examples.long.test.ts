import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { run } from 'snoflax'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from './databases.js'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))
// Only a guard against hanging: a busy machine may take long.
const BUILD_MS = 300_000

/** Here and not with the rest of the repository, since the client has to be generated before. */
async function buildPrismaExample(): Promise<void> {
  // Generating needs no schema engine; the variable keeps Prisma from fetching one.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' }
  await promisify(execFile)('npm', ['run', 'build'], { cwd: `${EXAMPLES}orders-prisma`, env })
}

// Prisma 8 comes with a workspace and a Node of its own: scripts/prisma8.js asks for its program alone.
const PRISMA8 = '../packages/prisma-8/examples/orders'
const PROGRAMS = process.env['SNOFLAX_PRISMA8']
  ? [PRISMA8]
  : ['orders-typeorm', 'orders-drizzle', 'orders-kysely', 'orders-prisma']

async function buildPrisma8Example(env: NodeJS.ProcessEnv): Promise<void> {
  const cwd = `${EXAMPLES}${PRISMA8}`
  for (const args of [
    ['contract', 'emit'],
    ['migration', 'plan', '--name', 'init'],
    ['db', 'init'],
  ]) {
    const options = { cwd, env: { ...env, PRISMA_DISABLE_TELEMETRY: '1', CI: '1' } }
    await promisify(execFile)(process.execPath, ['node_modules/prisma/dist/prisma.js', ...args], options)
  }
  await promisify(execFile)(process.execPath, ['../../node_modules/typescript/bin/tsc', '-p', '.'], { cwd })
}

interface Order {
  readonly id: string
  readonly customer: { readonly id: string; readonly name: string }
  readonly item: string
  readonly cents: number
  readonly createdAt: string
}

// One program several times: what a user sees of it is the same, whichever ORM is behind it.
describe.each(PROGRAMS)('examples/%s', (example) => {
  if (example === 'orders-prisma') beforeAll(buildPrismaExample, BUILD_MS)
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-orders-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const env = {
    ...process.env,
    ORDERS_DB: join(folder, 'orders.db'),
    ORDERS_MIGRATIONS: join(folder, 'migrations'),
  }
  if (example === PRISMA8) beforeAll(() => buildPrisma8Example(env), BUILD_MS)

  let program: ChildProcess
  let seeded: number
  let url: string

  beforeAll(async () => {
    const main = example === PRISMA8 ? 'src/main.ts' : 'dist/main.js'
    program = spawn(process.execPath, [`${EXAMPLES}${example}/${main}`], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface(program.stdout as NodeJS.ReadableStream)) {
      if (line.endsWith(' orders')) seeded = Number.parseInt(line, 10)
      if (line.startsWith('http')) {
        url = line
        return
      }
    }
    throw new Error('the program ended before it said where it is')
  })
  afterAll(async () => {
    if (program.exitCode !== null || !program.kill()) return
    await once(program, 'exit')
  })

  const get = (path: string): Promise<Response> => fetch(new URL(path, url))

  async function pageAt(path: string): Promise<string> {
    const response = await get(path)
    expect(response.status).toBe(200)
    return response.text()
  }

  const orderIdsIn = (page: string): string[] =>
    [...page.matchAll(/href="\/orders\/([^"]+)"/g)].map(([, id]) => id as string)

  const headingsIn = (page: string): string[] =>
    [...page.matchAll(/<h2>(.*)<\/h2>/g)].map(([, day]) => day as string)

  const nextOf = (page: string): string | undefined =>
    /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')

  /** Every page from this one on, by its link to the next. */
  async function pagesFrom(path: string): Promise<string[]> {
    const pages: string[] = []
    for (let at: string | undefined = path; at !== undefined; at = nextOf(pages.at(-1) as string))
      pages.push(await pageAt(at))
    return pages
  }

  async function post(body: unknown): Promise<Response> {
    return fetch(new URL('/orders', url), { method: 'POST', body: JSON.stringify(body) })
  }

  /** All that the API lists, over its pages. */
  async function allOrders(): Promise<Order[]> {
    const orders: Order[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = (await (await get(`/orders?after=${after}`)).json()) as {
        orders: Order[]
        next?: string
      }
      orders.push(...page.orders)
      after = page.next
    }
    return orders
  }

  async function someOrder(): Promise<Order> {
    return (await allOrders())[0] as Order
  }

  const daysAgo = (days: number): string =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

  describe('the list', () => {
    test('contains all orders, newest first, each once', async () => {
      const pages = await pagesFrom('/')
      const ids = pages.flatMap(orderIdsIn)
      expect(seeded).toBeGreaterThan(500)
      expect(ids).toHaveLength(seeded)
      expect(ids).toEqual([...new Set(ids)].sort().reverse())
      expect(ids).toEqual((await allOrders()).map(({ id }) => id))
      expect(new Set(pages.flatMap(headingsIn)).size).toBeGreaterThanOrEqual(27)
    })

    test('of a day contains the orders of that day, over its pages', async () => {
      const day = daysAgo(5)
      expect(await pageAt('/')).toContain(`href="/?day=${day}"`)
      const pages = await pagesFrom(`/?day=${day}`)
      expect(pages.length).toBeGreaterThan(1)
      const ofDay = (await allOrders()).filter(({ createdAt }) => createdAt.startsWith(day))
      expect(pages.flatMap(orderIdsIn)).toEqual(ofDay.map(({ id }) => id))
      expect(new Set(pages.flatMap(headingsIn))).toEqual(new Set([day]))
    })

    test('of a customer contains the orders of that customer, over its pages', async () => {
      const { customer } = await someOrder()
      const pages = await pagesFrom(`/?customer=${customer.id}`)
      expect(pages.length).toBeGreaterThan(2)
      expect(pages[0]).toMatch(/<h1>.* of \S.*<\/h1>/)
      const theirs = (await allOrders()).filter((order) => order.customer.id === customer.id)
      expect(pages.flatMap(orderIdsIn)).toEqual(theirs.map(({ id }) => id))
    })

    test('remains right if an order is created between two pages', async () => {
      const first = await pageAt('/')
      const before = (await pagesFrom('/')).flatMap(orderIdsIn)
      const { customer } = await someOrder()
      await post({ customer: customer.id, item: 'Hand grinder', cents: 100 })
      const later = (await pagesFrom(nextOf(first) as string)).flatMap(orderIdsIn)
      expect([...orderIdsIn(first), ...later]).toEqual(before)
    })
  })

  describe('a new order', () => {
    test('has an id of now and comes first', async () => {
      const { customer } = await someOrder()
      const startMs = Date.now()
      const response = await post({ customer: customer.id, item: '<b>Beans & "more"</b>', cents: 1250 })
      expect(response.status).toBe(201)
      const order = (await response.json()) as Order
      // The id counts units of 4 ms.
      expect(new Date(order.createdAt).getTime()).toBeGreaterThan(startMs - 4)
      expect(new Date(order.createdAt).getTime()).toBeLessThanOrEqual(Date.now())

      expect(await (await get(response.headers.get('location') as string)).json()).toEqual(order)
      const page = await pageAt('/')
      expect(orderIdsIn(page)[0]).toBe(order.id)
      expect(page).toContain('&lt;b&gt;Beans &amp; &quot;more&quot;&lt;/b&gt;')
      expect(page).not.toContain('<b>')
      expect(page).toContain('Fish &amp; Chips &lt;Ltd&gt;')
    })

    test.each([
      ['a malformed customer', { customer: 'nobody', item: 'Beans', cents: 1 }, 400, /^flax: .*"nobody"/],
      ['no customer', { item: 'Beans', cents: 1 }, 400, /^flax: /],
      ['a stranger', { customer: 'Kpcan0M1FakODT4k', item: 'Beans', cents: 1 }, 404, /Kpcan0M1FakODT4k/],
      ['no item', { customer: 'Kpcan0M1FakODT4k', cents: 1 }, 400, /^item/],
      ['half a cent', { customer: 'Kpcan0M1FakODT4k', item: 'Beans', cents: 0.5 }, 400, /^cents/],
      ['null', null, 400, /^item/],
    ])('is refused with %s', async (_, body, status, message) => {
      const response = await post(body)
      expect(response.status).toBe(status)
      expect(await response.text()).toMatch(message)
    })
  })

  test.each([
    ['/orders/abc', 400, 'sno: an id has 16 characters, not 3 ("abc")'],
    ['/orders/BRPK4Q72XWF2M63L', 400, 'sno: '],
    ['/?after=abc', 400, 'sno: an id has 16 characters, not 3 ("abc")'],
    ['/?customer=Kpcan0M1FakODT4%C3%A9', 400, 'flax: '],
    ['/orders?after=%00', 400, 'sno: '],
    ['/?day=2026-02-30', 400, 'day: "2026-02-30" is no day'],
    ['/?day=2026-11', 400, 'day: "2026-11" is no day'],
    ['/?day=yesterday', 400, 'day: "yesterday" is no day'],
    ['/orders/brpk4q72xwf2m63l', 404, 'there is no order brpk4q72xwf2m63l'],
    ['/favicon.ico', 404, 'there is no GET /favicon.ico'],
  ])('%s is refused', async (path, status, message) => {
    const response = await get(path)
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(message)
  })
})

// Here, for the module that the generator wrote above.
test.skipIf(PROGRAMS.includes(PRISMA8))(
  'snoflax doctor --prisma reads the schema of examples/orders-prisma',
  async () => {
    const database = await sqlite.open()
    database.connection.exec(`CREATE TABLE "Customer" (id TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE "Order" (id TEXT COLLATE NOCASE PRIMARY KEY, item TEXT)`)
    const out: string[] = []
    const schema = `${EXAMPLES}orders-prisma/prisma/schema.prisma`
    const io = {
      stdin: process.stdin,
      stdout: { write: (text: string) => out.push(text) > 0 },
      stderr: process.stderr,
    }
    await run(['doctor', database.file, '--prisma', schema, '--json'], { ...io, env: {} })
    const { columns, findings } = JSON.parse(out.join(''))
    expect(columns).toMatchObject([
      { place: 'Customer.id', family: 'flax', storage: 'text', evidence: 'declared' },
      { place: 'Order.id', family: 'sno', storage: 'text', evidence: 'declared' },
    ])
    expect(findings).toMatchObject([
      { check: 'declaration', where: 'Order.customerId' },
      { check: 'collation', where: 'Order.id' },
    ])
    await database.close()
  },
)
