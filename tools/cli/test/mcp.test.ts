import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { flax, prefixed } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'

const customer = prefixed(flax, 'cus')
const id = customer.generate()
let database: SqliteDatabase
const client = new Client({ name: 'test', version: '1.0.0' })

beforeAll(async () => {
  database = await sqlite.open()
  await database.query('CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT, api_key TEXT)')
  await database.query(`INSERT INTO customers VALUES ('${id}', 'Ada', 'sk_live_1')`)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL('../bin/snoflax.js', import.meta.url)), 'mcp', database.file],
    }),
  )
})

afterAll(async () => {
  await client.close()
  await database.close()
})

async function call(name: string, input: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: input })
  const [{ text }] = content as [{ text: string }]
  return { text, isError }
}

test('lists three tools that only read', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['find', true],
    ['inspect', true],
    ['range', true],
  ])
})

test('find: the row without its secrets, and similar ids of a damaged one', async () => {
  const { text, isError } = await call('find', { id })
  expect(isError).toBe(false)
  expect(JSON.parse(text)).toMatchObject({
    id,
    found: [{ table: 'customers', row: { id, name: 'Ada' }, hidden: ['api_key'] }],
  })
  expect(text).not.toContain('sk_live_1')
  expect(JSON.parse((await call('find', { id: id.slice(0, -1) })).text)).toMatchObject({
    found: [],
    near: [{ place: 'customers.id', id }],
  })
})

test('inspect and range', async () => {
  const inspected = await call('inspect', { id })
  expect(JSON.parse(inspected.text)).toHaveLength(1)
  expect(inspected.text).toContain(`"timeUtc": "${customer.time(id).toISOString()}"`)
  const { text } = await call('range', { family: 'flax', prefix: 'cus', from: '2026-11', column: 'c.id' })
  const { gte, lt } = customer.range(Date.UTC(2026, 10), Date.UTC(2026, 11))
  expect(text).toContain(`c.id >= '${gte}' AND c.id < '${lt}'`)
  expect((await call('range', { from: '-7d' })).isError).toBe(false)
})

test('what it refuses, without a word about the database', async () => {
  expect(await call('drop', {})).toEqual({ text: 'there is no tool drop', isError: true })
  expect(await call('find', {})).toEqual({ text: 'id is missing', isError: true })
  expect(await call('find', { id: 5 })).toEqual({ text: 'id must be a string', isError: true })
  expect(await call('find', { id, url: 'other.db' })).toEqual({
    text: 'there is no url; pass id',
    isError: true,
  })
  expect(await call('range', { from: 'someday' })).toMatchObject({ isError: true })
  // Neither is an option of the command.
  expect(JSON.parse((await call('find', { id: '--help' })).text)).toMatchObject({ found: [] })
  expect((await call('inspect', { id: '--family' })).text).not.toContain('Usage')
})
