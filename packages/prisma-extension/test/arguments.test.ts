import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ArgumentPath, argumentPaths, type Dmmf } from './shop/argument-paths.js'
import { openShop, type Shop } from './shop/open.js'

const MALFORMED = 'no such id!'

let shop: Shop
let paths: ArgumentPath[]
beforeAll(async () => {
  shop = await openShop({ database: 'postgresql' })
  const dmmf = JSON.parse(readFileSync(join(shop.folder, 'dmmf/dmmf.json'), 'utf8')) as Dmmf
  paths = argumentPaths(dmmf, shop.generated.configuration)
})
afterAll(() => shop?.close())

/** A call with the value at the end of the path: what comes back is the error, if there was one. */
async function call({ model, operation, keys }: ArgumentPath, value: unknown): Promise<unknown> {
  const args = keys.reduceRight<unknown>((inner, key) => (key === '[]' ? [inner] : { [key]: inner }), value)
  // Whatever the extension lets through ends here, so that no database sees it.
  const reached = new Error('went through')
  const probe = shop.prisma.$extends({
    query: { $allModels: { $allOperations: () => Promise.reject(reached) } },
  })
  return probe[model][operation](args).then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('every argument that can contain an id', () => {
  test('is listed: thousands of them, through every relation', () => {
    expect(paths.length).toBeGreaterThan(3000)
    const shown = new Set(
      paths.map(({ model, operation, keys }) => `${model}.${operation}: ${keys.join('.')}`),
    )
    const expected = [
      'order.aggregate: where.id.in.[]',
      'order.findMany: cursor.id',
      'order.groupBy: having.id._max.gte',
      'order.update: data.tags.deleteMany.AND.id',
      'orderLine.findMany: select.shipments.where.line.is.orderId',
      'customer.findMany: select._count.select.orders.where.id',
      'customer.findMany: select.groups.cursor.member.customerId',
      'customer.createMany: data.mentions.set.[]',
      'customer.create: data.orders.connectOrCreate.where.customerId',
      'customer.update: data.friends.upsert.create.traceId',
    ]
    expect(expected.filter((path) => !shown.has(path))).toEqual([])
  })

  test('has known operators, also those of other kinds of columns', async () => {
    const { schema } = JSON.parse(readFileSync(join(shop.folder, 'dmmf/dmmf.json'), 'utf8')) as Dmmf
    const filters = schema.inputObjectTypes.prisma.filter(({ name }) =>
      /^(?:Nested)?(?:String|Bytes|BigInt|Uuid).*(?:Filter|OperationsInput)$|mentionsInput$/.test(name),
    )
    const operators = new Set(filters.flatMap(({ fields }) => fields.map(({ name }) => name)))
    expect(operators.size).toBeGreaterThan(15)
    for (const operator of operators) {
      const path = {
        model: 'order',
        operation: 'findMany',
        keys: ['where', 'id', operator],
        column: 'Order.id',
      }
      expect(String(await call(path, null))).not.toContain('is unknown to')
    }
  })

  test('is checked, and the error names the argument', async () => {
    const missed: string[] = []
    for (const path of paths) {
      const error = await call(path, MALFORMED)
      const where = path.keys.map((key) => (key === '[]' ? '[0]' : `.${key}`)).join('')
      const told = `${path.column}, in ${path.model}.${path.operation}: ${where.slice(1)}`
      if ((error as { path?: string }).path !== told) missed.push(`${told}\n  ${error}`)
    }
    expect(missed.slice(0, 10)).toEqual([])
  })
})
