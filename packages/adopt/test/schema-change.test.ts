import type { Orm, Stage, TableOptions } from '@snoflax/adopt'
import { flake, flax, prefixed } from '@snoflax/core'
import { typeid, uid } from '@snoflax/families'
import { mysql, type PostgresDatabase, postgres, sqlite } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Opened, plan } from './moves.js'

let database: PostgresDatabase
beforeEach(async () => {
  database = await postgres.open()
})
afterEach(() => database.close())

const SPAN = { from: new Date('2021-01-01'), to: new Date('2022-01-01') }

async function linesOf(
  keyType: string,
  generator: TableOptions['generator'],
  orm: Orm,
  stage: Stage = 'switched',
  storage?: 'uuid',
): Promise<string[]> {
  await database.query(`CREATE TABLE big_orders ("Id" ${keyType} PRIMARY KEY)`)
  await database.query(`CREATE TABLE line (big_order_id ${keyType} REFERENCES big_orders NOT NULL)`)
  const adoption = await plan(database, [
    { table: 'big_orders', createdAt: SPAN, generator, ...(storage && { storage }) },
  ])
  return adoption.schemaChange(orm, stage).columns.flatMap(({ lines }) => lines)
}

const flakes: TableOptions['generator'] = (clock) => flake.generator({ worker: 1, clock })
const flaxes: TableOptions['generator'] = (clock) => flax.generator({ monotonic: true, clock })

test.each<[Orm, string, ...string[]]>([
  [
    'typeorm',
    'varchar(30)',
    "@FlakeIdColumn({ name: 'Id', generator }) Id!: FlakeId",
    "@Column('character varying', { name: 'legacy_Id', length: 30, nullable: true }) legacyId!: string | null",
    "@FlakeIdColumn.plain({ name: 'big_order_id' }) bigOrderId!: FlakeId",
    "@Column('character varying', { name: 'legacy_big_order_id', length: 30, nullable: true }) legacyBigOrderId!: string | null",
  ],
  [
    'prisma',
    'char(20)',
    'Id BigInt @id @default(dbgenerated()) /// @snoflax flake',
    'legacyId String? @map("legacy_Id") @db.Char(20)',
    'bigOrderId BigInt @map("big_order_id")',
    'legacyBigOrderId String? @map("legacy_big_order_id") @db.Char(20)',
  ],
  [
    'drizzle',
    'bigint',
    "Id: flakeId('Id', { generator }).primaryKey(),",
    "legacyId: bigint('legacy_Id', { mode: 'bigint' }),",
    "bigOrderId: flakeId.ref('big_order_id', () => bigOrders.Id).notNull(),",
    "legacyBigOrderId: bigint('legacy_big_order_id', { mode: 'bigint' }),",
  ],
])("%s: the lines have the columns' names and types", async (orm, keyType, ...lines) => {
  const expected = orm === 'typeorm' ? lines.map((line) => line.replace("name: 'Id', ", '')) : lines
  expect(await linesOf(keyType, flakes, orm)).toEqual(expected)
})

test('a storage that an option names is written out', async () => {
  expect(await linesOf('uuid', flaxes, 'drizzle', 'finished', 'uuid')).toEqual([
    "Id: flaxId('Id', { storage: 'uuid' }).primaryKey(),",
    "bigOrderId: flaxId.ref('big_order_id', () => bigOrders.Id).notNull(),",
  ])
})

const behind =
  (prefix: string): TableOptions['generator'] =>
  (clock) =>
    prefixed(flax, prefix).generator({ monotonic: true, clock })

test.each<[Orm, 'uuid' | undefined, ...string[]]>([
  [
    'typeorm',
    undefined,
    "@FlaxIdColumn({ prefix: 'ord' }) Id!: Id<'ord'>",
    "@FlaxIdColumn.plain({ name: 'big_order_id', prefix: 'ord' }) bigOrderId!: Id<'ord'>",
  ],
  [
    'typeorm',
    'uuid',
    "@FlaxIdColumn({ prefix: 'ord', storage: 'uuid' }) Id!: Id<'ord'>",
    "@FlaxIdColumn.plain({ name: 'big_order_id', prefix: 'ord' }) bigOrderId!: Id<'ord'>",
  ],
  [
    'drizzle',
    undefined,
    "Id: flaxId('Id', { prefix: 'ord' }).primaryKey(),",
    "bigOrderId: flaxId.ref('big_order_id', () => bigOrders.Id).notNull(),",
  ],
  [
    'prisma',
    'uuid',
    'Id String @id @default(dbgenerated()) @db.Uuid /// @snoflax flax prefix=ord',
    'bigOrderId String @map("big_order_id") @db.Uuid',
  ],
  [
    'prisma',
    undefined,
    'Id String @id @default(dbgenerated()) /// @snoflax flax prefix=ord',
    'bigOrderId String @map("big_order_id")',
  ],
])('%s: a family with a prefix, in storage %s', async (orm, storage, ...lines) => {
  expect(await linesOf('uuid', behind('ord'), orm, 'finished', storage)).toEqual(lines)
})

const typeids: TableOptions['generator'] = (clock) => typeid('ord').generator({ clock })

test.each<[Orm, ...string[]]>([
  [
    'typeorm',
    "@IdColumn(typeid('ord')) Id!: Id<'ord'>",
    "@IdColumn.plain(typeid('ord'), { name: 'big_order_id' }) bigOrderId!: Id<'ord'>",
  ],
  [
    'drizzle',
    "Id: idColumn(typeid('ord'))('Id').primaryKey(),",
    "bigOrderId: idColumn(typeid('ord')).ref('big_order_id', () => bigOrders.Id).notNull(),",
  ],
])('%s: a family without column functions of its own', async (orm, ...lines) => {
  expect(await linesOf('uuid', typeids, orm, 'finished')).toEqual(lines)
})

test('an adoption in progress continues only with the same prefix', async () => {
  await database.query('CREATE TABLE orders (id integer PRIMARY KEY)')
  const planned = (prefix: string) =>
    plan(database, [{ table: 'orders', createdAt: SPAN, generator: behind(prefix) }])
  await (await planned('ord')).backfill()
  await planned('ord')
  await expect(planned('pur')).rejects.toThrow(
    'an adoption of public.orders to flax as text with prefix ord_ is in progress; plan it with',
  )
})

test.each<[string, string, TableOptions['generator'], RegExp]>([
  [
    'an epoch',
    'uuid',
    (clock) => flake.withEpoch(1e12).generator({ worker: 1, clock }),
    /big_orders\.Id: these flake ids have another epoch or layout than the default; declare/,
  ],
  [
    'a neighbourhood',
    'uuid',
    (clock) => uid.withNeighbourhood(6).generator({ node: 'x', clock }),
    /big_orders\.Id: these uid ids have another epoch or layout/,
  ],
  [
    'a type without a counterpart',
    'numeric',
    flaxes,
    /big_orders\.Id: can't translate the column type numeric for this ORM; declare the column by hand/,
  ],
])('%s is refused', async (_, keyType, generator, message) => {
  await expect(linesOf(keyType, generator, 'prisma')).rejects.toThrow(message)
})

test('names with any characters become properties and quoted texts', async () => {
  const file = await sqlite.open()
  await file.query(`CREATE TABLE "naïve table" ("2nd 'key'" text PRIMARY KEY)`)
  const adoption = await plan(file, [{ table: 'naïve table', createdAt: SPAN, generator: flaxes }])
  const lines = (orm: Orm) => adoption.schemaChange(orm, 'switched').columns.flatMap((one) => one.lines)
  expect(lines('drizzle')).toEqual([
    "_2ndKey: flaxId('2nd \\'key\\'').primaryKey(),",
    "legacy2ndKey: text('legacy_2nd \\'key\\''),",
  ])
  expect(lines('kysely')).toEqual([
    "'2nd \\'key\\'': flaxId(),",
    "'legacy_2nd \\'key\\'': string | null // in the interface",
  ])
  expect(lines('prisma').at(-1)).toBe(`legacy2ndKey String? @map("legacy_2nd 'key'")`)
  expect(adoption.schemaChange('drizzle', 'switched').indexes).toMatchObject([
    { table: 'naïve table', line: "uniqueIndex('snoflax_legacy_1').on(t.legacy2ndKey)," },
  ])
  const empty = await sqlite.open()
  await empty.query(`CREATE TABLE "naïve table" ("2nd 'key'" text PRIMARY KEY)`)
  for (const sql of adoption.schemaChange('drizzle', 'switched').migration) await empty.query(sql)
  await empty.query(`INSERT INTO "naïve table" ("2nd 'key'", "legacy_2nd 'key'") VALUES ('a', 'b')`)
  await Promise.all([file.close(), empty.close()])
})

test.runIf(mysql.selected())('mariadb: the migration quotes names and comments', async () => {
  const [adopted, empty] = [await mysql.open(), await mysql.open()]
  const comment = 'it\'\'s "one" \\\\ `two`'
  const shapes: unknown[] = []
  for (const one of [adopted, empty])
    await one.query(
      `CREATE TABLE \`odd "t\` (\`a"b\` varchar(20) PRIMARY KEY COMMENT '${comment}', \`c\`\`d\` int DEFAULT 1 COMMENT '${comment}')`,
    )
  const adoption = await plan(adopted, [{ table: 'odd "t', createdAt: SPAN, generator: flaxes }])
  for (const sql of adoption.schemaChange('drizzle', 'switched').migration) await empty.query(sql)
  await adoption.backfill()
  await adoption.switchKeys()
  for (const one of [adopted, empty]) shapes.push(await one.query('SHOW CREATE TABLE `odd "t`'))
  expect(shapes[0]).toEqual(shapes[1])
  await Promise.all([adopted.close(), empty.close()])
})

test('an unknown ORM or stage is refused', async () => {
  await expect(linesOf('uuid', flaxes, 'knex' as Orm)).rejects.toThrow(
    /orm: pass one of typeorm, prisma, drizzle/,
  )
  await database.query('DROP TABLE line, big_orders')
  await expect(linesOf('uuid', flaxes, 'prisma', 'switch' as Stage)).rejects.toThrow(
    /stage: pass one of backfilling, switched, finished/,
  )
})

/** A key and its legacy column. */
async function keyLines(
  kind: 'sqlite' | 'mysql',
  keyType: string,
  orm: Orm,
  options: Partial<TableOptions> = {},
): Promise<string[]> {
  const other = await (kind === 'sqlite' ? sqlite : mysql).open()
  try {
    await other.query(`CREATE TABLE orders (id ${keyType} PRIMARY KEY)`)
    const adoption = await plan(other as Opened, [
      { table: 'orders', createdAt: SPAN, generator: flakes, ...options },
    ])
    return adoption.schemaChange(orm, 'switched').columns.flatMap(({ lines }) => [...lines])
  } finally {
    await other.close()
  }
}

test.each<[Orm, string, ...string[]]>([
  [
    'typeorm',
    'VARCHAR(30)',
    "@FlakeIdColumn({ generator, storage: 'binary' }) id!: FlakeId",
    "@Column('varchar', { name: 'legacy_id', length: 30, nullable: true }) legacyId!: string | null",
  ],
  [
    'prisma',
    'BIGINT',
    'id Bytes @id @default(dbgenerated()) /// @snoflax flake',
    'legacyId BigInt? @map("legacy_id")',
  ],
  [
    'drizzle',
    'VARCHAR(30)',
    "id: flakeId('id', { generator, storage: 'binary' }).primaryKey(),",
    "legacyId: text('legacy_id', { length: 30 }),",
  ],
])("sqlite, %s: the lines have the columns' names and types", async (orm, keyType, ...lines) => {
  expect(await keyLines('sqlite', keyType, orm, { storage: 'binary' })).toEqual(lines)
})

test('sqlite: numbers are declared as exact', async () => {
  const options = { storage: 'bigint', exactBigint: true } as const
  const [line] = await keyLines('sqlite', 'BIGINT', 'drizzle', options)
  expect(line).toBe("id: flakeId('id', { generator, storage: 'bigint', exactBigint: true }).primaryKey(),")
})

test('sqlite: a column type without a counterpart is refused', async () => {
  await expect(keyLines('sqlite', 'numeric', 'drizzle', { storage: 'binary' })).rejects.toThrow(
    /orders\.id: can't translate the column type numeric for this ORM; declare/,
  )
  await expect(keyLines('sqlite', '', 'drizzle', { storage: 'binary' })).rejects.toThrow(
    /orders\.id: can't translate the column type \(none\)/,
  )
})

test.runIf(mysql.selected()).each<[Orm, string, ...string[]]>([
  [
    'typeorm',
    'char(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    '@FlakeIdColumn({ generator }) id!: FlakeId',
    "@Column('char', { name: 'legacy_id', length: 36, charset: 'utf8mb4', collation: 'utf8mb4_bin', nullable: true }) legacyId!: string | null",
  ],
  [
    'prisma',
    'int unsigned',
    'id BigInt @id @default(dbgenerated()) @db.UnsignedBigInt /// @snoflax flake',
    'legacyId Int? @map("legacy_id") @db.UnsignedInt',
  ],
  [
    'drizzle',
    'bigint unsigned',
    "id: flakeId('id', { generator }).primaryKey(),",
    "legacyId: bigint('legacy_id', { mode: 'bigint', unsigned: true }),",
  ],
])("mariadb, %s: the lines have the columns' names and types", async (orm, keyType, ...lines) => {
  expect(await keyLines('mysql', keyType, orm)).toEqual(lines)
})

test.runIf(mysql.selected())('mariadb: a column type without a counterpart is refused', async () => {
  await expect(keyLines('mysql', 'uuid', 'drizzle')).rejects.toThrow(
    /orders\.id: can't translate the column type uuid for this ORM/,
  )
})
