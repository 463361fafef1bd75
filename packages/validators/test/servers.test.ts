import 'reflect-metadata'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get, Module, NotFoundException, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type FlaxId, flax, storageFor } from '@snoflax/core'
import { type OnMismatch, storedReader } from '@snoflax/core/adapter'
import { IdPipe } from '@snoflax/validators/nest'
import { initTRPC, TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

// What frameworks answer without a validator and an error handler of the user's. docs/existing-keys.md has the table.

const ID = 'Kpcan0M1FakODT4k'
const SHORT = 'flax: an id has 16 characters, not 1 ("x")'

const text = storageFor(flax, 'sqlite')
const bytes = storageFor(flax, 'sqlite', { storage: 'binary' })
const rows = new Map([[ID, { id: ID }]])

/** As the columns of the ORM packages bind a condition. */
const find = (onMismatch: OnMismatch) => (id: string) =>
  rows.get(onMismatch === 'notFound' ? id : (text.toDatabase(id) as string))

/** What a handler does with the id, by its path: of the request's errors, then of others. */
const HANDLERS: Readonly<Record<string, (id: string) => unknown>> = {
  error: find('error'),
  notFound: find('notFound'),
  parsed: (id) => ({ id: flax.parse(id) }),
  placed: (id) => bytes.toDatabase(id),
  stored: (id) => bytes.fromDatabase(id),
  unwritten: (id) => storedReader(bytes)(id),
  option: (id) => flax.generator({ [id]: 1 } as never),
  field: () => flax.lowerBound('2026' as never),
}

/** Runs the handler that a path such as /parsed/x names; undefined if it found no row. */
const handle = (path: string): unknown => {
  const [, name, id] = path.split('/') as [string, string, string]
  return HANDLERS[name]?.(id)
}

const closing: (() => unknown)[] = []
beforeEach(() => {
  // Frameworks log errors that are not the client's.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) await close()
})

type Ask = (path: string) => Promise<{ readonly status: number; readonly text: string }>

const asking =
  (ask: (path: string) => Response | Promise<Response>): Ask =>
  async (path) => {
    const response = await ask(path)
    return { status: response.status, text: await response.text() }
  }

async function listen(listener: RequestListener): Promise<Ask> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const { port } = server.address() as AddressInfo
  return asking((path) => fetch(`http://127.0.0.1:${port}${path}`))
}

class Orders {
  find(id: FlaxId) {
    return { id }
  }
  any(path: string, id: string) {
    const found = handle(`/${path}/${id}`)
    if (found === undefined) throw new NotFoundException()
    return found
  }
}
Param('id', new IdPipe(flax))(Orders.prototype, 'find', 0)
Param('path')(Orders.prototype, 'any', 0)
Param('id')(Orders.prototype, 'any', 1)
const method = (name: 'find' | 'any') =>
  Object.getOwnPropertyDescriptor(Orders.prototype, name) as PropertyDescriptor
Get('orders/:id')(Orders.prototype, 'find', method('find'))
Get(':path/:id')(Orders.prototype, 'any', method('any'))
Controller()(Orders)
class App {}
Module({ controllers: [Orders] })(App)

const SERVERS = {
  async Nest() {
    const app = await NestFactory.create(App, { logger: false })
    await app.listen(0, '127.0.0.1')
    closing.push(() => app.close())
    const url = await app.getUrl()
    return asking((path) => fetch(url + path))
  },
  async Fastify() {
    const app = fastify()
    app.get('/*', async (request, reply) => handle(request.url) ?? reply.code(404).send({}))
    closing.push(() => app.close())
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return asking((path) => fetch(url + path))
  },
  Express() {
    const app = express()
    app.get('/{*path}', (request, response) => {
      const found = handle(request.url)
      response.status(found === undefined ? 404 : 200).send(found)
    })
    return listen(app)
  },
  Koa() {
    const app = new Koa()
    app.use((context) => {
      const found = handle(context.url)
      if (found !== undefined) context.body = found
    })
    return listen(app.callback())
  },
  async Hono() {
    const app = new Hono().get('/*', (context) => {
      const found = handle(context.req.path)
      return found === undefined ? context.notFound() : context.json(found)
    })
    return asking((path) => app.request(path))
  },
  async tRPC(): Promise<Ask> {
    const t = initTRPC.create()
    const procedure = t.procedure.input(String).query(({ input }) => {
      const found = handle(input)
      if (found === undefined) throw new TRPCError({ code: 'NOT_FOUND' })
      return found
    })
    const caller = t.router({ procedure }).createCaller({})
    return (path) =>
      caller.procedure(path).then(
        (found) => ({ status: 200, text: JSON.stringify(found) }),
        (error: TRPCError) => ({ status: getHTTPStatusCodeFromError(error), text: error.message }),
      )
  },
} satisfies Record<string, () => Promise<Ask>>

describe.each([
  ['Nest', 400],
  ['Fastify', 400],
  ['Express', 400],
  ['Koa', 400],
  ['Hono', 500],
  ['tRPC', 500],
] as const)('%s', (name, refused) => {
  test(`answers ${refused} to a malformed id, and 404 to an old one with notFound`, async () => {
    const ask = await SERVERS[name]()
    for (const path of ['parsed', 'error', 'notFound']) {
      expect(await ask(`/${path}/${ID}`)).toEqual({ status: 200, text: JSON.stringify({ id: ID }) })
    }
    for (const path of ['parsed', 'placed', 'error']) {
      const { status, text } = await ask(`/${path}/x`)
      expect(status).toBe(refused)
      if (refused === 400) expect(text.replaceAll(/\\"|&quot;/g, '"')).toContain(SHORT)
    }
    const old = ['/notFound/user-1', `/notFound/${flax.generate()}`, `/error/${flax.generate()}`]
    for (const path of old) expect((await ask(path)).status).toBe(404)
  })

  test('answers 500 to errors that are not of the request', async () => {
    const ask = await SERVERS[name]()
    for (const path of ['stored', 'unwritten', 'option', 'field']) {
      expect((await ask(`/${path}/x`)).status).toBe(500)
    }
  })
})

test('the pipe of Nest answers with the code, too', async () => {
  const ask = await SERVERS.Nest()
  expect(await ask(`/orders/${ID}`)).toEqual({ status: 200, text: JSON.stringify({ id: ID }) })
  const { status, text } = await ask('/orders/x')
  expect(status).toBe(400)
  expect(JSON.parse(text)).toEqual({
    statusCode: 400,
    error: 'Bad Request',
    message: SHORT,
    code: 'INVALID_LENGTH',
  })
})
