/// <reference types="vite/types/importMeta.d.ts" />
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { flax, type IdFamily, IdError as OurError, sno } from '@snoflax/core'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'

const { EntitySchema } = createRequire(new URL('../packages/mikro-orm/package.json', import.meta.url))(
  '@mikro-orm/core',
)

// A name with a typo in an options object is refused by every function of every package, and not a default in silence.
// Core's own functions are in its test/malformed/option-objects.test.ts.

// biome-ignore lint/suspicious/noExplicitAny: exports of twelve packages, which are no dependencies of this one
type Exports = Readonly<Record<string, any>>

const SOURCES = Object.entries(
  import.meta.glob<Exports>(['../{packages,tools}/*/src/index.ts', '../packages/*/src/*-core/index.ts']),
)
const load = (path: string): Promise<Exports> =>
  (SOURCES.find(([file]) => file.endsWith(`/${path}/index.ts`)) as [string, () => Promise<Exports>])[1]()

type Call = (exports: Exports, wrong: object) => unknown
const client = { query: async () => ({ rows: [] }) }
const generator = (clock: () => number) => flax.generator({ monotonic: true, clock })
const leased = { family: sno, numbers: { min: 1, max: 9 } }
const table = { table: 'orders', createdAt: 'created_at', generator }

/** In memory, of one table. */
async function adoption(
  planAdoption: (client: unknown, options: object) => Promise<Exports>,
): Promise<Exports> {
  const database = new Database(':memory:')
  database.exec('CREATE TABLE orders (id integer PRIMARY KEY, created_at text NOT NULL)')
  return planAdoption(database, { tables: [table] })
}

/** A column of a new table; Drizzle reads its options when the table is declared. */
async function column(
  dialect: 'pg' | 'sqlite' | 'mysql',
  declare: (flaxId: Exports[string]) => unknown = (flaxId) => flaxId().primaryKey(),
): Promise<unknown> {
  const { flaxId } = await load(`drizzle/src/${dialect}-core`)
  const drizzle = new URL(
    `../packages/drizzle/node_modules/drizzle-orm/${dialect}-core/index.js`,
    import.meta.url,
  )
  const { [`${dialect}Table`]: declareTable } = (await import(/* @vite-ignore */ drizzle.href)) as Exports
  return declareTable('orders', { id: declare(flaxId) }).id
}

const ordersOf = (idPlugin: Exports[string], id: unknown) =>
  idPlugin({ database: 'sqlite', tables: { orders: { id } } })
const kysely =
  (isPlain: boolean): Call =>
  ({ idPlugin, flaxId }, wrong) =>
    ordersOf(idPlugin, isPlain ? flaxId.plain(wrong) : flaxId(wrong))

/** By source: the type of the options, and a call with some that are wrong. */
const CALLS: Readonly<Record<string, readonly (readonly [type: string, call: Call])[]>> = {
  'adopt/src': [
    ['AdoptionOptions', ({ planAdoption }, wrong) => planAdoption(client, { tables: [table], ...wrong })],
    ['TableOptions', ({ planAdoption }, wrong) => planAdoption(client, { tables: [{ ...table, ...wrong }] })],
    [
      'BackfillOptions',
      ({ planAdoption }, wrong) => adoption(planAdoption).then(({ backfill }) => backfill(wrong)),
    ],
    [
      'SwitchOptions',
      ({ planAdoption }, wrong) => adoption(planAdoption).then(({ switchKeys }) => switchKeys(wrong)),
    ],
    [
      'SwitchOptions',
      ({ planAdoption }, wrong) => adoption(planAdoption).then(({ finish }) => finish(wrong)),
    ],
    [
      'ColumnTime',
      ({ planAdoption }, wrong) =>
        planAdoption(client, { tables: [{ ...table, createdAt: { column: 'at', ...wrong } }] }),
    ],
  ],
  'better-sqlite3/src': [
    ['RegisterOptions', ({ registerSnoflax }, wrong) => registerSnoflax({ function() {} }, wrong)],
  ],
  'drizzle/src': [
    ['KeysetOptions', async ({ keyset }, wrong) => keyset(await column('pg'), wrong)],
    ['StorageOptions', (_, wrong) => column('pg', (flaxId) => flaxId.plain(wrong))],
    ['KeyOptions', (_, wrong) => column('pg', (flaxId) => flaxId({ accept: /x/, ...wrong }))],
    ['SQLiteStorageOptions', (_, wrong) => column('sqlite', (flaxId) => flaxId.plain(wrong))],
    ['ReferenceOptions', (_, wrong) => column('pg', (flaxId) => flaxId.ref('id', () => column('pg'), wrong))],
    ['GeneratedOptions', (_, wrong) => column('sqlite', (flaxId) => flaxId(wrong))],
    ['DatabaseDefaultOptions', (_, wrong) => column('pg', (id) => id({ default: 'database', ...wrong }))],
    ['MysqlDefaultOptions', (_, wrong) => column('mysql', (id) => id({ default: 'database', ...wrong }))],
  ],
  'drizzle/src/pg-core': [
    ['FunctionOptions', async ({ minId }, wrong) => minId(await column('pg'), wrong)],
    ['FunctionOptions', async ({ createdAt }, wrong) => createdAt(await column('pg'), wrong)],
  ],
  'etcd/src': [
    ['EtcdOptions', ({ etcdLeases }, wrong) => etcdLeases({ endpoints: ['http://127.0.0.1:1'], ...wrong })],
  ],
  'families/src': [
    [
      'SnowflakeGeneratorOptions',
      ({ twitter }, wrong) => twitter.generator({ datacenter: 1, worker: 1, ...wrong }),
    ],
    ['UidGeneratorOptions', ({ uid }, wrong) => uid.generator({ node: 'a@h', ...wrong })],
    ['UidStepOptions', ({ uidLocal }, wrong) => uidLocal.generator(wrong)],
  ],
  'kysely/src': [
    ['IdPluginOptions', ({ idPlugin }, wrong) => idPlugin({ database: 'sqlite', tables: {}, ...wrong })],
    [
      'NameOption',
      ({ idPlugin, flaxId }, wrong) => ordersOf(idPlugin, flaxId()).createdAfter('orders.id', 0, wrong),
    ],
    [
      'KeysetOptions',
      ({ idPlugin, flaxId }, wrong) => ordersOf(idPlugin, flaxId()).keyset('orders.id', wrong),
    ],
    ['GeneratedOptions', kysely(false)],
    ['StorageOptions', kysely(true)],
    ['KeyOptions', kysely(false)],
  ],
  'leases/src': [
    ['LeaseOptions', ({ leasePartitionFrom }, wrong) => leasePartitionFrom({}, { ...leased, ...wrong })],
  ],
  'mikro-orm/src': [
    ['IdOptions', ({ flaxId }, wrong) => flaxId(wrong)],
    ['PlainIdOptions', ({ flaxId }, wrong) => flaxId.plain(wrong)],
    ['KeyOptions', ({ flaxId }, wrong) => flaxId({ accept: /x/, ...wrong })],
    [
      'KeysetOptions',
      ({ flaxId, keyset }, wrong) => {
        const Order = new EntitySchema({ name: 'Order', properties: { id: flaxId() } })
        return keyset(Order, { take: 5, ...wrong })
      },
    ],
  ],
  'mysql-sql/src': [
    ['LeaseOptions', ({ leasePartition }, wrong) => leasePartition(client, { ...leased, ...wrong })],
    ['ColumnOptions', ({ columnSql }, wrong) => columnSql(flax, { server: 'mysql', ...wrong })],
    ['InstallOptions', ({ install }, wrong) => install(client, wrong)],
    ['InstallOptions', ({ installStatements }, wrong) => installStatements('mysql', wrong)],
    ['SchemaOption', ({ drift }, wrong) => drift(client, wrong)],
    ['SchemaOption', ({ installedVersion }, wrong) => installedVersion(client, wrong)],
    ['SchemaOption', ({ uninstall }, wrong) => uninstall(client, wrong)],
    ['PartitionOptions', ({ partitionsSql }, wrong) => partitionsSql(flax, { from: 0, until: 1, ...wrong })],
    ['IdColumnName', ({ timeSql }, wrong) => timeSql(flax, { column: 'id', ...wrong })],
  ],
  'pg-sql/src': [
    ['LeaseOptions', ({ leasePartition }, wrong) => leasePartition(client, { ...leased, ...wrong })],
    ['InstallOptions', ({ install }, wrong) => install(client, wrong)],
    ['InstallOptions', ({ installStatements }, wrong) => installStatements(wrong)],
    ['MigrationOptions', ({ typeormMigration }, wrong) => typeormMigration(wrong)],
    ['MigrationOptions', ({ prismaMigration }, wrong) => prismaMigration(wrong)],
    ['MigrationOptions', ({ drizzleMigration }, wrong) => drizzleMigration(wrong)],
    ['{ schema }', ({ installedVersion }, wrong) => installedVersion(client, wrong)],
    ['{ schema }', ({ uninstall }, wrong) => uninstall(client, wrong)],
  ],
  'prisma-extension/src': [
    ['KeysetOptions', ({ keyset }, wrong) => keyset({ take: 5, ...wrong })],
    ['ExtensionOptions', ({ idExtension }, wrong) => idExtension({ database: 'sqlite', models: {} }, wrong)],
  ],
  'seal/src': [
    [
      'SealOptions',
      ({ seal, generateSealKey }, wrong) => seal(flax as IdFamily, { keys: generateSealKey(), ...wrong }),
    ],
  ],
  'typeorm/src': [
    ['PrepareOptions', ({ prepareDataSource }, wrong) => prepareDataSource({}, wrong)],
    [
      'KeysetOptions',
      ({ keyset, FlaxIdColumn }, wrong) => {
        class Row {}
        FlaxIdColumn()(Row.prototype, 'id')
        keyset(Row, { take: 5, ...wrong })
      },
    ],
    ['IdColumnOptions', ({ FlaxIdColumn }, wrong) => FlaxIdColumn(wrong)({}, 'id')],
    ['PlainIdColumnOptions', ({ FlaxIdColumn }, wrong) => FlaxIdColumn.plain(wrong)({}, 'id')],
    ['KeyOptions', ({ FlaxIdColumn }, wrong) => FlaxIdColumn.plain({ accept: /x/, ...wrong })({}, 'id')],
  ],
}

test('every exported type of options is covered here', () => {
  for (const [source] of SOURCES) {
    const path = source.split('/').slice(2, -1).join('/')
    if (path.startsWith('core/')) continue
    const text = readFileSync(new URL(source, import.meta.url), 'utf8')
    const types = [...text.matchAll(/^export [^;]*?from|export (?:type )?\{[^}]*\}/gm)].flatMap(
      ([one]) => one.match(/\b[A-Z]\w*Options\b/g) ?? [],
    )
    const known = (CALLS[path] ?? []).map(([type]) => type)
    const inherited = path.includes('-core') ? (CALLS['drizzle/src'] ?? []).map(([type]) => type) : []
    for (const type of types) expect([...known, ...inherited], `${path}: ${type}`).toContain(type)
  }
})

describe.each(Object.entries(CALLS))('%s', (path, calls) => {
  test.each(calls.map(([type, call], i) => [type, i, call] as const))('%s (%i)', async (_, _i, call) => {
    const error = await load(path)
      .then((exports) => call(exports, { wrongName: 1 }))
      .then(
        () => expect.fail('not refused'),
        (thrown: unknown) => thrown,
      )
    expect(error).toBeInstanceOf(OurError)
    expect(error).toMatchObject({ code: 'INVALID_OPTION' })
    expect((error as Error).message).toMatch(/no option "wrongName"; options are \w/)
  })
})

describe('what others put on Object.prototype is no option', () => {
  const inherited = (name: string, value: unknown, work: () => void): void => {
    Object.defineProperty(Object.prototype, name, { value, configurable: true })
    try {
      work()
    } finally {
      delete (Object.prototype as Record<string, unknown>)[name]
    }
  }

  test('of the installers', async () => {
    const [pg, mysql] = [await load('pg-sql/src'), await load('mysql-sql/src')]
    const texts = () => [pg['installSql']({}), mysql['installStatements']('mariadb', {}).join('\n')]
    const expected = texts()
    inherited('schema', 'foreign', () => expect(texts()).toEqual(expected))
    inherited('grantTo', ['foreign'], () => expect(texts()).toEqual(expected))
  })

  test('of a database connection', async () => {
    const { registerSnoflax } = await load('better-sqlite3/src')
    inherited('families', [], () => {
      const database = registerSnoflax(new Database(':memory:'), {})
      expect(database.prepare("SELECT flax_is_valid('Kpcan0M1FakODT4k')").pluck().get()).toBe(1)
    })
  })

  test.each(['pg', 'sqlite', 'mysql'] as const)("of a column in Drizzle's %s-core", async (dialect) => {
    const declared = column(dialect, (flaxId) => {
      Object.defineProperty(Object.prototype, 'storage', { value: 'binary', configurable: true })
      return flaxId.plain({})
    }).finally(() => delete (Object.prototype as Record<string, unknown>)['storage'])
    expect(((await declared) as Exports)['getSQLType']()).toMatch(/text|char/i)
  })

  test('of a column in Kysely', async () => {
    const { idPlugin, flaxId } = await load('kysely/src')
    inherited('storage', 'binary', () => expect(() => ordersOf(idPlugin, flaxId({}))).not.toThrow())
  })
})
