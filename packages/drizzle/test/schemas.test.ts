import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type FlaxId, flax, IdError, type SnoId, sno } from '@snoflax/core'
import * as ark from '@snoflax/drizzle/arktype'
import { flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { snoId as sqliteSnoId } from '@snoflax/drizzle/sqlite-core'
import * as typeBox from '@snoflax/drizzle/typebox'
import * as typeBoxLegacy from '@snoflax/drizzle/typebox-legacy'
import * as valibot from '@snoflax/drizzle/valibot'
import * as zod from '@snoflax/drizzle/zod'
import { type } from 'arktype'
import * as drizzleArktype from 'drizzle-arktype'
import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import * as drizzleTypebox from 'drizzle-typebox'
import * as drizzleValibot from 'drizzle-valibot'
import * as drizzleZod from 'drizzle-zod'
import { type Static, Type as Type1 } from 'typebox'
import Value1 from 'typebox/value'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const customers = pgTable('customers', { id: flaxId().primaryKey(), email: text() })
const orders = pgTable('orders', {
  id: snoId().primaryKey(),
  customerId: flaxId
    .ref('customer_id')
    .notNull()
    .references(() => customers.id),
  traceId: snoId.plain('trace_id'),
  past: flaxId.plain().array().notNull(),
  total: integer().notNull(),
})
const copies = pgTable('copies', {
  id: flaxId().primaryKey(),
  copy: flaxId.plain().notNull().generatedAlwaysAs(sql`id`),
})
const tickets = sqliteTable('tickets', { id: sqliteSnoId({ storage: 'binary' }) })
const row = {
  id: sno.generate(),
  customerId: flax.generate(),
  traceId: null,
  past: [flax.generate()],
  total: 3,
}
type Row = { id: SnoId; customerId: FlaxId; traceId: SnoId | null; past: FlaxId[]; total: number }

interface Issue {
  readonly path: string
  readonly message: string
}

/** Of Drizzle's package and ours, what differs between libraries. */
interface Library {
  readonly ours: typeof zod
  readonly theirs: typeof drizzleZod
  readonly object: (fields: object) => never
  /** Each library calls what is wrong in its own way. */
  readonly issuesOf: (schema: never, value: unknown) => readonly Issue[]
  readonly positive: unknown
  /** The message of a refused text, where it isn't ours. */
  readonly refused?: string
}

const LIBRARIES: Readonly<Record<string, Library>> = {
  zod: {
    ours: zod,
    theirs: drizzleZod,
    object: (fields) => z.object(fields as never) as never,
    issuesOf: (schema: z.ZodType, value) =>
      (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({
        path: path.join('.'),
        message,
      })),
    positive: (schema: z.ZodNumber) => schema.positive(),
  },
  valibot: {
    ours: valibot as never,
    theirs: drizzleValibot as never,
    object: (fields) => v.object(fields as never) as never,
    issuesOf: (schema: v.GenericSchema, value) =>
      (v.safeParse(schema, value).issues ?? []).map((issue) => ({
        path: v.getDotPath(issue) ?? '',
        message: issue.message,
      })),
    positive: (schema: v.NumberSchema<undefined>) => v.pipe(schema, v.minValue(1)),
  },
  ArkType: {
    ours: ark as never,
    theirs: drizzleArktype as never,
    object: (fields) => type(fields as never) as never,
    issuesOf: (schema: (value: unknown) => unknown, value) => {
      const result = schema(value)
      if (!(result instanceof type.errors)) return []
      const errors = [...(result as unknown as Iterable<{ path: readonly string[]; message: string }>)]
      return errors.map(({ path, message }) => ({ path: [...path].join('.'), message }))
    },
    positive: type('number > 0'),
  },
  'TypeBox 0.34': {
    ours: typeBoxLegacy as never,
    theirs: drizzleTypebox as never,
    object: (fields) => Type.Object(fields as never) as never,
    issuesOf: (schema, value) =>
      [...Value.Errors(schema, value)].map(({ path, message }) => ({
        path: path.slice(1).replaceAll('/', '.'),
        message,
      })),
    positive: Type.Integer({ minimum: 1 }),
    refused: "Expected kind 'sno id'",
  },
}

describe.each(Object.entries(LIBRARIES))('%s', (_, { ours, theirs, object, issuesOf, positive, refused }) => {
  const issues = (schema: unknown, value: unknown) => issuesOf(schema as never, value)
  const placesOf = (schema: unknown, value: unknown) => [
    ...new Set(issues(schema, value).map(({ path }) => path)),
  ]

  test('a select schema accepts a row and refuses malformed ids, each with its path and reason', () => {
    const schema = theirs.createSelectSchema(orders, ours.selectIds(orders))
    expect(issues(schema, row)).toEqual([])
    expect(issues(schema, { ...row, traceId: row.id })).toEqual([])
    const wrong = { ...row, id: 'x', traceId: 'brpk4q72xwf2m63!', past: [row.customerId, 'y'] }
    const found = issues(schema, wrong)
    expect(new Set(found.map(({ path }) => path.replace('.value', '')))).toEqual(
      new Set(['id', 'traceId', 'past.1']),
    )
    expect(found.find(({ path }) => path === 'id')?.message).toBe(
      refused ?? 'sno: an id has 16 characters, not 1 ("x")',
    )
    expect(new Set(placesOf(schema, { ...row, id: null, customerId: 3 }))).toEqual(
      new Set(['id', 'customerId']),
    )
  })

  test('in an insert schema generated and nullable ids are optional, references are not', () => {
    const schema = theirs.createInsertSchema(orders, { ...ours.insertIds(orders), total: positive as never })
    const { customerId, past, total } = row
    expect(issues(schema, { customerId, past, total })).toEqual([])
    expect(placesOf(schema, { past, total })).toEqual(['customerId'])
    expect(placesOf(schema, { customerId, past, total: -1 })).toEqual(['total'])
    expect(placesOf(schema, { customerId, past, total, id: 'x' })).toEqual(['id'])
    expect(placesOf(schema, { customerId, past, total, id: null })).toEqual(['id'])
  })

  test('in an update schema all columns are optional', () => {
    const schema = theirs.createUpdateSchema(orders, ours.updateIds(orders))
    expect(issues(schema, {})).toEqual([])
    expect(issues(schema, { traceId: null, customerId: row.customerId })).toEqual([])
    expect(new Set(placesOf(schema, { customerId: null, traceId: 'x' }))).toEqual(
      new Set(['customerId', 'traceId']),
    )
  })

  test('idSchema is a schema for one id column', () => {
    const input = object({ id: ours.idSchema(tickets.id) })
    expect(issues(input, { id: row.id })).toEqual([])
    expect(placesOf(input, { id: row.id.toUpperCase() })).toEqual(['id'])
    expect(() => ours.idSchema(customers.email)).toThrow('customers.email is not an id column')
    expect(() => ours.idSchema(customers.email)).toThrow(IdError)
  })

  test('a generated column is in the select schema, and neither in the insert nor the update schema', () => {
    const id = flax.generate()
    expect(issues(theirs.createSelectSchema(copies, ours.selectIds(copies)), { id, copy: id })).toEqual([])
    expect(placesOf(theirs.createSelectSchema(copies, ours.selectIds(copies)), { id, copy: 'x' })).toEqual([
      'copy',
    ])
    expect([ours.insertIds(copies), ours.updateIds(copies)].map(Object.keys)).toEqual([['id'], ['id']])
  })
})

test('types of rows, inserts and updates', () => {
  const ofZod = {
    row: drizzleZod.createSelectSchema(orders, zod.selectIds(orders)),
    insert: drizzleZod.createInsertSchema(orders, zod.insertIds(orders)),
    update: drizzleZod.createUpdateSchema(orders, zod.updateIds(orders)),
    input: z.object({ id: zod.idSchema(tickets.id) }),
  }
  type Insert = typeof orders.$inferInsert
  expectTypeOf<z.infer<typeof ofZod.row>>().toEqualTypeOf<Row>()
  expectTypeOf<z.infer<typeof ofZod.insert>>().toExtend<Insert>()
  expectTypeOf<z.infer<typeof ofZod.update>['traceId']>().toEqualTypeOf<SnoId | null | undefined>()
  expectTypeOf<z.infer<typeof ofZod.input>>().toEqualTypeOf<{ id: SnoId }>()
  expectTypeOf<z.input<typeof ofZod.input>>().toEqualTypeOf<{ id: string }>()
  expect(z.toJSONSchema(ofZod.input)).toMatchObject({
    properties: { id: { type: 'string', pattern: sno.pattern.source } },
  })
  const ofValibot = {
    row: drizzleValibot.createSelectSchema(orders, valibot.selectIds(orders)),
    insert: drizzleValibot.createInsertSchema(orders, valibot.insertIds(orders)),
  }
  expectTypeOf<v.InferOutput<typeof ofValibot.row>>().toEqualTypeOf<Row>()
  expectTypeOf<v.InferOutput<typeof ofValibot.insert>>().toExtend<Insert>()
  expectTypeOf<v.InferInput<typeof ofValibot.insert>['customerId']>().toEqualTypeOf<string>()
  const ofArk = {
    row: drizzleArktype.createSelectSchema(orders, ark.selectIds(orders)),
    insert: drizzleArktype.createInsertSchema(orders, ark.insertIds(orders)),
  }
  expectTypeOf<typeof ofArk.row.infer>().toEqualTypeOf<Row>()
  expectTypeOf<typeof ofArk.insert.infer>().toExtend<Insert>()
  const ofTypebox = {
    row: drizzleTypebox.createSelectSchema(orders, typeBoxLegacy.selectIds(orders)),
    insert: drizzleTypebox.createInsertSchema(orders, typeBoxLegacy.insertIds(orders)),
  }
  expectTypeOf<typeof ofTypebox.row.static>().toEqualTypeOf<Row>()
  expectTypeOf<typeof ofTypebox.insert.static>().toExtend<Insert>()
})

// Drizzle 1.0 brings `drizzle-orm/typebox` for it: see the command of neighbours.
test('TypeBox 1 is supported', () => {
  const ids = typeBox.insertIds(orders)
  const schema = Type1.Object(ids)
  expectTypeOf<Static<typeof schema>>().toEqualTypeOf<{
    id?: SnoId
    customerId: FlaxId
    traceId?: SnoId | null
    past: FlaxId[]
  }>()
  const { customerId, past } = row
  expect(Value1.Check(schema, { customerId, past, traceId: null })).toBe(true)
  expect(Value1.Errors(schema, { customerId: 'x', past })).toMatchObject([
    { instancePath: '/customerId', message: 'must not have fewer than 16 characters' },
    { instancePath: '/customerId', keyword: 'pattern' },
  ])
  expect(Value1.Check(schema, { past })).toBe(false)
})
