import 'reflect-metadata'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type FlaxId, flax, storageFor } from '@snoflax/core'
import { storedReader } from '@snoflax/core/adapter'
import { IdPipe } from '@snoflax/validators/nest'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { afterEach, describe, expect, test, vi } from 'vitest'

const ID = 'Kpcan0M1FakODT4k'
const SHORT = 'flax: an id has 16 characters, not 1 ("x")'

const bytes = storageFor(flax, 'sqlite', { storage: 'binary' })

/** What goes wrong in a handler by its own path. */
const HANDLERS: Record<string, (id: string) => unknown> = {
  parsed: (id) => ({ id: flax.parse(id) }),
  placed: (id) => bytes.toDatabase(id),
  stored: (id) => bytes.fromDatabase(id),
  unwritten: (id) => storedReader(bytes)(id),
  option: (id) => flax.generator({ [id]: 1 } as never),
  field: () => flax.lowerBound('2026' as never),
}

const PATHS = Object.keys(HANDLERS)

/** Runs the handler that a path such as /parsed/x names. */
const handle = (url: string): unknown => {
  const [, name, id] = url.split('/') as [string, string, string]
  return HANDLERS[name]?.(id)
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) await close()
})

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

class Orders {
  find(id: FlaxId) {
    return { id }
  }
  any(path: string, id: string) {
    return handle(`/${path}/${id}`)
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

async function nest(): Promise<string> {
  const app = await NestFactory.create(App, { logger: false })
  await app.listen(0, '127.0.0.1')
  closing.push(() => app.close())
  return app.getUrl()
}

/** Each framework without an error handler of its user. */
const SERVERS: Record<string, () => Promise<string>> = {
  Nest: nest,
  Fastify: async () => {
    const app = fastify()
    app.get('/*', async (request) => handle(request.url))
    closing.push(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  Express: () => {
    const app = express()
    app.get('/{*path}', (request, response) => {
      response.send(handle(request.url))
    })
    return listen(app)
  },
  Koa: () => {
    const app = new Koa()
    app.use((context) => {
      context.body = handle(context.url)
    })
    return listen(app.callback())
  },
}

describe.each(Object.keys(SERVERS))('%s', (name) => {
  const answers = async (paths: readonly string[]) => {
    // Frameworks log errors that are not the client's.
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const url = await (SERVERS[name] as () => Promise<string>)()
    return Promise.all(
      paths.map(async (path) => {
        const response = await fetch(`${url}/${path}`)
        return { status: response.status, text: await response.text() }
      }),
    )
  }

  test('answers 400 with our message to a malformed id', async () => {
    const [right, ...wrong] = await answers([`parsed/${ID}`, 'parsed/x', 'placed/x'])
    expect(right).toEqual({ status: 200, text: JSON.stringify({ id: ID }) })
    for (const { status, text } of wrong) {
      expect(status).toBe(400)
      expect(text.replaceAll('\\"', '"').replaceAll('&quot;', '"')).toContain(SHORT)
    }
  })

  test('answers 500 to errors that are not of the request', async () => {
    const paths = PATHS.slice(2)
    expect((await answers(paths.map((path) => `${path}/x`))).map(({ status }) => status)).toEqual(
      paths.map(() => 500),
    )
  })
})

test('the pipe of Nest answers with the code, too', async () => {
  const url = await nest()
  expect(await (await fetch(`${url}/orders/${ID}`)).json()).toEqual({ id: ID })
  const refused = await fetch(`${url}/orders/x`)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toEqual({
    statusCode: 400,
    error: 'Bad Request',
    message: SHORT,
    code: 'INVALID_LENGTH',
  })
})
