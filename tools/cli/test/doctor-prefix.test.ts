import { randomUUID } from 'node:crypto'
import { flake, flax, prefixed, sno, storageFor, typeid, uuid7 } from '@snoflax/core'
import { sqlCall } from '@snoflax/core/adapter'
import { mysql, postgres, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { declaring } from './declaring.js'
import { doctor, openInstalled, type Report, told } from './reports.js'
import { cli } from './running.js'

const addressOf = (database: object): string =>
  String((database as { file?: string }).file ?? (database as { url?: string }).url)

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
] as const)('a key and a reference that store its ids in two forms are found: %s', async (_, key, column) => {
  const database = await joined(key, column)
  const { findings } = await doctor(database.file)
  expect(told({ findings } as Report)).toEqual(['reference log.customer_id'])
  expect(findings[0]?.message).toMatch(/^stores ids of customer\.id as .*: joins find nothing$/)
  await database.close()
})

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

test.each([['text', (id: string) => `usr: an id must begin with "usr_", not with "cus_" as "${id}"`]])(
  'another prefix than the declared one in %s is refused with both',
  async (storage, reason) => {
    const database = await joined(['TEXT', behind('cus')], ['TEXT', []])
    const declared = declaring(
      'other',
      `customer: { id: behind('usr')({ storage: '${storage}' }) }`,
      'sqlite',
    )
    const { findings } = await doctor(database.file, '--kysely', declared)
    expect(findings).toMatchObject([
      {
        check: 'malformed',
        message: expect.stringContaining(reason(`cus_${ids[0]}`)),
      },
    ])
    await database.close()
  },
)

test.each([sqlCall(prefixed(flax, 'nte'), 'text'), "snoflax.flax_encode(snoflax.flax_generate(), 'nte')"])(
  'defaults are recognized by the prefix they write, and by the declared one: %s',
  async (generate) => {
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
      const report = await doctor(database.url, ...options)
      expect(report.findings).toEqual([])
      expect(report.columns.map((one) => [one.place, one.family, one.prefix])).toEqual([
        ['customer.id', 'flax', prefix],
        ['note.id', 'flax', 'nte'],
      ])
    }
    await database.close()
  },
)

test('a default that generates ids with another prefix, or without one, is found', async () => {
  const database = await openInstalled()
  await database.query(`CREATE TABLE note (id text COLLATE "C" PRIMARY KEY DEFAULT ${sqlCall(prefixed(flax, 'nte'), 'text')});
    CREATE TABLE memo (id text COLLATE "C" PRIMARY KEY DEFAULT ${sqlCall(flax, 'text')})`)
  const declared = declaring('another', `note: { id: behind('tic')() }, memo: { id: behind('mem')() }`)
  const { findings } = await doctor(database.url, '--kysely', declared)
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

test('the cure of a default writes the prefix', async () => {
  const database = await openInstalled()
  await database.query(
    'CREATE TABLE memo (id text COLLATE "C" PRIMARY KEY DEFAULT snoflax.flax_generate_text())',
  )
  const options = ['--kysely', declaring('cures', `memo: { id: behind('mem')() }`)]
  const report = await doctor(database.url, ...options)
  expect(told(report)).toEqual(['default memo.id'])
  await database.query(report.findings[0]?.cure.sql as string)
  expect((await doctor(database.url, ...options)).findings).toEqual([])
  const [made] = await database.query('INSERT INTO memo DEFAULT VALUES RETURNING id')
  expect(made?.['id']).toMatch(/^mem_.{16}$/)
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
      `users: { id: behind('usr')() }, profile: { user_id: behind('usr').plain() },
       customer: { id: behind('cus')() }, vip: { id: behind('cus').plain() },
       orders: { order_id: behind('${prefix}').plain(), customer_id: behind('cus').plain() }`,
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

test('values that need another form are left to a migration', async () => {
  const database = await openInstalled()
  const numbers = flake.generator({ worker: 1 })
  await database.query(`CREATE TABLE customer (id text COLLATE "C" PRIMARY KEY, number text COLLATE "C", bare text COLLATE "C", short text COLLATE "C");
    CREATE TABLE orders (id uuid PRIMARY KEY, customer_id text COLLATE "C" REFERENCES customer);
    INSERT INTO customer VALUES ${ids.map((id) => `('cus_${id}', 'nr_${numbers.generate()}', '${numbers.generate()}', '${id}')`).join(', ')}`)
  const declared = declaring(
    'forms',
    `customer: { id: behind('cus')({ storage: 'uuid' }), number: idColumn(prefixed(flake, 'nr')).plain({ storage: 'bigint' }),
       bare: idColumn(flake).plain({ storage: 'bigint' }), short: idColumn(flax).plain({ storage: 'uuid' }) },
     orders: { id: behind('ord')() }`,
  )
  const { findings } = await doctor(database.url, '--kysely', declared)
  const left = (storage: string) => ({
    leaves: `store its ids as ${storage}: write a migration that reads and converts each row`,
  })
  expect(new Map(findings.map(({ check, where, cure }) => [`${check} ${where}`, cure]))).toEqual(
    new Map<string, object>([
      ['type customer.id', left('uuid')],
      ['type customer.number', left('bigint')],
      ['type customer.bare', { sql: expect.stringContaining('USING "bare"::bigint') }],
      ['type customer.short', left('uuid')],
      ['type orders.id', left('text')],
      ['type orders.customer_id', left('uuid')],
    ]),
  )
  await database.close()
})

test.each([postgres, mysql, sqlite].filter((kind) => kind.selected()))(
  '$name: one row with a prefix suffices in a key that sorts by byte; otherwise the option is printed',
  async (kind) => {
    const database = await kind.open()
    const type = {
      postgres: 'text COLLATE "C"',
      mysql: 'varchar(20) CHARACTER SET ascii COLLATE ascii_bin',
    }
    const byte = type[kind.name as keyof typeof type] ?? 'TEXT'
    const [one] = behind('cus')
    await database.query(`CREATE TABLE customers (id ${byte} PRIMARY KEY, name VARCHAR(9))`)
    await database.query(`CREATE TABLE teams (id ${byte} PRIMARY KEY)`)
    await database.query(
      `CREATE TABLE members (customer ${byte}, FOREIGN KEY (customer) REFERENCES customers (id))`,
    )
    await database.query(`INSERT INTO customers VALUES (${one}, 'Ada')`)
    await database.query(`INSERT INTO teams VALUES ('${flax.generate()}')`)
    await database.query(`INSERT INTO members VALUES (${one})`)
    const { columns, findings, notes } = await doctor(addressOf(database))
    expect(columns.map(({ place, prefix, evidence }) => [place, prefix, evidence])).toEqual([
      ['customers.id', 'cus', 'values'],
      ['members.customer', 'cus', 'reference'],
    ])
    expect(findings).toEqual([])
    const hint = 'npx snoflax doctor "$DATABASE_URL" --column teams.id=flax'
    expect(notes).toEqual([`teams.id could contain ids, but 1 value is too few to tell: ${hint}`])
    expect((await doctor(addressOf(database), ...hint.split(' ').slice(4))).columns).toHaveLength(3)
    await database.close()
  },
)

test('a key in a collation that sorts otherwise is named by the option that is printed', async () => {
  const database = await postgres.open()
  await database.query(`CREATE TABLE customers (id text COLLATE "en-x-icu" PRIMARY KEY);
    INSERT INTO customers VALUES ('cus_${flax.generate()}')`)
  const { unchecked, notes } = await doctor(database.url)
  expect(unchecked).toHaveLength(1)
  expect(notes.join()).toContain('--column customers.id=flax:cus_')
  const { findings } = await doctor(database.url, '--column', 'customers.id=flax:cus_')
  expect(findings.map(({ check }) => check)).toEqual(['collation'])
  await database.close()
})

test('ids behind two prefixes are neither copies nor references of each other', async () => {
  const database = await sqlite.open()
  database.connection.exec(`CREATE TABLE customers (id TEXT PRIMARY KEY); CREATE TABLE orders (id TEXT PRIMARY KEY);
    CREATE TABLE log (customer TEXT);
    INSERT INTO customers VALUES (${behind('cus').join('), (')}); INSERT INTO orders VALUES (${behind('ord').join('), (')});
    INSERT INTO log SELECT id FROM customers`)
  const { columns, findings } = await doctor(database.file)
  expect(columns.map(({ place, prefix }) => [place, prefix])).toEqual([
    ['customers.id', 'cus'],
    ['orders.id', 'ord'],
    ['log.customer', 'cus'],
  ])
  expect(findings).toEqual([])
  await database.close()
})

test('partitions whose bounds lack the prefix of the ids are found, beside a DEFAULT partition too', async () => {
  const database = await openInstalled()
  await database.query(`
    CREATE TABLE note (id text COLLATE "C" PRIMARY KEY DEFAULT ${sqlCall(prefixed(flax, 'nte'), 'text')}) PARTITION BY RANGE (id);
    CREATE TABLE rest PARTITION OF note DEFAULT`)
  const make = async (prefix: string) => {
    const [row] = await database.query(
      `SELECT snoflax.partition_ddl('note', 'flax', 'text', '2030-01-01Z', '2030-01-02Z', '1 month', prefix => '${prefix}') AS ddl`,
    )
    await database.query(String(row?.['ddl']))
  }
  const found = async () => told(await doctor(database.url))
  await make('nte')
  expect(await found()).toEqual([])
  await database.query('DROP TABLE note_2030_01')
  await make('')
  expect(await found()).toEqual(['partition note.id'])
  await database.close()
})

const uuids = Array.from({ length: 20 }, () => uuid7.generate())
const others = Array.from({ length: 20 }, () => randomUUID())
const typeids = uuids.map((one) => typeid('user').fromUuid(one))
const flaxUuids = ids.map((id) => storageFor(flax, 'postgres', { storage: 'uuid8' }).toDatabase(id))
const quoted = (texts: readonly unknown[]): string[] => texts.map((text) => `'${text}'`)
const upper = (texts: readonly unknown[]): string[] => quoted(texts).map((text) => text.toUpperCase())
const hexes = (texts: readonly string[]): string[] => texts.map((uuid) => `X'${uuid.replaceAll('-', '')}'`)

const KINDS = [postgres, mysql, sqlite].filter((kind) => kind.selected())

describe.each(KINDS)('$name', (kind) => {
  const byByte = kind === postgres ? 'text COLLATE "C"' : 'TEXT'
  const text = kind === mysql ? 'VARCHAR(60) CHARACTER SET ascii COLLATE ascii_bin' : byByte
  const open = async (sql: readonly string[]) => {
    const database = await kind.open()
    for (const one of sql) await database.query(one)
    return database
  }
  const rows = (values: readonly string[]): string => values.map((one) => `(${one})`).join(', ')

  test.each<[string, readonly string[], boolean]>([
    [
      'flax and sno',
      quoted([...ids.slice(0, 10), ...Array.from({ length: 10 }, () => sno.generate())]),
      true,
    ],
    [
      'flax and sno behind a prefix',
      [
        ...behind('cus').slice(0, 10),
        ...quoted(Array.from({ length: 10 }, () => prefixed(sno, 'cus').generate())),
      ],
      true,
    ],
    ['flax', texts, false],
    ['sno', quoted(Array.from({ length: 20 }, () => sno.generate())), false],
    ['UUIDv7s', quoted(uuids), false],
  ])('a key of %s', async (_, values, isMixed) => {
    const database = await open([
      `CREATE TABLE mixed (id ${text} PRIMARY KEY NOT NULL)`,
      `INSERT INTO mixed VALUES ${rows(values)}`,
    ])
    const report = await doctor(addressOf(database))
    expect(told(report)).toEqual(isMixed ? ['malformed mixed.id'] : [])
    if (isMixed) expect(report.findings[0]?.message).toMatch(/: 10; the first: .* is sno$/)
    await database.close()
  })

  const uuid = kind === postgres ? 'uuid' : undefined
  const bytesType = kind === mysql ? 'BINARY(16)' : 'BLOB'
  const key: readonly [string, (texts: readonly string[]) => readonly string[]] = uuid
    ? [uuid, quoted]
    : [bytesType, hexes]
  test.each<[string, string, readonly string[], readonly string[], boolean]>([
    ['UUIDv7s as text, of a compact key', key[0], key[1](uuids), quoted(uuids), true],
    ['UUIDv7s in upper case, of a compact key', key[0], key[1](uuids), upper(uuids), true],
    ['UUIDv7s in upper case, of a text key', text, quoted(uuids), upper(uuids), true],
    ['random UUIDs in upper case, of a text key', text, quoted(others), upper(others), true],
    ['TypeIDs, of a compact key', key[0], key[1](uuids), quoted(typeids), true],
    ['UUIDv7s of the same text key', text, quoted(uuids), quoted(uuids), false],
    ['random UUIDs of the same text key', text, quoted(others), quoted(others), false],
    ['TypeIDs of the same text key', text, quoted(typeids), quoted(typeids), false],
    ['flax of the same text key', text, texts, texts, false],
    ['UUIDs of nobody', text, quoted(uuids), upper(others), false],
    ...((uuid
      ? [
          ['random UUIDs as text, of a uuid key', 'uuid', quoted(others), quoted(others), true],
          ["flax as a UUID's text, of a uuid key", 'uuid', quoted(flaxUuids), quoted(flaxUuids), true],
          ['flax as text, of a uuid key', 'uuid', quoted(flaxUuids), texts, true],
        ]
      : []) as [string, string, string[], string[], boolean][]),
  ])("a text column of another table's %s", async (_, type, keys, values, isFound) => {
    const database = await open([
      `CREATE TABLE customer (id ${type} PRIMARY KEY NOT NULL)`,
      `CREATE TABLE log (customer_id ${text})`,
      `INSERT INTO customer VALUES ${rows(keys)}`,
      `INSERT INTO log VALUES ${rows(values)}`,
    ])
    const { findings } = await doctor(addressOf(database))
    expect(told({ findings } as Report)).toEqual(isFound ? ['reference log.customer_id'] : [])
    await database.close()
  })
})
