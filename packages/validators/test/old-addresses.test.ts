import 'reflect-metadata'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get, Module, NotFoundException, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { flax, storageFor } from '@snoflax/core'
import { conditionValue, type OnMismatch } from '@snoflax/core/adapter'
import { initTRPC, TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterEach, expect, test, vi } from 'vitest'

// What an application answers for an address whose id is none, without a validator and an error handler of its own: its
// handler looks the row up, and answers 404 if there is none. docs/existing-keys.md has the table.

const ID = 'Kpcan0M1FakODT4k'
const OLD = 'user-1'
const rows = new Map([[ID, { id: ID }]])
const text = storageFor(flax, 'sqlite')

/** As the columns of the ORM packages bind a condition. */
const find = (onMismatch: OnMismatch, id: string) => rows.get(conditionValue(text, onMismatch, id) as string)

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) await close()
})

async function statusAt(listener: RequestListener, id: string): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const { port } = server.address() as AddressInfo
  return (await fetch(`http://127.0.0.1:${port}/users/${id}`)).status
}

const ANSWERS: Readonly<Record<string, (mode: OnMismatch, id: string) => Promise<number>>> = {
  async Express(mode, id) {
    const app = express()
    app.get('/users/:id', async (request, response) => {
      const row = find(mode, request.params.id)
      response.status(row ? 200 : 404).json(row ?? {})
    })
    return statusAt(app, id)
  },
  async Fastify(mode, id) {
    const app = fastify()
    app.get<{ Params: { id: string } }>('/users/:id', async (request, reply) => {
      return find(mode, request.params.id) ?? reply.code(404).send({})
    })
    return (await app.inject(`/users/${id}`)).statusCode
  },
  async Koa(mode, id) {
    const app = new Koa()
    app.use((context) => {
      const row = find(mode, context.path.slice('/users/'.length))
      if (row) context.body = row
    })
    return statusAt(app.callback(), id)
  },
  async Nest(mode, id) {
    class Users {
      one(id: string) {
        const row = find(mode, id)
        if (row === undefined) throw new NotFoundException()
        return row
      }
    }
    Param('id')(Users.prototype, 'one', 0)
    Get('users/:id')(
      Users.prototype,
      'one',
      Object.getOwnPropertyDescriptor(Users.prototype, 'one') as PropertyDescriptor,
    )
    Controller()(Users)
    class App {}
    Module({ controllers: [Users] })(App)
    const app = await NestFactory.create(App, { logger: false })
    closing.push(() => app.close())
    await app.listen(0, '127.0.0.1')
    return (await fetch(`${await app.getUrl()}/users/${id}`)).status
  },
  async Hono(mode, id) {
    const app = new Hono().get('/users/:id', (context) => {
      const row = find(mode, context.req.param('id'))
      return row ? context.json(row) : context.notFound()
    })
    return (await app.request(`/users/${id}`)).status
  },
  async tRPC(mode, id) {
    const t = initTRPC.create()
    const router = t.router({
      user: t.procedure.input(String).query(({ input }) => {
        const row = find(mode, input)
        if (row === undefined) throw new TRPCError({ code: 'NOT_FOUND' })
        return row
      }),
    })
    return router
      .createCaller({})
      .user(id)
      .then(
        () => 200,
        (error: TRPCError) => getHTTPStatusCodeFromError(error),
      )
  },
}

test.each([
  ['Express', 400],
  ['Fastify', 400],
  ['Koa', 400],
  ['Nest', 400],
  ['Hono', 500],
  ['tRPC', 500],
] as const)('%s answers 404 for an old address with notFound, and %i with error', async (name, refused) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const statusOf = ANSWERS[name] as (typeof ANSWERS)[string]
  for (const mode of ['error', 'notFound'] as const) {
    expect(await statusOf(mode, ID)).toBe(200)
    expect(await statusOf(mode, flax.generate())).toBe(404)
    expect(await statusOf(mode, OLD)).toBe(mode === 'error' ? refused : 404)
  }
})
