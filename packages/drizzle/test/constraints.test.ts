import { type Accept, columnFor, flax, prefixed, sno, ulid, uuid7 } from '@snoflax/core'
import { familyWith } from '@snoflax/core/adapter'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { pglite, sqlite } from '@snoflax/test'
import { storageDatabase } from '@snoflax/test/contract'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import * as core from 'drizzle-orm/pg-core'
import { type AnyPgColumn, pgTable } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { type AnySQLiteColumn, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, onTestFinished, test } from 'vitest'
import { isBefore1 } from './contract/version.js'
import { type Dialect, dialects } from './dialects.js'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'

const id = flax.generate()
const bytes = Buffer.from(flax.decode(id)).toString('hex')
const cus = prefixed(flax, 'cus')
const usr = prefixed(flax, 'usr')

async function opened(schema: Record<string, unknown>) {
  const { connection, query, close } = await sqlite.open()
  onTestFinished(() => close())
  for (const statement of await sqliteStatements(schema)) await query(statement)
  return { connection, db: drizzle({ client: connection }) }
}

test('check: true in SQLite refuses values that are not ids of the storage', async () => {
  const rows = sqliteTable('rows', {
    id: lite.flaxId({ storage: 'binary', check: true }).primaryKey(),
    other: lite.snoId.plain({ check: true }),
    ref: lite.flaxId.ref('ref', (): AnySQLiteColumn => rows.id, { check: true }),
    job: lite.flakeId.plain({ storage: 'bigint', exactBigint: true, check: true }),
  })
  const { connection, db } = await opened({ rows })
  const row = db.insert(rows).values({}).returning().get()
  db.insert(rows)
    .values({ ref: row.id, other: '2222222222222222' as never, job: '4611686018427387905' as never })
    .run()
  const refused = [
    `insert into rows (id) values ('${id}')`,
    `insert into rows (id) values (null)`,
    `insert into rows (id) values (x'00')`,
    `insert into rows (id, other) values (x'${bytes}', 'short')`,
    `insert into rows (id, ref) values (x'${bytes}', '${row.id}')`,
    `insert into rows (id, job) values (x'${bytes}', 'x')`,
  ]
  for (const statement of refused) {
    expect(() => connection.exec(statement), statement).toThrow(/constraint failed/i)
  }
  expect(db.select({ id: rows.id }).from(rows).all()).toHaveLength(2)
})

test('check: true in PostgreSQL refuses what other programs write, by length and prefix', async () => {
  const rows = pgTable('rows', {
    id: pg.flaxId({ prefix: 'cus', check: true }).primaryKey(),
    bytes: pg.snoId.plain({ storage: 'binary', check: true }),
    uuid: pg.flaxId.plain({ storage: 'uuid', check: true }),
    own: pg.flaxId.ref('own_id', (): AnyPgColumn => rows.id, { check: true }),
  })
  const database = await pglite.open()
  for (const statement of await postgresStatements({ rows })) await database.query(statement)
  const [row] = await overPglite({ client: database.connection })
    .insert(rows)
    .values({ bytes: sno.generate(), uuid: flax.generate() })
    .returning()
  const ownId = cus.generate()
  for (const [column, value] of [
    ['id', `'${flax.generate()}'`],
    ['id', `'ord${ownId.slice(3)}'`],
    ['own_id', `'${ownId} '`],
    ['bytes', "'\\x00'"],
  ]) {
    const statement = `update rows set ${column} = ${value}`
    await expect(database.query(statement), statement).rejects.toThrow(/check constraint/)
  }
  await database.query(`update rows set own_id = '${row?.id}'`)
  await database.close()
})

test('check: true is written for MySQL', async () => {
  const rows = mysqlTable('rows', {
    id: my.flaxId({ prefix: 'cus', check: true }).primaryKey(),
    bytes: my.snoId.plain({ storage: 'binary', check: true }),
    job: my.flakeId.plain({ check: true }),
  })
  const [create] = await mysqlStatements({ rows })
  expect(create?.match(/CHECK\(.*\)/g)).toEqual([
    "CHECK(char_length(`id`) = 20 AND substr(`id`, 1, 4) = 'cus_')",
    'CHECK(length(`bytes`) = 10)',
  ])
})

test('check: true names a column as casing does', async () => {
  // From 1.0 on it is the table that says how its columns are named.
  const { snakeCase } = core as unknown as { snakeCase: { table: typeof pgTable } }
  const named = isBefore1 ? pgTable : snakeCase.table
  const rows = named('rows', { ownId: pg.flaxId({ storage: 'binary', check: true }).primaryKey() })
  const statements = await postgresStatements({ rows }, {}, 'snake_case')
  expect(statements.join('\n')).toContain('(length("own_id") = 12)')
})

const STATEMENTS = {
  sqlite: sqliteStatements,
  pglite: postgresStatements,
  postgres: postgresStatements,
  mysql: mysqlStatements,
}
const statementsOf = ({ name }: Dialect, schema: Record<string, unknown>) =>
  STATEMENTS[name as keyof typeof STATEMENTS](schema)

/** As a text, since TypeScript knows the flag from ES2024 on. */
const withSets = (source: string) => new RegExp(source, 'v')

/** Accepted keys, and texts that they match. */
const ACCEPTED: readonly (readonly [accept: Accept, texts: readonly string[]])[] = [
  [/[a-z0-9]{24}/, ['tz4a98xxat96iws9zmbrgj3a', '012345678901234567890123']],
  [/^c[a-z\d]{24}$/, ['cjld2cyuq0000t3rmniod1foy']],
  [/[\w-]{21}/, ['V1StGXR8_Z5jdHi6B-myT', '---------------------']],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6']],
  [/[1-9]\d*/, ['7', '10', '9007199254740993']],
  [/user-(?:\d{1,3}|x)|team[.]y+?/i, ['user-1', 'USER-123', 'user-X', 'Team.yY']],
  [withSets('a{0}k(?:ab|a)?[.:~+\\/=@\\-]{1,2}'), ['k.', 'kab@-', 'ka+=']],
  [
    [ulid, uuid7, /x/u],
    [ulid.generate(), uuid7.generate(), 'x'],
  ],
]

/** The text, and others that are nearly like it. */
function nearly(text: string): string[] {
  const at = Math.floor(text.length / 2)
  const put = (one: string, place = at) => text.slice(0, place) + one + text.slice(place + 1)
  const others = [...'-_.:/+=@~\\\'"^]$%*?, aZ0\n\r\tßİıſ\u212a\u00e9\u2028\u0660\u{1f600}']
  return [
    ...[text, text.toUpperCase(), text.toLowerCase(), `${text}${text}`, text.slice(1), text.slice(0, -1)],
    ...['\n', '\r\n', '\u2028', '\u0085', ' ', 'a', '0', '-'].flatMap((one) => [text + one, one + text]),
    ...others.flatMap((one) => [put(one), put(one, text.length - 1)]),
    `${text}\n${text}`,
    '',
  ]
}

test.each(dialects)(
  'check: true refuses in $name what is neither an id nor an accepted key',
  async (dialect) => {
    const { table, ids } = dialect
    const database = await dialect.open()
    onTestFinished(() => database.close())
    const db = dialect.over(database)
    const plain = table('plain', {
      id: ids.flaxId.plain({ accept: /x/, onMismatch: 'notFound', branded: false }),
    })
    await database.query(`create table plain (id ${plain.id.getSQLType()})`)
    for (const [accept, texts] of ACCEPTED) {
      const options = { prefix: 'usr', accept, onMismatch: 'notFound', branded: false, check: true } as const
      const rows = table('things', { id: ids.flaxId.plain(options) })
      const statements = await statementsOf(dialect, { rows })
      for (const statement of statements) await database.query(statement)
      const family = familyWith(flax, options)
      const condition = columnFor(family, storageDatabase(dialect.name as 'sqlite')).check('id')
      expect(statements.join().replaceAll(/["`]/g, '')).toContain(condition)
      const all = [...new Set([...texts, usr.generate()].flatMap(nearly))]
      const [valid, others] = [true, false].map((verdict) =>
        all.filter((text) => family.is(text) === verdict),
      )
      expect([valid?.length, others?.length].every((count = 0) => count > texts.length)).toBe(true)
      // Every text by the condition, and some by the constraint.
      await db.delete(plain)
      await db.insert(plain).values(all.map((id) => ({ id })))
      const taken = await db.select().from(plain).where(sql.raw(condition))
      expect(taken.map(({ id }) => id).sort(), String(accept)).toEqual([...(valid ?? [])].sort())
      await db.insert(rows).values([...(valid ?? []), null].map((id) => ({ id })))
      for (const id of [`${texts[0]}\n`, 'nobody@example.org', '']) {
        await expect((async () => db.insert(rows).values({ id }))(), id).rejects.toThrow()
      }
      await database.query('drop table things')
    }
  },
)

test.each([
  [/.{24}/, '"."'],
  [/[^-]{24}/, 'a class of all other characters'],
  [/\p{Lu}{24}/u, '"\\p"'],
  [/\S{24}/, '"\\S"'],
  [/(?=c)[a-z]{24}/, '"(?="'],
  [/(?<one>c)[a-z]{24}/, '"(?<"'],
  [/([a-z])\1{23}/, '"\\1"'],
  [/[a-z]{24}/iu, 'the flags iu'],
  [/[A-z]{24}/, '"["'],
  [/ключ[a-z]{24}/, '"к"'],
  [/[a-z]{300}/, 'a count above 255'],
  [/(?:a+b)+/, 'a repeated part of unlimited length'],
  [withSets('[[a-z]--[aeiou]]{24}'), 'a difference of classes'],
  [/it's/, '"\'"'],
  [/a\b/, '"\\b"'],
  [/a b/, '" "'],
  [/a^b|c/, '"^"'],
])('check: true refuses the pattern %s, which databases read differently', (accept, what) => {
  const message = expect.stringContaining(
    `check: true can't write ${accept} as a CHECK, because of ${what}. Write `,
  )
  const error = expect.objectContaining({ code: 'INVALID_OPTION', path: 'rows.id', message })
  const options = { prefix: 'usr', accept, check: true } as const
  expect(() => pgTable('rows', { id: pg.flaxId(options) })).toThrow(error)
  expect(() => mysqlTable('rows', { id: my.flaxId(options) })).toThrow(error)
  expect(() => sqliteTable('rows', { id: lite.flaxId(options) })).toThrow(error)
})

test.each([/[a-z]+x/, /(ab)*x/, /(ab)+/, /ba{0,100}/, /([a-c]|d|e){4}/])(
  'check: true refuses in SQLite what GLOB has no pattern for: %s',
  (accept) => {
    const options = { prefix: 'usr', accept, check: true } as const
    pgTable('rows', { id: pg.flaxId(options) })
    expect(() => sqliteTable('rows', { id: lite.flaxId(options) })).toThrow(
      /^rows\.id: .*SQLite has no patterns for/,
    )
  },
)
