import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flax, prefixed } from '@snoflax/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onConnection, type StartedPostgres, urlTo } from '../databases/postgres-connection.js'
import { startPostgres } from '../databases/postgres-provider.js'
import { at } from '../workspace.js'
import { Projects } from './project.js'

const folder = mkdtempSync(join(tmpdir(), 'snoflax-starters-'))
let projects: Projects
let server: StartedPostgres

beforeAll(async () => {
  projects = new Projects(folder)
  server = await startPostgres()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Starter {
  readonly name: string
  /** The status of the answer to a malformed id. */
  readonly malformed: number
  readonly list: string
  /** Returns the order's id. */
  order(url: string, total: number): Promise<string>
  /** The ids of a page in its order, and where it leads. */
  page(text: string): { readonly ids: readonly string[]; readonly next: string | undefined }
}

const STARTERS: readonly Starter[] = [
  {
    name: 'starter-drizzle-next',
    malformed: 404,
    list: '/',
    async order(url, total) {
      // As a browser without JavaScript sends the form.
      const [, action] = /name="(\$ACTION_ID_\w+)"/.exec(await textOf(url)) ?? []
      const body = new FormData()
      for (const [name, value] of [
        [`${action}`, ''],
        ['customer', 'Ada'],
        ['total', `${total}`],
      ] as const)
        body.append(name, value)
      const { status, headers } = await fetch(url, { method: 'POST', body, redirect: 'manual' })
      expect(status).toBe(303)
      return /\/orders\/([^/]+)$/.exec(headers.get('location') ?? '')?.[1] as string
    },
    page(text) {
      const [main = ''] = /<main>.*<\/main>/s.exec(text) ?? []
      const ids = [...main.matchAll(/href="\/orders\/([^"]+)"/g)].map(([, id = '']) => id)
      return { ids, next: /href="(\/\?[^"]+)"/.exec(main)?.[1]?.replaceAll('&amp;', '&') }
    },
  },
  {
    name: 'starter-typeorm-nest',
    malformed: 400,
    list: '/orders',
    async order(url, total) {
      const post = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
        expect(answer.status).toBe(201)
        return ((await answer.json()) as { id: string }).id
      }
      return post('/orders', { customerId: await post('/customers', { name: 'Ada' }), total })
    },
    page(text) {
      const { orders, next } = JSON.parse(text)
      return { ids: orders.map(({ id }: { id: string }) => id), next: next && `/orders?after=${next}` }
    },
  },
]

const PAGE = 20

test.concurrent.each(STARTERS)('examples/$name', async ({ name, malformed, list, order, page }) => {
  const readme = readFileSync(at(`examples/${name}/README.md`), 'utf8')
  const [[copied, ...commands] = [], toPostgres = []] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    ([, block = '']) => block.trim().split('\n'),
  )
  expect(copied).toBe(`cp -r examples/${name} ../shop && cd ../shop`)
  cpSync(at(`examples/${name}`), projects.at(name, ''), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(projects.at(name, 'package.json'), 'utf8'))
  const ours = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@snoflax/'))
  const run = async (typed: readonly string[]) => {
    for (const command of typed)
      await projects.type(name, command === 'npm install' ? `npm install ${ours.join(' ')}` : command)
  }
  const start = (env = {}) => projects.serve(name, commands.at(-1) as string, env)
  const pageAt = async (url: string, path = list) => page(await textOf(url + path))
  await run(commands.slice(0, -1))

  const first = await start()
  const ids: string[] = []
  try {
    const { url } = first
    expect(await pageAt(url)).toEqual({ ids: [], next: undefined })
    for (let total = 0; total < PAGE + 5; total += 1) ids.unshift(await order(url, total))
    const { ids: newest, next } = await pageAt(url)
    expect(newest).toEqual(ids.slice(0, PAGE))
    expect(next).toContain(ids[PAGE - 1])
    expect(await pageAt(url, next)).toEqual({ ids: ids.slice(PAGE), next: undefined })

    const [id = '', ...others] = ids
    const dayOf = (one: string) => orderId.time(orderId.parse(one)).toISOString().slice(0, 10)
    const ofDay = ids.filter((one) => dayOf(one) === dayOf(id))
    expect((await pageAt(url, `${list}?day=${dayOf(id)}`)).ids).toEqual(ofDay.slice(0, PAGE))
    expect((await pageAt(url, `${list}?day=2026-01-01`)).ids).toEqual([])

    const shown = await textOf(`${url}/orders/${id}`)
    expect(shown).toContain(orderId.time(orderId.parse(id)).toISOString())
    const [customer] = /cus_[\w-]{16}/.exec(shown) ?? []
    for (const other of others) expect(shown).not.toContain(other)
    const statusOf = async (path: string) => (await fetch(url + path)).status
    expect(await statusOf(`/orders/${orderId.generate()}`)).toBe(404)
    for (const path of ['/orders/x', `/orders/${customer}`, `${list}?after=x`, `${list}?day=x`])
      expect([path, await statusOf(path)]).toEqual([path, malformed])
  } finally {
    await first.stop()
  }

  const second = await start()
  try {
    expect((await pageAt(second.url)).ids).toEqual(ids.slice(0, PAGE))
  } finally {
    await second.stop()
  }

  const [, file = ''] = /^In (\S+):$/m.exec(readme) ?? []
  const code = readFileSync(projects.at(name, file), 'utf8')
  writeFileSync(projects.at(name, file), changed(code, readme))
  await run([...toPostgres, 'npm run build'])
  const database = name.replaceAll('-', '_')
  await onConnection(server.url, (client) => client.query(`CREATE DATABASE ${database}`))
  const third = await start({ DATABASE_URL: urlTo(server.url, { database }) })
  try {
    expect((await pageAt(third.url)).ids).toEqual([])
    const id = await order(third.url, 1)
    expect((await pageAt(third.url)).ids).toEqual([id])
  } finally {
    await third.stop()
  }
})

/** The code after the change that a page shows. */
function changed(code: string, page: string): string {
  const [, diff = ''] = /^```diff\n([\s\S]*?)^```/m.exec(page) ?? []
  const without = (lines: string) => lines.replaceAll(/^[-+]/gm, '')
  let after = code
  for (const [, removed = '', added = ''] of diff.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)+)/gm)) {
    expect(after).toContain(without(removed))
    after = after.replace(without(removed), without(added))
  }
  expect(after).not.toBe(code)
  return after
}

const orderId = prefixed(flax, 'ord')

const textOf = async (url: string) => (await fetch(url)).text()
