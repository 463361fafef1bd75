import 'reflect-metadata'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Controller, Get, Module, UnauthorizedException } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const PAGE = readFileSync(new URL('../../../docs/frameworks.md', import.meta.url), 'utf8')

/** The page's blocks of code, by the heading above them. */
const blocks = new Map(
  PAGE.split(/^#+ /m).flatMap((section) => {
    const [, code] = /^```ts\n([\s\S]*?)^```/m.exec(section) ?? []
    return code === undefined ? [] : [[section.split('\n')[0] as string, code] as const]
  }),
)
const IDS = blocks.get('In Express, Fastify, Hono, Nest and Next') as string
const FOUND = 'const findCustomer = async (id: CustomerId) => ({ id, createdAt: customerId.time(id) })'
const EXPORTS: Readonly<Record<string, string>> = {
  Express: 'app',
  Fastify: 'app',
  Hono: 'app',
  Nest: 'CustomersController',
  'Bodies and forms': 'newOrder',
}

/** What an application has besides: a body in JSON, and a route that asks who you are. */
const BESIDES: Readonly<Record<string, string>> = {
  Express: `app.use(express.json())
app.get('/private', (_request, _response, next) => next(Object.assign(new Error('who?'), { status: 401 })))`,
  Fastify: `app.post('/customers', async () => 'stored')
app.get('/private', async () => { throw Object.assign(new Error('who?'), { statusCode: 401 }) })`,
  Hono: `import { basicAuth } from 'hono/basic-auth'
app.post('/customers', sValidator('json', ids({ id: customerId })))
app.use('/private', basicAuth({ username: 'ada', password: 'secret' }))`,
}

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  skipLibCheck: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
}

// Below this folder, so that bare imports lead where they do for users.
const folder = mkdtempSync(fileURLToPath(new URL('.frameworks-', import.meta.url)))
afterAll(() => rmSync(folder, { recursive: true }))

function programOf(heading: string): string {
  const code = heading === 'In Express, Fastify, Hono, Nest and Next' ? '' : (blocks.get(heading) as string)
  const exported = EXPORTS[heading] === undefined ? '' : `export { ${EXPORTS[heading]} }`
  return [IDS, FOUND, code.replace("import { IdError } from '@snoflax/core'\n", ''), exported]
    .join('\n')
    .replace('import { flax,', 'import { flax, IdError,')
}

beforeAll(() => {
  for (const heading of blocks.keys()) {
    const code = programOf(heading)
    const compilerOptions = { ...OPTIONS, noEmit: false, module: ts.ModuleKind.ESNext }
    writeFileSync(join(folder, `${heading}.ts`), code)
    const { outputText } = ts.transpileModule(code, { compilerOptions })
    const whole = outputText.replace(/^const app = .*$/m, (line) => `${line}\n${BESIDES[heading]}`)
    writeFileSync(join(folder, `${heading}.js`), whole)
  }
})

const load = (heading: string) => import(join(folder, `${heading}.js`))

test('the code compiles, for users of the built package', () => {
  const program = ts.createProgram(
    [...blocks.keys()].map((heading) => join(folder, `${heading}.ts`)),
    OPTIONS,
  )
  const messages = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file }) => [file?.fileName, messageText])
  expect(messages).toEqual([])
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

const ASK: Record<string, () => Promise<Ask>> = {
  Express: async () => {
    const url = await listen((await load('Express')).app)
    return (path, init) => fetch(url + path, init)
  },
  Fastify: async () => {
    const { app } = await load('Fastify')
    closing.push(() => app.close())
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return (path, init) => fetch(url + path, init)
  },
  Hono: async () => {
    const { app } = await load('Hono')
    return async (path, init) => app.request(path, init)
  },
  Nest: async () => {
    class Private {
      find() {
        throw new UnauthorizedException()
      }
    }
    Controller('private')(Private)
    Get()(Private.prototype, 'find', Object.getOwnPropertyDescriptor(Private.prototype, 'find') ?? {})
    class App {}
    Module({ controllers: [(await load('Nest')).CustomersController, Private] })(App)
    const app = await NestFactory.create(App, { logger: false })
    closing.push(() => app.close())
    await app.listen(0, '127.0.0.1')
    const url = await app.getUrl()
    return (path, init) => fetch(url + path, init)
  },
  Next: async () => {
    const { GET } = await load('Next')
    return (path) =>
      GET(new Request(`http://localhost${path}`), { params: Promise.resolve({ id: path.split('/').at(-1) }) })
  },
}

const ID = 'cus_Kpcan0M1FakODT4k'

test.each(Object.keys(ASK))(
  '%s answers an id with its row, others as the page says, and the rest with its own status',
  async (name) => {
    const ask = await (ASK[name] as () => Promise<Ask>)()
    // Where the page shows a second way, it has a path of its own.
    const paths = blocks.get(name)?.includes('/people') ? ['/customers/', '/people/'] : ['/customers/']
    for (const path of paths) {
      expect(await (await ask(path + ID)).json()).toMatchObject({ id: ID, createdAt: expect.any(String) })
      for (const wrong of ['x', ID.replace('cus', 'ord')]) {
        const refused = await ask(path + wrong)
        expect(refused.status).toBe(name === 'Next' ? 404 : 400)
        expect(await refused.text()).toContain(name === 'Next' ? 'no such customer' : 'an id must begin with')
      }
    }
    // Next answers these before a route handler runs.
    if (name === 'Next') return
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }
    expect((await ask('/customers', broken)).status, 'broken JSON').toBe(400)
    expect((await ask('/private')).status, 'no authorization').toBe(401)
    expect((await ask('/nowhere')).status, 'an unknown route').toBe(404)
  },
)

test('zod refuses the id of another kind', async () => {
  const { newOrder } = await load('Bodies and forms')
  expect(newOrder.safeParse({ customerId: ID, total: 3 }).success).toBe(true)
  expect(newOrder.safeParse({ customerId: ID.replace('cus', 'ord'), total: 3 }).success).toBe(false)
})
