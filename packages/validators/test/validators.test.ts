import { sValidator } from '@hono/standard-validator'
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import { type FlaxId, flake, flax, IdError, opaque, type SnoId, sno } from '@snoflax/core'
import { ids } from '@snoflax/validators'
import { idSchema as arkId } from '@snoflax/validators/arktype'
import { IsId } from '@snoflax/validators/class-validator'
import { validatorCompiler } from '@snoflax/validators/fastify'
import { idScalar } from '@snoflax/validators/graphql'
import { IdPipe } from '@snoflax/validators/nest'
import { globalIds } from '@snoflax/validators/relay'
import { idSchema as typeBoxId } from '@snoflax/validators/typebox'
import { idSchema as typeBoxLegacyId } from '@snoflax/validators/typebox-legacy'
import { idSchema as valibotId } from '@snoflax/validators/valibot'
import { idSchema as zodId } from '@snoflax/validators/zod'
import { idSchema as zod3Id } from '@snoflax/validators/zod3'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { initTRPC, TRPCError } from '@trpc/server'
import { type as ark } from 'arktype'
import { validate } from 'class-validator'
import fastify from 'fastify'
import {
  GraphQLError,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  graphql,
  printSchema,
} from 'graphql'
import { fromGlobalId, toGlobalId } from 'graphql-relay'
import { Hono } from 'hono'
import { Type as Type1 } from 'typebox'
import Value1 from 'typebox/value'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

const ID = 'Kpcan0M1FakODT4k'
const SNO = '9q7k4h922d78w222'
const SHORT = 'flax: an id has 16 characters, not 1 ("x")'
const TYPE = 'flax: an id must be a string, not 5'

describe('Standard Schema', () => {
  const schema: StandardSchemaV1<unknown, unknown> & StandardJSONSchemaV1 = flax as never

  test('of a family has message and code', () => {
    const { validate } = flax['~standard']
    expect(validate(ID)).toEqual({ value: ID })
    expect(validate('x').issues?.[0]).toMatchObject({ message: SHORT, code: 'INVALID_LENGTH' })
    expect(JSON.parse(JSON.stringify(validate(5).issues))).toEqual([{ message: TYPE, code: 'INVALID_TYPE' }])
  })

  test('of a family has a JSON Schema', () => {
    const { jsonSchema } = schema['~standard']
    const wanted = { type: 'string', pattern: flax.pattern.source, minLength: 16, maxLength: 16 }
    for (const target of ['draft-2020-12', 'draft-07', 'openapi-3.0'] as const) {
      expect(jsonSchema.input({ target })).toEqual(wanted)
      expect(jsonSchema.output({ target })).toEqual(wanted)
    }
    expect(jsonSchema.input({ target: 'draft-07' })).not.toBe(jsonSchema.input({ target: 'draft-07' }))
    expect(flake['~standard'].jsonSchema.input({ target: 'draft-07' })).toEqual({
      type: 'string',
      pattern: flake.pattern.source,
    })
  })

  test('of an object may contain ids', () => {
    const params = ids({ id: flax, by: sno })
    const { validate, jsonSchema } = params['~standard']
    const passed = { id: ID, by: SNO, page: '2' }
    expect(validate(passed)).toEqual({ value: passed })
    expect(params.parse(passed)).toBe(passed)
    expect(validate({ id: 'x' })).toEqual({
      issues: [
        { message: `id: ${SHORT}`, code: 'INVALID_LENGTH', path: ['id'] },
        { message: 'by: sno: an id must be a string, not undefined', code: 'INVALID_TYPE', path: ['by'] },
      ],
    })
    for (const value of [null, undefined, 'x', 5]) {
      expect(validate(value)).toMatchObject({ issues: [{ code: 'INVALID_TYPE', path: [] }] })
      expect(() => params.parse(value)).toThrow(IdError)
    }
    expect(jsonSchema.input({ target: 'openapi-3.0' })).toMatchObject({
      type: 'object',
      required: ['id', 'by'],
      properties: { id: { pattern: flax.pattern.source }, by: { minLength: 16 } },
    })
  })
})

describe('schemas accept ids and refuse others with our message', () => {
  test('zod 4', () => {
    const schema = z.object({ id: zodId(flax), others: z.array(zodId(sno)).optional() })
    expect(schema.parse({ id: ID, others: [SNO] })).toEqual({ id: ID, others: [SNO] })
    expect(schema.safeParse({ id: 'x' }).error?.issues).toMatchObject([
      { path: ['id'], message: SHORT, params: { code: 'INVALID_LENGTH' } },
    ])
    expect(schema.safeParse({ id: 5 }).error?.issues).toMatchObject([{ code: 'invalid_type', message: TYPE }])
    expect(z.toJSONSchema(zodId(flax))).toMatchObject({
      type: 'string',
      pattern: flax.pattern.source,
      minLength: 16,
    })
    // What idSchema is for.
    expect(() => z.object({ id: flax as never }).parse({ id: ID })).toThrow('expected a Zod schema')
  })

  test('zod 3', () => {
    const schema = z3.object({ id: zod3Id(flax) })
    expect(schema.parse({ id: ID })).toEqual({ id: ID })
    expect(schema.safeParse({ id: 'x' }).error?.issues).toMatchObject([
      { path: ['id'], message: SHORT, params: { code: 'INVALID_LENGTH' } },
    ])
    expect(schema.safeParse({ id: 5 }).error?.issues).toMatchObject([{ code: 'invalid_type', message: TYPE }])
  })

  test('valibot', () => {
    const schema = v.object({ id: valibotId(flax) })
    expect(v.parse(schema, { id: ID })).toEqual({ id: ID })
    expect(v.safeParse(schema, { id: 'x' }).issues).toMatchObject([{ message: SHORT, path: [{ key: 'id' }] }])
    expect(v.safeParse(schema, { id: 5 }).issues).toMatchObject([{ message: TYPE }])
  })

  test('TypeBox 1', () => {
    const schema = Type1.Object({ id: typeBoxId(sno) })
    expect(Value1.Check(schema, { id: SNO })).toBe(true)
    expect(Value1.Check(schema, { id: 5 })).toBe(false)
    expect(Value1.Errors(schema, { id: 'x' })).toMatchObject([
      { keyword: 'minLength' },
      { keyword: 'pattern' },
    ])
    const refused = Type1.Object({ id: typeBoxId(flake) })
    expect(Value1.Errors(refused, { id: '18446744073709551616' })).toMatchObject([
      { instancePath: '/id', message: expect.stringMatching(/^flake: /) },
    ])
  })

  test('TypeBox 0.34', () => {
    const schema = Type.Object({ id: typeBoxLegacyId(flax), by: Type.Optional(typeBoxLegacyId(sno)) })
    const compiled = TypeCompiler.Compile(schema)
    for (const check of [(value: unknown) => Value.Check(schema, value), compiled.Check.bind(compiled)]) {
      expect(check({ id: ID, by: SNO })).toBe(true)
      expect(check({ id: 'x' })).toBe(false)
      expect(check({ id: ID, by: ID })).toBe(false)
    }
    expect([...Value.Errors(schema, { id: 'x' })]).toMatchObject([
      { path: '/id', message: "Expected kind 'flax id'" },
    ])
    expect(JSON.parse(JSON.stringify(typeBoxLegacyId(flax)))).toEqual(
      flax['~standard'].jsonSchema.input({ target: 'draft-07' }),
    )
  })

  test('ArkType', () => {
    const schema = ark({ id: arkId(flax) })
    expect(schema({ id: ID })).toEqual({ id: ID })
    const errors = schema({ id: 'x' })
    expect(errors).toBeInstanceOf(ark.errors)
    const found = [...(errors as unknown as Iterable<{ path: object; message: string; meta: object }>)]
    expect(
      found.map(({ path, message, meta }) => ({ path: [...(path as string[])], message, meta })),
    ).toEqual([{ path: ['id'], message: SHORT, meta: { code: 'INVALID_LENGTH' } }])
    expect(String(schema({ id: 5 }))).toBe(TYPE)
  })

  test('class-validator', async () => {
    class NewOrder {
      customerId!: unknown
      lines!: unknown
    }
    IsId(flax)(NewOrder.prototype, 'customerId')
    IsId(sno, { each: true })(NewOrder.prototype, 'lines')
    const of = (customerId: unknown, lines: unknown) => Object.assign(new NewOrder(), { customerId, lines })
    expect(await validate(of(ID, [SNO]))).toEqual([])
    const wrong = await validate(of(5, [SNO, 'x']))
    expect(wrong.map(({ property, constraints }) => [property, constraints])).toEqual([
      ['customerId', { isId: TYPE }],
      ['lines', { isId: 'sno: an id has 16 characters, not 1 ("x")' }],
    ])
  })
})

test("an id in zod's template literals is its pattern", () => {
  const customer = z.templateLiteral(['cus_', zodId(flax) as never])
  expect(customer.parse(`cus_${flax.generate()}`)).toMatch(/^cus_/)
  for (const text of ['cus_', 'cus_anything', `cus_${flax.generate()}x`, flax.generate()]) {
    expect(customer.safeParse(text).success).toBe(false)
  }
})

describe('servers refuse malformed ids with our message', () => {
  test('Hono, whose validator passes all parameters', async () => {
    const app = new Hono().get('/orders/:id/:page', sValidator('param', ids({ id: flax })), (context) => {
      const { id } = context.req.valid('param')
      return context.text(flax.time(id).toISOString())
    })
    expect(await (await app.request(`/orders/${ID}/2`)).text()).toBe(flax.time(flax.parse(ID)).toISOString())
    const answer = await app.request('/orders/x/2')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: [{ message: `id: ${SHORT}`, code: 'INVALID_LENGTH', path: ['id'] }],
    })
  })

  test('Fastify', async () => {
    const app = fastify()
    app.get(
      '/orders/:id',
      { schema: { params: ids({ id: flax }) }, validatorCompiler },
      (request) => request.params,
    )
    expect((await app.inject(`/orders/${ID}`)).json()).toEqual({ id: ID })
    const refused = await app.inject('/orders/x')
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({ message: `id: ${SHORT}`, code: 'INVALID_LENGTH' })
    await app.close()
  })

  test('tRPC', async () => {
    const t = initTRPC.create()
    const router = t.router({
      one: t.procedure.input(flax).query(({ input }) => input),
      two: t.procedure.input(ids({ id: flax })).query(({ input }) => input.id),
    })
    const caller = router.createCaller({})
    expect(await caller.one(flax.parse(ID))).toBe(ID)
    expect(await caller.two({ id: flax.parse(ID) })).toBe(ID)
    for (const call of [() => caller.one('x' as never), () => caller.two({ id: 'x' as never })]) {
      const error = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TRPCError)
      expect(error).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(SHORT),
        cause: { code: 'INVALID_LENGTH' },
      })
    }
  })
})

describe('GraphQL', () => {
  const FlaxIdType = idScalar(flax)
  const SnoIdType = idScalar(sno, { name: 'OrderId', description: 'Of an order.' })
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        same: {
          type: FlaxIdType,
          args: { id: { type: new GraphQLNonNull(FlaxIdType) } },
          resolve: (_, { id }) => id,
        },
        orders: { type: new GraphQLList(SnoIdType), resolve: () => [SNO] },
        broken: { type: FlaxIdType, resolve: () => 5 },
        year: {
          type: GraphQLInt,
          args: { id: { type: FlaxIdType } },
          resolve: (_, { id }) => flax.time(id).getUTCFullYear(),
        },
      },
    }),
  })
  const run = (source: string, variableValues?: Record<string, unknown>) =>
    graphql({ schema, source, ...(variableValues && { variableValues }) })

  test('accepts literals and variables, and returns ids', async () => {
    const year = flax.time(flax.parse(ID)).getUTCFullYear()
    const { data, errors } = await run(`query ($id: FlaxId!) { same(id: $id) orders year(id: "${ID}") }`, {
      id: ID,
    })
    expect(errors).toBe(undefined)
    expect({ ...data }).toEqual({ same: ID, orders: [SNO], year })
    expect(printSchema(schema)).toContain('"""Of an order."""\nscalar OrderId')
  })

  test('refuses others with message and code', async () => {
    const codeOf = async (source: string, variables?: Record<string, unknown>) => {
      const [error] = (await run(source, variables)).errors ?? []
      return [error?.extensions['code'], error?.message]
    }
    expect(await codeOf('{ same(id: "x") }')).toEqual(['INVALID_LENGTH', SHORT])
    for (const literal of ['5', '1234567890123456', ID, 'true', `["${ID}"]`]) {
      expect(await codeOf(`{ same(id: ${literal}) }`)).toEqual([
        'INVALID_TYPE',
        `flax: an id must be a string, not the literal ${literal}`,
      ])
    }
    expect(await codeOf('{ broken }')).toEqual(['INVALID_TYPE', TYPE])
    const statusOf = async (source: string) => {
      let error: unknown = (await run(source)).errors?.[0]
      while (error instanceof GraphQLError) error = error.originalError
      expect(error).toBeInstanceOf(IdError)
      return (error as IdError).statusCode
    }
    expect(await statusOf('{ same(id: "x") }')).toBe(400)
    expect(await statusOf('{ broken }')).toBe(undefined)
    expect(await codeOf('query ($id: FlaxId!) { same(id: $id) }', { id: 5 })).toEqual([
      'INVALID_TYPE',
      expect.stringContaining(TYPE),
    ])
  })
})

describe('Relay', () => {
  const nodes = globalIds({ Customer: flax, Order: sno })

  test('global ids are those of graphql-relay', () => {
    const id = flax.parse(ID)
    const globalId = nodes.encode('Customer', id)
    expect(globalId).toBe(toGlobalId('Customer', ID))
    expect(fromGlobalId(globalId)).toEqual({ type: 'Customer', id: ID })
    expect(nodes.decode(toGlobalId('Order', SNO))).toEqual({ type: 'Order', id: SNO })
  })

  test.each([
    [5, 'INVALID_TYPE'],
    ['', 'INVALID_CHARACTER'],
    ['äöü', 'INVALID_CHARACTER'],
    [toGlobalId('Customer', 'x'), 'INVALID_LENGTH'],
    [toGlobalId('Invoice', ID), 'INVALID_CHARACTER'],
    [toGlobalId('toString', ID), 'INVALID_CHARACTER'],
    [ID, 'INVALID_CHARACTER'],
    [toGlobalId('Order', SNO).replace(/=+$/, ''), 'NOT_CANONICAL'],
    [` ${toGlobalId('Customer', ID)}`, 'NOT_CANONICAL'],
  ])('%s is refused', (globalId, code) => {
    expect(() => nodes.decode(globalId)).toThrow(expect.objectContaining({ code, statusCode: 400 }))
  })

  test('an id of another family, or of an unknown type, is not encoded', () => {
    expect(() => nodes.encode('Customer', 'x' as FlaxId)).toThrow(
      expect.objectContaining({ code: 'INVALID_LENGTH' }),
    )
    expect(() => nodes.encode('Invoice' as 'Order', SNO as SnoId)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', statusCode: undefined }),
    )
  })
})

test('what is not a family is refused when it is passed, not with the first request', () => {
  const family = undefined as unknown as typeof flax
  const calls: [string, () => unknown][] = [
    ['ids: id', () => ids({ id: family })],
    ['globalIds: Customer', () => globalIds({ Customer: family })],
    ['idScalar: family', () => idScalar(family)],
    ['IdPipe: family', () => new IdPipe(family)],
    ['IsId: family', () => IsId(family)],
    ...[zodId, zod3Id, valibotId, arkId, typeBoxId, typeBoxLegacyId].map(
      (idSchema): [string, () => unknown] => ['idSchema: family', () => idSchema(family)],
    ),
  ]
  for (const [what, call] of calls) {
    expect(call).toThrow(`${what} must be a family such as flax, not undefined; check for a circular import`)
  }
})

describe('opaque ids', () => {
  const family = opaque('org', { pattern: /org_[a-z0-9]{4}/, generate: () => 'org_ab12' })
  const loose = opaque('loose', { pattern: /org_[a-z0-9]{4}/i, generate: () => 'ORG_AB12' })
  const WRONG = 'org: "org_1" does not match /org_[a-z0-9]{4}/'

  test('are taken by every validator, and others refused', async () => {
    const taken = (passed: unknown) => ({
      zod: zodId(family).safeParse(passed).success,
      zod3: zod3Id(family).safeParse(passed).success,
      valibot: v.safeParse(valibotId(family), passed).success,
      arktype: !(arkId(family)(passed) instanceof ark.errors),
      typebox: Value1.Check(typeBoxId(family), passed),
      'typebox, before 1': Value.Check(typeBoxLegacyId(family), passed),
      standard: ids({ id: family })['~standard'].validate({ id: passed }).issues === undefined,
    })
    expect([...new Set(Object.values(taken('org_ab12')))]).toEqual([true])
    expect([...new Set(Object.values(taken('org_1')))]).toEqual([false])
    expect(zodId(family).safeParse('org_1').error?.issues[0]?.message).toBe(WRONG)
    expect(zodId(loose).safeParse('ORG_AB12').success).toBe(true)
    expect(Value1.Check(typeBoxId(loose), 'ORG_AB12')).toBe(true)
    expect(() => new IdPipe(family).transform('org_1')).toThrow(WRONG)
    class Body {
      id!: string
    }
    IsId(family)(Body.prototype, 'id')
    expect(await validate(Object.assign(new Body(), { id: 'org_ab12' }))).toEqual([])
    expect(await validate(Object.assign(new Body(), { id: 'org_1' }))).toHaveLength(1)
    expect(z.toJSONSchema(zodId(family))).toMatchObject({ type: 'string', minLength: 8, maxLength: 8 })
  })
})
