import type { Orm, Stage, TableOptions } from '@snoflax/adopt'
import { flake, flax, prefixed, typeid } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { mysql, type PostgresDatabase, postgres, sqlite } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { flaxes, type Opened, plan } from './moves.js'

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

const behind =
  (prefix: string): TableOptions['generator'] =>
  (clock) =>
    prefixed(flax, prefix).generator({ monotonic: true, clock })
const typeids: TableOptions['generator'] = (clock) => typeid('ord').generator({ clock })

test.each<[ids: string, TableOptions['generator'], 'uuid' | undefined, Orm, ...string[]]>([
  [
    'a storage that an option names',
    flaxes,
    'uuid',
    'drizzle',
    "Id: flaxId('Id', { storage: 'uuid' }).primaryKey(),",
    "bigOrderId: flaxId.ref('big_order_id', () => bigOrders.Id).notNull(),",
  ],
  [
    'a prefix',
    behind('ord'),
    'uuid',
    'typeorm',
    "@FlaxIdColumn({ prefix: 'ord', storage: 'uuid' }) Id!: Id<'ord'>",
    "@FlaxIdColumn.plain({ name: 'big_order_id', prefix: 'ord' }) bigOrderId!: Id<'ord'>",
  ],
  [
    'a prefix',
    behind('ord'),
    undefined,
    'drizzle',
    "Id: flaxId('Id', { prefix: 'ord' }).primaryKey(),",
    "bigOrderId: flaxId.ref('big_order_id', () => bigOrders.Id).notNull(),",
  ],
  [
    'a prefix',
    behind('ord'),
    'uuid',
    'prisma',
    'Id String @id @default(dbgenerated()) @db.Uuid /// @snoflax flax prefix=ord',
    'bigOrderId String @map("big_order_id") @db.Uuid',
  ],
  [
    'a family without column functions of its own',
    typeids,
    undefined,
    'typeorm',
    "@IdColumn(typeid('ord')) Id!: Id<'ord'>",
    "@IdColumn.plain(typeid('ord'), { name: 'big_order_id' }) bigOrderId!: Id<'ord'>",
  ],
  [
    'a family without column functions of its own',
    typeids,
    undefined,
    'drizzle',
    "Id: idColumn('Id', typeid('ord')).primaryKey(),",
    "bigOrderId: idColumn.ref('big_order_id', () => bigOrders.Id).notNull(),",
  ],
])('%s is written out', async (_, generator, storage, orm, ...lines) => {
  expect(await linesOf('uuid', generator, orm, 'finished', storage)).toEqual(lines)
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

test.each<[Orm, string, string]>([
  [
    'typeorm',
    "@FlaxIdColumn.plain({ prefix: 'ord', storage: 'text', nullable: true }) buyer!: Id<'ord'> | null",
    '@Column',
  ],
  ['prisma', 'buyer String? /// @snoflax flax prefix=ord', 'legacyBuyer'],
  ['drizzle', "buyer: flaxId.plain('buyer', { prefix: 'ord', storage: 'text' }),", 'legacyBuyer: integer('],
  ['kysely', "buyer: idColumn.ref('public.orders.id'),", 'legacy_buyer: number'],
])('%s: a declared column has no foreign key', async (orm, line, legacy) => {
  for (const sql of [
    'CREATE TABLE orders (id integer PRIMARY KEY)',
    'CREATE TABLE visits (buyer integer, payload jsonb)',
  ])
    await database.query(sql)
  const generator: TableOptions['generator'] = (clock) =>
    prefixed(flax, 'ord').generator({ monotonic: true, clock })
  const references = { 'visits.buyer': 'orders', 'visits.payload': { paths: { '$.order': 'orders' } } }
  const adoption = await plan(database, [{ table: 'orders', createdAt: SPAN, storage: 'text', generator }], {
    references,
  })
  const { columns } = adoption.schemaChange(orm, 'switched')
  const linesOf = (name: string) => columns.find(({ column }) => column === name)?.lines
  expect(linesOf('buyer')).toEqual([line, expect.stringContaining(legacy)])
  expect(linesOf('payload')).toEqual([
    '// payload contains ids of public.orders beside others: declare it by hand',
  ])
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

const BINARY = { storage: 'binary' } as const
const ofServer = <Case extends readonly [kind: 'sqlite' | 'mysql', ...unknown[]]>(...cases: Case[]) =>
  cases.filter(([kind]) => kind === 'sqlite' || mysql.selected())

test.each(
  ofServer<['sqlite' | 'mysql', Orm, string, Partial<TableOptions>, ...string[]]>(
    [
      'sqlite',
      'typeorm',
      'VARCHAR(30)',
      BINARY,
      "@FlakeIdColumn({ generator, storage: 'binary' }) id!: FlakeId",
      "@Column('varchar', { name: 'legacy_id', length: 30, nullable: true }) legacyId!: string | null",
    ],
    [
      'sqlite',
      'prisma',
      'BIGINT',
      BINARY,
      'id Bytes @id @default(dbgenerated()) /// @snoflax flake',
      'legacyId BigInt? @map("legacy_id")',
    ],
    [
      'sqlite',
      'drizzle',
      'VARCHAR(30)',
      { storage: 'bigint', exactBigint: true },
      "id: flakeId('id', { generator, storage: 'bigint', exactBigint: true }).primaryKey(),",
      "legacyId: text('legacy_id', { length: 30 }),",
    ],
    [
      'mysql',
      'typeorm',
      'char(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
      {},
      '@FlakeIdColumn({ generator }) id!: FlakeId',
      "@Column('char', { name: 'legacy_id', length: 36, charset: 'utf8mb4', collation: 'utf8mb4_bin', nullable: true }) legacyId!: string | null",
    ],
    [
      'mysql',
      'prisma',
      'int unsigned',
      {},
      'id BigInt @id @default(dbgenerated()) @db.UnsignedBigInt /// @snoflax flake',
      'legacyId Int? @map("legacy_id") @db.UnsignedInt',
    ],
    [
      'mysql',
      'drizzle',
      'bigint unsigned',
      {},
      "id: flakeId('id', { generator }).primaryKey(),",
      "legacyId: bigint('legacy_id', { mode: 'bigint', unsigned: true }),",
    ],
  ),
)(
  "%s, %s: the lines have the columns' names and types, of %s",
  async (kind, orm, keyType, options, ...lines) => {
    expect(await keyLines(kind, keyType, orm, options)).toEqual(lines)
  },
)

test.each(
  ofServer<['sqlite' | 'mysql', string, Partial<TableOptions>]>(
    ['sqlite', 'numeric', BINARY],
    ['sqlite', '', BINARY],
    ['mysql', 'uuid', {}],
  ),
)('%s: a column type without a counterpart is refused: %s', async (kind, keyType, options) => {
  await expect(keyLines(kind, keyType, 'drizzle', options)).rejects.toThrow(
    `orders.id: can't translate the column type ${keyType || '(none)'} for this ORM; declare`,
  )
})
