import { accepting, type FlaxId, flax, type Id, type IdFamily, type SnoId } from '@snoflax/core'
import {
  createdAt,
  createdBetween,
  flaxId,
  idColumn,
  keyset,
  snoId,
  typedIds,
} from '@snoflax/drizzle/pg-core'
import { idSchema, type insertIds } from '@snoflax/drizzle/zod'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, pgTable, text } from 'drizzle-orm/pg-core'
import { expectTypeOf, test } from 'vitest'

type Ulid = Id<'ulid'>
declare const ulid: IdFamily<Ulid>

const users = pgTable('users', {
  id: flaxId({ branded: false }).primaryKey(),
  name: text(),
  friendId: flaxId.ref('friend_id', (): AnyPgColumn => users.id, { branded: false }),
  bossId: flaxId.ref((): AnyPgColumn => users.id),
})
const orders = pgTable('orders', {
  id: snoId('id', { branded: false, prefix: 'ord', meta: 2 }).primaryKey(),
  userId: flaxId.ref('user_id', () => users.id).notNull(),
  otherId: flaxId.ref({ branded: false }).references(() => users.id),
})
const db = drizzle.mock({ schema: { users, orders } })

test('columns without brands, and references to them, are strings', () => {
  expectTypeOf<typeof users.$inferSelect>().toEqualTypeOf<{
    id: string
    name: string | null
    friendId: string | null
    bossId: FlaxId | null
  }>()
  expectTypeOf<typeof users.$inferInsert>().toEqualTypeOf<{
    id?: string
    name?: string | null
    friendId?: string | null
    bossId?: FlaxId | null
  }>()
  expectTypeOf<typeof orders.$inferSelect>().toEqualTypeOf<{
    id: string
    userId: string
    otherId: string | null
  }>()
  expectTypeOf<(typeof typed)['$inferSelect']>().toEqualTypeOf<{ id: string; userId: FlaxId | null }>()
})
const typed = typedIds(
  pgTable('typed', {
    id: flaxId({ branded: false }).primaryKey(),
    userId: flaxId.ref((): AnyPgColumn => users.id),
  }),
)

test("an application's functions of strings take them", () => {
  const find = (id: string) => db.select().from(users).where(eq(users.id, id))
  const add = (id: string, userId: string) => [
    db.insert(users).values({ id }),
    db.insert(orders).values({ userId, id }),
    db.update(orders).set({ userId }).where(eq(orders.userId, id)),
  ]
  expectTypeOf(find).toBeFunction()
  expectTypeOf(add).toBeFunction()
  keyset(users.id, { after: 'any' })
  createdBetween(users.id, 0, 1)
  expectTypeOf(createdAt(users.id)._.type).toEqualTypeOf<Date | null>()
  expectTypeOf<keyof ReturnType<typeof insertIds<typeof orders>>>().toEqualTypeOf<
    'id' | 'userId' | 'otherId'
  >()
  expectTypeOf(idSchema(users.id)._output).toEqualTypeOf<string>()
})

test('a column without ids is still no target', () => {
  // @ts-expect-error A text that no id column has.
  flaxId.ref(() => users.name)
  // @ts-expect-error Neither has it a time.
  createdBetween(users.name, 0, 1)
  // @ts-expect-error Ids of another family.
  snoId.ref(() => branded.ulid)
  // @ts-expect-error No such option.
  flaxId({ brand: false })
  // @ts-expect-error Nor this one for an expected boolean.
  flaxId.ref(() => users.id, { branded: 'no' })
})
const branded = pgTable('branded', {
  id: flaxId({ prefix: 'brd' }).primaryKey(),
  ulid: flaxId.plain({ accept: ulid }).notNull(),
  both: flaxId.plain('both', { prefix: 'usr', accept: [ulid, flax] }).notNull(),
  any: flaxId.plain({ accept: /[a-z0-9]{24}/ }).notNull(),
  list: flaxId.plain({ accept: [ulid, /x/] }).array(),
})

test('accepted keys are in the type of a column: those of families, or any string', () => {
  expectTypeOf<typeof branded.$inferSelect>().toEqualTypeOf<{
    id: Id<'brd'>
    ulid: FlaxId | Ulid
    both: Id<'usr'> | Ulid | FlaxId
    any: string
    list: string[] | null
  }>()
  const referring = pgTable('referring', {
    id: flaxId.ref(() => branded.id).notNull(),
    ulid: flaxId.ref(() => branded.ulid).notNull(),
    any: flaxId.ref(() => branded.any).notNull(),
  })
  expectTypeOf<typeof referring.$inferSelect>().toEqualTypeOf<{
    id: Id<'brd'>
    ulid: FlaxId | Ulid
    any: string
  }>()
  expectTypeOf(createdAt(branded.id)._.type).toEqualTypeOf<Date>()
  expectTypeOf(createdAt(branded.ulid)._.type).toEqualTypeOf<Date | null>()
})

test('columns of one function have its types', () => {
  const stringId = idColumn(flax, { branded: false, storage: 'uuid' })
  const key = idColumn(accepting(flax, ulid))
  const own = pgTable('own', { id: key().primaryKey() })
  const table = pgTable('t', {
    id: stringId().primaryKey(),
    prefixed: stringId.plain({ prefix: 'usr' }),
    key: key.plain().notNull(),
    keyId: key.ref(() => own.id).notNull(),
    sno: snoId.plain(),
  })
  expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<{
    id: string
    prefixed: string | null
    key: FlaxId | Ulid
    keyId: FlaxId | Ulid
    sno: SnoId | null
  }>()
})
