import { flake, flax, prefixed, storageFor } from '@snoflax/core'
import { sqlCall } from '@snoflax/core/adapter'
import { postgres, sqlite } from '@snoflax/test'
import { expect, test } from 'vitest'
import { declaring } from './declaring.js'
import { doctor, openInstalled, type Report, told } from './reports.js'
import { cli } from './running.js'

const ids = Array.from({ length: 30 }, (_, n) => flax.generateAt(Date.now() - 86_400_000 + n * 1000))
const bytes = ids.map((id) => `X'${Buffer.from(flax.decode(id)).toString('hex')}'`)
const texts = ids.map((id) => `'${id}'`)
const behind = (prefix: string): string[] => ids.map((id) => `'${prefix}_${id}'`)

/** A key and a column without a foreign key that has the same ids. */
async function joined(
  [keyType, keys]: readonly [string, readonly string[]],
  [type, values]: readonly [string, readonly string[]],
) {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE customer (id ${keyType} PRIMARY KEY NOT NULL);
    CREATE TABLE log (customer_id ${type});
    INSERT INTO customer VALUES ${keys.map((one) => `(${one})`).join(', ')};
    ${values.length > 0 ? `INSERT INTO log VALUES ${values.map((one) => `(${one})`).join(', ')}` : ''}`)
  return database
}

test.each([
  ['binary, and text with a prefix', ['BLOB', bytes], ['TEXT', behind('cus')]],
  ['text, and text with a prefix', ['TEXT', texts], ['TEXT', behind('cus')]],
  ['text with a prefix, and binary', ['TEXT', behind('cus')], ['BLOB', bytes]],
  ['text with a prefix, and without', ['TEXT', behind('cus')], ['TEXT', texts]],
  ['two prefixes', ['TEXT', behind('cus')], ['TEXT', behind('ord')]],
] as const)(
  'a key and a reference that store its ids in two forms are found and cured: %s',
  async (_, key, column) => {
    const database = await joined(key, column)
    const { findings } = await doctor(database.file)
    expect(told({ findings } as Report)).toEqual(['reference log.customer_id'])
    expect(findings[0]?.message).toMatch(/^stores ids of customer\.id as .*: joins find nothing$/)
    database.connection.exec(findings[0]?.cure.sql as string)
    const found = database.connection.prepare('SELECT count(*) FROM log JOIN customer ON id = customer_id')
    expect(found.pluck().get()).toBe(ids.length)
    expect((await doctor(database.file)).findings).toEqual([])
    await database.close()
  },
)

test('the report has each column once, with family and prefix, and a column passed twice is refused', async () => {
  const database = await joined(['TEXT', behind('cus')], ['TEXT', behind('cus')])
  const { columns } = await doctor(database.file)
  expect(columns.map(({ place }) => place)).toEqual(['customer.id', 'log.customer_id'])
  expect(columns[0]).toMatchObject({ place: 'customer.id', family: 'flax', prefix: 'cus', storage: 'text' })
  expect((await cli(['doctor', database.file])).out).toContain(
    'customer.id  flax behind cus_ as text, by its values',
  )
  const twice = ['--column', 'customer.id=flax:cus_', '--column', 'customer.id=sno']
  expect(await cli(['doctor', database.file, ...twice])).toMatchObject({
    code: 2,
    err: 'snoflax: --column customer.id is passed twice; pass it once\n',
  })
  await database.close()
})

test.each([
  ['text', (id: string) => `usr: an id must begin with "usr_", not with "cus_" as "${id}"`],
  [
    'binary',
    (id: string) =>
      `"${id}" has the prefix cus_, but the column is declared with usr_; correct the declaration, or the value`,
  ],
])('another prefix than the declared one in %s is refused with both', async (storage, reason) => {
  const database = await joined(['TEXT', behind('cus')], ['TEXT', []])
  const declared = declaring('other', `customer: { id: behind('usr')({ storage: '${storage}' }) }`, 'sqlite')
  const { findings } = await doctor(database.file, '--kysely', declared)
  expect(findings).toMatchObject([
    {
      check: 'malformed',
      message: expect.stringContaining(reason(`cus_${ids[0]}`)),
    },
  ])
  await database.close()
})

test.each([
  sqlCall(prefixed(flax, 'nte'), 'text'),
  "snoflax.flax_prefixed_encode('nte', snoflax.flax_generate())",
])('defaults are recognized by the prefix they write, and by the declared one: %s', async (generate) => {
  const database = await openInstalled()
  await database.query(`
    CREATE TABLE note (id text COLLATE "C" PRIMARY KEY DEFAULT ${generate});
    CREATE TABLE customer (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid());
    INSERT INTO note SELECT FROM generate_series(1, 30);
    INSERT INTO customer SELECT FROM generate_series(1, 30)`)
  const declared = declaring(
    'defaults',
    `note: { id: behind('nte')() }, customer: { id: behind('cus')({ storage: 'uuid' }) }`,
  )
  for (const [options, prefix] of [
    [[], undefined],
    [['--kysely', declared], 'cus'],
  ] as const) {
    const report = await doctor(database.url, '--skip', 'cross-check', ...options)
    expect(report.findings).toEqual([])
    expect(report.columns.map((one) => [one.place, one.family, one.prefix])).toEqual([
      ['customer.id', 'flax', prefix],
      ['note.id', 'flax', 'nte'],
    ])
  }
  await database.close()
})

test('a default that generates ids with another prefix, or without one, is found', async () => {
  const database = await openInstalled()
  await database.query(`CREATE TABLE note (id text COLLATE "C" PRIMARY KEY DEFAULT ${sqlCall(prefixed(flax, 'nte'), 'text')});
    CREATE TABLE memo (id text COLLATE "C" PRIMARY KEY DEFAULT ${sqlCall(flax, 'text')})`)
  const declared = declaring('another', `note: { id: behind('tic')() }, memo: { id: behind('mem')() }`)
  const { findings } = await doctor(database.url, '--skip', 'cross-check', '--kysely', declared)
  expect(findings.map(({ message }) => message)).toEqual([
    'its default generates flax as storage text, but the column stores mem as text',
    'its default generates flax as storage text with prefix nte_, but the column stores tic as text',
  ])
  await database.close()
})

test('a default in SQLite is recognized by the prefix it writes', async () => {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE note (id TEXT PRIMARY KEY NOT NULL DEFAULT ('nte_' || flax_generate_text()));
    CREATE TABLE memo (id TEXT PRIMARY KEY NOT NULL DEFAULT ('mem_' || flax_generate_text()))`)
  const { columns, findings } = await doctor(database.file, '--column', 'memo.id=flax:tic_')
  expect(columns).toMatchObject([
    { place: 'note.id', family: 'flax', prefix: 'nte', storage: 'text', evidence: 'default' },
    { place: 'memo.id', family: 'flax', prefix: 'tic', storage: 'text', evidence: 'option' },
  ])
  expect(findings.map(({ message }) => message)).toEqual([
    'its default generates flax as storage text with prefix mem_, but the column stores tic as text',
  ])
  await database.close()
})

test('cures of columns that store a prefix write it', async () => {
  const database = await openInstalled()
  await database.query(`
    CREATE TABLE memo (id text COLLATE "C" PRIMARY KEY DEFAULT snoflax.flax_generate_text());
    CREATE TABLE other (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid());
    INSERT INTO other SELECT FROM generate_series(1, 30)`)
  const [one] = await database.query('SELECT id FROM other')
  const options = [
    '--kysely',
    declaring('cures', `memo: { id: behind('mem')() }, other: { id: behind('oth')() }`),
  ]
  const report = await doctor(database.url, '--skip', 'cross-check', ...options)
  expect(told(report)).toEqual(['default memo.id', 'type other.id'])
  for (const { cure } of report.findings) await database.query(cure.sql as string)
  expect((await doctor(database.url, '--skip', 'cross-check', ...options)).findings).toEqual([])
  for (const [table, prefix] of [
    ['memo', 'mem'],
    ['other', 'oth'],
  ] as const) {
    const [made] = await database.query(`INSERT INTO ${table} DEFAULT VALUES RETURNING id`)
    expect(made?.['id']).toMatch(new RegExp(`^${prefix}_.{16}$`))
  }
  const kept = `oth_${storageFor(flax, 'postgres', { storage: 'uuid' }).fromDatabase(one?.['id'])}`
  expect(await database.query('SELECT id FROM other WHERE id = $1', [kept])).toHaveLength(1)
  await database.close()
})

test('a reference declared with another prefix than its target is found', async () => {
  const database = await postgres.open()
  await database.query(`CREATE TABLE customer (id text COLLATE "C" PRIMARY KEY);
    CREATE TABLE orders (id text COLLATE "C" PRIMARY KEY, customer text COLLATE "C" REFERENCES customer)`)
  const tables = (prefix: string): string =>
    `customer: { id: behind('cus')() }, orders: { id: behind('ord')(), customer: behind('${prefix}').plain() }`
  const right = await doctor(database.url, '--kysely', declaring('right', tables('cus')))
  expect(right.findings).toEqual([])
  const wrong = await doctor(database.url, '--kysely', declaring('wrong', tables('cli')))
  expect(wrong.findings).toMatchObject([
    {
      check: 'declaration',
      where: 'orders.customer',
      message: 'declared as cli, but it references customer.id, which is declared as cus',
    },
  ])
  await database.close()
})

test('a reference declared without a prefix has that of its target', async () => {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE customer (id TEXT PRIMARY KEY NOT NULL);
    CREATE TABLE orders (customer TEXT REFERENCES customer);
    INSERT INTO customer VALUES (${behind('cus').join('), (')}); INSERT INTO orders SELECT id FROM customer`)
  const tables = `customer: { id: behind('cus')() }, orders: { customer: idColumn(flax).plain() }`
  const { columns, findings } = await doctor(
    database.file,
    '--kysely',
    declaring('prefixless', tables, 'sqlite'),
  )
  expect(findings).toEqual([])
  expect(columns).toMatchObject([
    { place: 'customer.id', prefix: 'cus' },
    { place: 'orders.customer', prefix: 'cus', evidence: 'declared' },
  ])
  await database.close()
})

test('keys of two tables declared with one prefix are compared', async () => {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE users (id TEXT PRIMARY KEY);
    CREATE TABLE customer (id TEXT PRIMARY KEY);
    CREATE TABLE orders (order_id TEXT PRIMARY KEY, customer_id TEXT);
    CREATE TABLE vip (id TEXT PRIMARY KEY REFERENCES customer);
    CREATE TABLE profile (user_id TEXT PRIMARY KEY)`)
  const stated = (prefix: string): string =>
    declaring(
      `sharing-${prefix}`,
      `users: { id: behind('usr')() }, profile: { user_id: behind('usr')() },
       customer: { id: behind('cus')() }, vip: { id: behind('cus')() },
       orders: { order_id: behind('${prefix}')(), customer_id: behind('cus').plain() }`,
    )
  expect((await doctor(database.file, '--kysely', stated('ord'))).findings).toEqual([])
  expect((await doctor(database.file, '--kysely', stated('cus'))).findings).toEqual([
    {
      check: 'declaration',
      severity: 'warning',
      where: 'orders.order_id',
      message: "declared with the prefix cus_, as customer.id is: the prefix doesn't tell their ids apart",
      cure: {
        leaves:
          'declare one of them with another prefix; if they have the same ids, add a foreign key between them',
      },
    },
  ])
  await database.close()
})

test.each([
  ['uuid', 'flax', "behind('cus')({ storage: 'uuid' })"],
  ['uuid8', 'flax', "behind('cus')({ storage: 'uuid8' })"],
  ['binary', 'flax', "behind('cus')({ storage: 'binary' })"],
  [
    'bigint',
    'flake',
    "idColumn(prefixed(flake, 'cus'))({ storage: 'bigint', generator: prefixed(flake, 'cus').generator({ worker: 1 }) })",
  ],
] as const)(
  'text with a prefix is found and cured in a column declared as %s',
  async (storage, name, column) => {
    const database = await openInstalled()
    const flakes = flake.generator({ worker: 1 })
    const own: string[] = name === 'flax' ? ids : ids.map(() => flakes.generate())
    const values = own.map((id, n) => `('${n % 10 === 9 ? '' : 'cus_'}${id}')`)
    await database.query(`CREATE TABLE customer (id text COLLATE "C" PRIMARY KEY);
    INSERT INTO customer VALUES ${values.join(', ')}`)
    const declared = declaring(`declared-${storage}`, `customer: { id: ${column} }`)
    const { findings } = await doctor(database.url, '--skip', 'cross-check', '--kysely', declared)
    expect(findings).toMatchObject([{ check: 'type', where: 'customer.id' }])
    await database.query(findings[0]?.cure.sql as string)
    const { fromDatabase } = storageFor<string>(name === 'flax' ? flax : flake, 'postgres', { storage })
    const rows = await database.query('SELECT id FROM customer')
    expect(rows.map(({ id }) => fromDatabase(id)).sort()).toEqual([...own].sort())
    expect((await doctor(database.url, '--skip', 'cross-check', '--kysely', declared)).findings).toEqual([])
    await database.close()
  },
)

test.each([
  ['cus_', 'text COLLATE "C"'],
  ['', 'text COLLATE "C"'],
  ['cus_', 'varchar(40)'],
])(
  'foreign keys of text with the prefix "%s" in %s are converted to uuid with their columns',
  async (prefix, type) => {
    const database = await openInstalled()
    const values = (more = ''): string => ids.map((id) => `('${prefix}${id}'${more})`).join(', ')
    await database.query(`CREATE SCHEMA shop;
    CREATE TABLE customer (id ${type} PRIMARY KEY, region int NOT NULL DEFAULT 1, UNIQUE (region, id),
      invited_by ${type} CONSTRAINT "by" REFERENCES customer DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE shop.orders (n serial PRIMARY KEY, region int DEFAULT 1,
      customer_id ${type} REFERENCES customer ON DELETE CASCADE,
      FOREIGN KEY (region, customer_id) REFERENCES customer (region, id) ON UPDATE CASCADE);
    INSERT INTO customer (id) VALUES ${values()};
    UPDATE customer SET invited_by = (SELECT min(id) FROM customer);
    INSERT INTO shop.orders (customer_id) VALUES ${values()}, (NULL)`)
    const keys = () =>
      database.query(
        "SELECT conrelid::regclass AS place, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND connamespace <> 'snoflax'::regnamespace ORDER BY conname",
      )
    const before = await keys()
    const declared = declaring(
      `tied-${database.name}`,
      `customer: { id: behind('cus')({ storage: 'uuid' }) }`,
    )
    const options = ['--skip', 'cross-check', '--kysely', declared]
    const tried = await doctor(database.url, ...options, '--dry-run')
    expect(tried.dryRun).toEqual({ ran: 1, refused: [], findings: [] })
    const report = await doctor(database.url, ...options)
    expect(told(report)).toEqual([
      'type customer.id',
      'type customer.invited_by',
      'type shop.orders.customer_id',
    ])
    expect(report.findings.slice(1).map(({ cure }) => cure)).toEqual([
      { leaves: 'the statements for customer.id convert this column too' },
      { leaves: 'the statements for customer.id convert this column too' },
    ])
    await database.query(report.findings[0]?.cure.sql as string)
    expect((await doctor(database.url, ...options)).findings).toEqual([])
    expect(await keys()).toEqual(before)
    const rows = await database.query(
      'SELECT o.customer_id AS id FROM shop.orders o JOIN customer c ON c.id = o.customer_id JOIN customer b ON b.id = c.invited_by',
    )
    const { fromDatabase } = storageFor<string>(flax, 'postgres', { storage: 'uuid' })
    expect(rows.map(({ id }) => fromDatabase(id)).sort()).toEqual([...ids].sort())
    await database.close()
  },
)

test('a value that is not an id stops the cure of tied columns, and nothing has changed', async () => {
  const database = await openInstalled()
  await database.query(`CREATE TABLE customer (id text COLLATE "C" PRIMARY KEY);
    CREATE TABLE orders (customer_id text COLLATE "C" REFERENCES customer);
    INSERT INTO customer VALUES ${behind('cus').map((one) => `(${one})`)}, ('ord_0123456789abcdef')`)
  const declared = declaring('tied-stops', `customer: { id: behind('cus')({ storage: 'uuid' }) }`)
  const { findings } = await doctor(database.url, '--skip', 'cross-check', '--kysely', declared)
  await expect(database.query(findings[0]?.cure.sql as string)).rejects.toThrow(/flax_encode: "ord_/)
  const client = await database.connect()
  expect((await client.query('TABLE customer')).rows).toHaveLength(ids.length + 1)
  await expect(client.query("INSERT INTO orders VALUES ('x')")).rejects.toMatchObject({ code: '23503' })
  await database.close()
})

test('text with a prefix in SQLite that is declared as binary becomes BLOB with a CHECK', async () => {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE customer (id VARCHAR(40) PRIMARY KEY NOT NULL, name TEXT);
    CREATE TABLE orders (customer_id VARCHAR(40) REFERENCES customer);
    INSERT INTO customer (id) VALUES ${behind('cus').map((one) => `(${one})`)};
    INSERT INTO orders VALUES ${behind('cus').map((one) => `(${one})`)}`)
  const declared = declaring(
    'sqlite-binary',
    `customer: { id: behind('cus')({ storage: 'binary' }) }`,
    'sqlite',
  )
  const { findings, advice } = await doctor(database.file, '--kysely', declared)
  expect(advice.map(({ where, message }) => [where, message])).toEqual([
    ['customer.id', expect.stringMatching(/^VARCHAR\(40\) is not the type of ids as bytes/)],
    ['orders.customer_id', expect.stringMatching(/^VARCHAR\(40\) is not the type of ids as bytes/)],
  ])
  for (const { cure } of [...findings, ...advice]) database.connection.exec(cure.sql as string)
  expect(await doctor(database.file, '--kysely', declared)).toMatchObject({ findings: [], advice: [] })
  const types = database.connection.prepare(
    "SELECT type FROM pragma_table_info('customer') WHERE name = 'id' UNION ALL SELECT type FROM pragma_table_info('orders')",
  )
  expect(types.pluck().all()).toEqual(['BLOB', 'BLOB'])
  const found = database.connection.prepare('SELECT count(*) FROM orders JOIN customer ON id = customer_id')
  expect(found.pluck().get()).toBe(ids.length)
  await database.close()
})
