import { flake, flax, prefixed, storageFor, typeid, uuid7 } from '@snoflax/core'
import { mysql, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cli, json } from './running.js'

interface Found {
  readonly id: string
  readonly kind?: string
  readonly timeUtc?: string
  readonly found: readonly {
    table: string
    column: string
    storage: string
    row: Record<string, string | null>
    hidden: string[]
    unreadable: string[]
    more: number
    referencedBy: { place: string; count: number }[]
  }[]
  readonly alsoIn: readonly { place: string; count: number }[]
  readonly asked: readonly string[]
  readonly furtherRows: readonly { place: string; count: number }[]
  readonly unknown: readonly { why: string; what: string[] }[]
  readonly refusals?: readonly string[]
  readonly near?: readonly { place: string; id: string }[]
  readonly nearUnknown?: readonly { why: string; what: string[] }[]
}

const customer = prefixed(flax, 'cus')
const user = typeid('user')
const ids = {
  customer: customer.generate(),
  order: flax.generate(),
  team: flax.generate(),
  user: user.generate(),
  uuid: uuid7.generate(),
  flake: flake.generator({ worker: 1 }).generate(),
  nanoid: 'V1StGXR8_Z5jdHi6B-myT',
}

const hex = (id: string): string => Buffer.from(flax.decode(id as never)).toString('hex')

const KINDS = {
  postgres: {
    kind: postgres,
    text: 'text',
    bytes: 'bytea',
    uuid: 'uuid',
    literal: (h: string) => `'\\x${h}'`,
  },
  sqlite: { kind: sqlite, text: 'TEXT', bytes: 'BLOB', uuid: 'TEXT', literal: (h: string) => `X'${h}'` },
  mysql: {
    kind: mysql,
    text: 'VARCHAR(100) COLLATE utf8mb4_general_ci',
    bytes: 'VARBINARY(16)',
    uuid: 'VARCHAR(36)',
    literal: (h: string) => `X'${h}'`,
  },
}

describe.each(Object.values(KINDS).filter(({ kind }) => kind.selected()))(
  '$kind.name',
  ({ kind, text, bytes, uuid, literal }) => {
    let url = ''
    let close = async (): Promise<void> => {}
    let query = async (_: string): Promise<unknown> => undefined
    const found = async (id: string): Promise<Found> => json(await cli(['find', id, url, '--json']))

    beforeAll(async () => {
      const database = await kind.open()
      const own = database as { file?: string; url?: string }
      url = own.file ?? String(own.url)
      close = () => database.close()
      query = (sql) => database.query(sql)
      const wide = Array.from({ length: 12 }, (_, n) => `c${n} INTEGER`).join(', ')
      for (const sql of [
        `CREATE TABLE customers (id ${text} PRIMARY KEY, name ${text}, bio TEXT, password ${text}, ${wide})`,
        `CREATE TABLE orders (id ${bytes} PRIMARY KEY, customer_id ${text} NOT NULL, FOREIGN KEY (customer_id) REFERENCES customers (id))`,
        'CREATE INDEX orders_customer ON orders (customer_id)',
        `CREATE TABLE visits (n INTEGER PRIMARY KEY, customer_id ${text}, seen ${text})`,
        'CREATE INDEX visits_customer ON visits (customer_id)',
        `CREATE TABLE log (customer_id ${text})`,
        `CREATE TABLE users (id ${uuid} PRIMARY KEY, email ${text})`,
        'CREATE TABLE events (id BIGINT PRIMARY KEY, kind INTEGER)',
        `CREATE TABLE links (id ${text} PRIMARY KEY)`,
        `INSERT INTO customers (id, name, bio, password) VALUES ('${ids.customer}', 'Ada', '${'long '.repeat(40)}', 'pa55')`,
        `INSERT INTO orders VALUES (${literal(hex(ids.order))}, '${ids.customer}')`,
        `INSERT INTO orders VALUES (${literal(hex(ids.team))}, '${ids.customer}')`,
        `INSERT INTO visits VALUES (1, '${ids.customer}', 'x'), (7, '${ids.customer}', 'y')`,
        `INSERT INTO users VALUES ('${ids.uuid}', 'ada@example.org')`,
        `INSERT INTO events VALUES (${storageFor(flake, 'postgres', { storage: 'bigint' }).toDatabase(ids.flake)}, 3), (7, 4)`,
        `INSERT INTO links VALUES ('${ids.nanoid}')`,
      ])
        await database.query(sql)
    })
    afterAll(() => close())

    test('text with a prefix: row, time, references, without secrets and with values that are visibly cut', async () => {
      const { out, code } = await cli(['find', ids.customer, url])
      expect(code).toBe(0)
      const time = new Date(customer.timeMs(ids.customer as never)).toISOString()
      expect(out.split('\n')).toEqual([
        `${ids.customer}  flax behind cus_, ${time}`,
        '',
        'customers.id',
        `  id    ${ids.customer}`,
        '  name  Ada',
        `  bio   ${'long '.repeat(8)}…`,
        ...Array.from({ length: 5 }, (_, n) => `  c${n}    NULL`),
        '  and 7 more columns',
        '  hidden, named like a secret: password',
        '  referenced by orders.customer_id: 2',
        '',
        'also in visits.customer_id: 2, without a foreign key',
        '',
        'unknown, no index begins with it: log.customer_id',
        expect.stringMatching(/^asked \d tables$/),
        '',
      ])
    })

    test('bytes, also by hex; numbers; other texts', async () => {
      for (const input of [ids.order, `\\x${hex(ids.order)}`])
        expect((await found(input)).found).toMatchObject([
          { table: 'orders', storage: 'binary', row: { customer_id: ids.customer } },
        ])
      expect((await found(ids.flake)).found).toMatchObject([
        { table: 'events', storage: 'number', row: { kind: '3' } },
      ])
      expect((await found('7')).found.map(({ table }) => table).sort()).toEqual(['events', 'visits'])
      expect((await found(ids.nanoid)).found).toMatchObject([{ table: 'links', storage: 'text' }])
      expect(await found(ids.uuid)).toMatchObject({
        kind: 'uuid7',
        found: [{ table: 'users', row: { email: 'ada@example.org' } }],
      })
      expect((await found(ids.uuid.toUpperCase())).found).toHaveLength(1)
    })

    test('nothing found: which tables were asked, what the id lacks, exit code 1, or 3 if not all was asked', async () => {
      const other = await cli(['find', customer.generate(), url])
      expect(other).toMatchObject({ code: 3, err: '' })
      expect(other.out).toMatch(/^not found, but not everything was asked: asked \d+ tables$/m)
      expect(other.out).toMatch(/^asked: .*customers.*$/m)
      expect(other.out).toMatch(/^unknown, no index begins with it: log.customer_id$/m)
      const short = await cli(['find', ids.customer.slice(0, -1), url])
      expect(short.out).toContain('an id has 16 characters, not 15')
      expect(short.out).toContain(`\nsimilar: ${ids.customer} in customers.id\n`)
      await query('CREATE INDEX log_customer ON log (customer_id)')
      const all = await cli(['find', customer.generate(), url])
      await query(`DROP INDEX log_customer${kind === mysql ? ' ON log' : ''}`)
      expect(all.code).toBe(1)
      expect(all.out).toMatch(/^not found: asked \d+ tables$/m)
    })

    test('similar ids that exist, by what happens to ids on their way', async () => {
      const body = ids.customer.slice(4)
      const shift = (id: string, at: number) => id.slice(0, at - 1) + id[at] + id[at - 1] + id.slice(at + 1)
      for (const damaged of [
        `"${ids.customer}"`,
        `https://example.org/c/${ids.customer}?a=b`,
        body,
        `inv_${body}`,
        ids.customer.slice(1),
        ids.customer.slice(0, 16),
        `cus_${body.slice(1)}`,
        ids.customer.toLowerCase(),
        `${ids.customer.slice(0, -1)}${ids.customer.endsWith('a') ? 'b' : 'a'}`,
        `${ids.customer}0`,
        shift(ids.customer, 15),
      ]) {
        if (damaged === ids.customer) continue
        const { found: rows, near } = json<Found>(await cli(['find', '--json', '--', damaged, url]))
        expect({ damaged, rows, near }).toEqual({
          damaged,
          rows: [],
          near: [{ place: 'customers.id', id: ids.customer }],
        })
      }
      for (const damaged of [`"${ids.order}"`, ids.order.slice(0, -1), `${ids.order}0`])
        expect(await found(damaged)).toMatchObject({
          found: [],
          near: [{ place: 'orders.id', id: ids.order }],
        })
      expect((await found(customer.generate())).near).toBe(undefined)
    })

    test('similar ids by their beginning, in whatever order the collation has', async () => {
      const marks = ['-', '0', 'V', '_', 'z'].map((next) => `mrk_KsLOT9nHFRNJ${next}VPR`)
      await query(`CREATE TABLE marks (id ${text} PRIMARY KEY)`)
      try {
        await query(`INSERT INTO marks VALUES ${marks.map((id) => `('${id}')`).join()}`)
        const { near = [] } = await found('mrk_KsLOT9nHFRNJ')
        expect(near.map(({ id }) => id).sort()).toEqual(marks.sort())
      } finally {
        await query('DROP TABLE marks')
      }
    })

    test('a number that no signed column holds is sought in all else, and in unsigned columns', async () => {
      const local = 'telbl__jvss'
      expect(await found(`cus_kjsj_${local}`)).toMatchObject({ found: [] })
      if (kind !== mysql) return
      await query('CREATE TABLE readings (id BIGINT UNSIGNED PRIMARY KEY)')
      await query(`INSERT INTO readings VALUES (16621774426319351694)`)
      for (const id of [local, '16621774426319351694'])
        expect((await found(id)).found).toMatchObject([{ table: 'readings', storage: 'number' }])
      await query('DROP TABLE readings')
    })

    test('a collation that ignores case finds no other id', async () => {
      const swapped = ids.nanoid.replace(/[a-z]/gi, (one) =>
        one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
      )
      expect(await found(swapped)).toMatchObject({ found: [], alsoIn: [] })
      expect((await found(`${ids.customer.slice(0, -1)}~`)).found).toEqual([])
    })

    test('what is no id is refused', async () => {
      for (const [id, message] of [
        ['', 'an id has 1 to 255 characters, not 0'],
        ['x'.repeat(256), 'an id has 1 to 255 characters, not 256'],
        ["a\\' OR 1 = 1", 'no backslashes'],
      ] as const)
        expect(await cli(['find', id, url])).toMatchObject({ code: 2, err: expect.stringContaining(message) })
      expect(await cli(['find', "x' OR '1' = '1", url])).toMatchObject({ code: 3 })
    })

    const versions = (n: number): string =>
      `INSERT INTO versioned VALUES ${Array.from({ length: n }, (_, v) => `('${ids.order}', ${v + 1}, 'v${v + 1}')`).join()}`

    test.each([
      ['the id first', 'PRIMARY KEY (id, version)'],
      ['the id last', 'PRIMARY KEY (version, id)'],
      ['a unique constraint', 'UNIQUE (version, id)'],
    ])('a key of several columns, %s: each row with its own key, up to ten', async (_, key) => {
      await query(
        `CREATE TABLE versioned (id ${text} NOT NULL, version INTEGER NOT NULL, note ${text}, ${key})`,
      )
      try {
        await query(versions(2))
        const two = await found(ids.order)
        expect(two.found.filter(({ table }) => table === 'versioned').map(({ row }) => row)).toEqual([
          { id: ids.order, version: '1', note: 'v1' },
          { id: ids.order, version: '2', note: 'v2' },
        ])
        expect(two).toMatchObject({ furtherRows: [], alsoIn: [] })
        await query('DELETE FROM versioned')
        await query(versions(13))
        const many = await found(ids.order)
        expect(many.found.filter(({ table }) => table === 'versioned')).toHaveLength(10)
        expect(many.furtherRows).toEqual([{ place: 'versioned.id', count: 3 }])
        expect((await cli(['find', ids.order, url])).out).toContain('\n  and 3 more rows with this id\n')
      } finally {
        await query('DROP TABLE versioned')
      }
    })

    test('a unique index; a public id beside a number; a tenant is no row of its tables', async () => {
      const [id, tenant] = [customer.generate(), customer.generate()]
      for (const sql of [
        `CREATE TABLE tenants (id ${text} PRIMARY KEY)`,
        `CREATE TABLE things (tenant_id ${text} NOT NULL, id ${text} NOT NULL, public_id ${text}, PRIMARY KEY (tenant_id, id))`,
        'CREATE UNIQUE INDEX things_public ON things (tenant_id, public_id)',
        `CREATE TABLE numbered (n INTEGER PRIMARY KEY, public_id ${text})`,
        'CREATE UNIQUE INDEX numbered_public ON numbered (public_id)',
        `INSERT INTO tenants VALUES ('${tenant}')`,
        `INSERT INTO things VALUES ('${tenant}', '${id}', 'a'), ('other', '${id}', 'b')`,
        `INSERT INTO numbered VALUES (1, '${ids.user}')`,
      ])
        await query(sql)
      try {
        expect((await found(id)).found.map(({ table, row }) => [table, row['tenant_id']]).sort()).toEqual(
          [
            ['things', 'other'],
            ['things', tenant],
          ].sort(),
        )
        expect((await found(ids.user)).found).toMatchObject([
          { table: 'numbered', column: 'public_id', row: { public_id: ids.user, n: '1' } },
        ])
        expect(await found(tenant)).toMatchObject({
          found: [{ table: 'tenants' }],
          alsoIn: [{ place: 'things.tenant_id', count: 1 }],
        })
      } finally {
        for (const table of ['things', 'numbered', 'tenants']) await query(`DROP TABLE ${table}`)
      }
    })

    test('a large table whose key begins with another column is unknown behind its first rows', async () => {
      const [first, last] = [customer.generate(), customer.generate()]
      await query(`CREATE TABLE large (a INTEGER NOT NULL, id ${text} NOT NULL, PRIMARY KEY (a, id))`)
      await query(`INSERT INTO large VALUES (0, '${first}')`)
      const digits = Array.from({ length: 10 }, (_, d) => `SELECT ${d} AS d`).join(' UNION ALL ')
      const places = [1, 10, 100, 1000, 10_000].map((_, n) => `(${digits}) AS p${n}`).join(', ')
      await query(
        `INSERT INTO large SELECT 1 + p0.d + 10 * p1.d + 100 * p2.d + 1000 * p3.d + 10000 * p4.d, 'x' FROM ${places}`,
      )
      await query(`INSERT INTO large VALUES (200000, '${last}')`)
      try {
        const why = {
          why: expect.stringContaining('only its first 100000 rows were read'),
          what: ['large.id'],
        }
        expect(await found(first)).toMatchObject({ found: [{ table: 'large', row: { a: '0' } }] })
        const behind = await cli(['find', last, url, '--json'])
        expect(behind.code).toBe(3)
        expect(json<Found>(behind)).toMatchObject({ found: [], unknown: expect.arrayContaining([why]) })
      } finally {
        await query('DROP TABLE large')
      }
    })
  },
)

test('PostgreSQL: compact storages; what a role may not see is unknown, by its name', async () => {
  const database = await postgres.open()
  const compact = storageFor(flax, 'postgres', { storage: 'uuid8' }).toDatabase(ids.order)
  await database.query(`CREATE TABLE notes (id uuid PRIMARY KEY, body text, salary int, api_key text);
    CREATE TABLE accounts (id uuid PRIMARY KEY, owner text, name text);
    CREATE TABLE vault (id text PRIMARY KEY);
    CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere;
    CREATE FOREIGN TABLE remote (id text) SERVER far;
    CREATE ROLE reader_of_find LOGIN PASSWORD 'x';
    GRANT SELECT (id, body, api_key) ON notes TO reader_of_find;
    GRANT SELECT ON accounts TO reader_of_find;
    ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON accounts USING (owner = current_user);
    INSERT INTO notes VALUES ('${compact}', NULL, 7, 'k');
    INSERT INTO accounts VALUES ('${user.toUuid(ids.user)}', 'reader_of_find', 'Ada'), ('${ids.uuid}', 'another', 'Bob')`)
  try {
    const url = new URL(database.url)
    url.username = 'reader_of_find'
    url.password = 'x'
    const found = async (id: string): Promise<Found> => json(await cli(['find', id, url.href, '--json']))
    const unknown = [
      { why: 'foreign tables', what: ['remote'] },
      { why: "row security is on, so rows may exist that this role can't see", what: ['accounts'] },
      { why: 'this role lacks SELECT', what: ['vault'] },
    ]
    expect(await found(ids.order)).toMatchObject({
      found: [
        { table: 'notes', storage: 'uuid', row: { body: null }, hidden: ['api_key'], unreadable: ['salary'] },
      ],
      unknown,
    })
    expect((await found(ids.user)).found).toMatchObject([
      { table: 'accounts', storage: 'uuid', row: { owner: 'reader_of_find', name: 'Ada' } },
    ])
    const invisible = await cli(['find', ids.uuid, url.href])
    expect(invisible.code).toBe(3)
    expect(invisible.out).toContain('not found, but not everything was asked')
    for (const { why, what } of unknown) expect(invisible.out).toContain(`unknown, ${why}: ${what}`)
    // Its owner sees all of them.
    await database.query('DROP FOREIGN TABLE remote')
    expect(await cli(['find', ids.uuid, database.url])).toMatchObject({ code: 0 })
    expect(await cli(['find', uuid7.generate(), database.url])).toMatchObject({ code: 1 })
  } finally {
    await database.query('DROP OWNED BY reader_of_find; DROP ROLE reader_of_find')
    await database.close()
  }
})

test('PostgreSQL: partial indexes, generated ids and INCLUDE', async () => {
  const database = await postgres.open()
  const [soft, made, email] = [customer.generate(), customer.generate(), 'ada@example.org']
  await database.query(`CREATE FUNCTION flax_generate() RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$;
    CREATE TABLE soft (n int PRIMARY KEY, id text NOT NULL, deleted boolean);
    CREATE UNIQUE INDEX ON soft (id) WHERE NOT deleted;
    CREATE TABLE made (code text DEFAULT flax_generate());
    CREATE TABLE covered (n int, name text, UNIQUE (n) INCLUDE (name));
    INSERT INTO soft VALUES (1, '${soft}', false), (2, '${soft}', true);
    INSERT INTO made VALUES ('${made}')`)
  const found = async (id: string): Promise<Found> => json(await cli(['find', id, database.url, '--json']))
  expect((await found(soft)).found.map(({ row }) => row['n'])).toEqual(['1', '2'])
  expect(await found(made)).toMatchObject({ found: [{ table: 'made' }], asked: ['made', 'soft'] })
  expect(await found(email)).toMatchObject({ found: [], unknown: [] })
  await database.close()
})

test('PostgreSQL: a row is shown once, under its partitioned table or the table that inherits', async () => {
  const database = await postgres.open()
  const [parted, child, parent] = [flax.generate(), flax.generate(), flax.generate()]
  await database.query(`CREATE TABLE parted (id text, n int, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
    CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
    CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
    CREATE TABLE base (id text PRIMARY KEY);
    CREATE TABLE heir (own text, PRIMARY KEY (id)) INHERITS (base);
    INSERT INTO parted VALUES ('${parted}', 1), ('${parted}', 2);
    INSERT INTO base VALUES ('${parent}');
    INSERT INTO heir VALUES ('${child}', 'mine')`)
  const rows = async (id: string) =>
    json<Found>(await cli(['find', id, database.url, '--json'])).found.map(({ table, row }) => [table, row])
  expect(await rows(parted)).toEqual([
    ['parted', { id: parted, n: '1' }],
    ['parted', { id: parted, n: '2' }],
  ])
  expect(await rows(child)).toEqual([['heir', { id: child, own: 'mine' }]])
  expect(await rows(parent)).toEqual([['base', { id: parent }]])
  await database.close()
})

test.runIf(mysql.selected())(
  'MySQL, MariaDB: an account that sees some tables only finds nothing for certain',
  async () => {
    const database = await mysql.open()
    const url = new URL(String((database as { url?: string }).url))
    const name = url.pathname.slice(1)
    await database.query(`CREATE TABLE seen (id VARCHAR(40) PRIMARY KEY)`)
    await database.query(`CREATE TABLE unseen (id VARCHAR(40) PRIMARY KEY)`)
    await database.query(`CREATE USER find_reader@'%' IDENTIFIED BY 'x'`)
    try {
      await database.query(`GRANT SELECT ON \`${name}\`.seen TO find_reader@'%'`)
      url.username = 'find_reader'
      url.password = 'x'
      const some = await cli(['find', customer.generate(), url.href])
      expect([some.code, some.out]).toEqual([
        3,
        expect.stringContaining('unknown, not listed by the server: tables without rights for this account'),
      ])
      await database.query(`GRANT SELECT ON \`${name}\`.* TO find_reader@'%'`)
      expect((await cli(['find', customer.generate(), url.href])).code).toBe(1)
    } finally {
      await database.query(`DROP USER find_reader@'%'`)
      await database.close()
    }
  },
)

test('SQLite: virtual tables are unknown', async () => {
  const database = await sqlite.open()
  await database.query('CREATE TABLE a (id TEXT PRIMARY KEY)')
  await database.query('CREATE VIRTUAL TABLE words USING fts5 (id, body)')
  const { code, out } = await cli(['find', customer.generate(), database.file])
  expect([code, out]).toEqual([3, expect.stringContaining('unknown, virtual tables: words')])
  await database.close()
})

const SECRETS =
  'password userPassword encryptedpassword password_hash PasswordHash passwd PWD passphrase pass_code client_secret secrets accessToken refreshtoken token2 APIKey api_key stripeapikey privateKey salt hash otp otp_code userSSN ssn CVV iban credentials'
const NO_SECRETS =
  'footprint className class_name secretary compass passenger_id hashtag basalt salted_caramel tokenizer key api_version is_private hasPassword urban name'

test('columns are hidden that have a word of a secret in their name', async () => {
  const database = await sqlite.open()
  const secrets = SECRETS.split(' ')
  const names = [...secrets, ...NO_SECRETS.split(' ')]
  await database.query(`CREATE TABLE a (id TEXT PRIMARY KEY, ${names.join(' TEXT, ')} TEXT)`)
  await database.query(`INSERT INTO a (id) VALUES ('${ids.order}')`)
  const { found } = json<Found>(await cli(['find', ids.order, database.file, '--json']))
  expect(found[0]?.hidden).toEqual(secrets)
  await database.close()
})

test.each([postgres, mysql, sqlite].filter((kind) => kind.selected()))(
  '$name: 200 tables are asked in a few statements',
  async (kind) => {
    const database = await kind.open()
    const own = database as { file?: string; url?: string }
    const id = customer.generate()
    for (let n = 0; n < 200; n++)
      await database.query(
        `CREATE TABLE t${n} (id VARCHAR(40) PRIMARY KEY, a VARCHAR(40) UNIQUE, b VARCHAR(40) UNIQUE, c INTEGER)`,
      )
    await database.query(`INSERT INTO t150 VALUES ('${id}', 'a', 'b', 1)`)
    const found = json<Found>(await cli(['find', id, own.file ?? String(own.url), '--json']))
    expect(found.found.map(({ table }) => table)).toEqual(['t150'])
    expect(found.asked).toHaveLength(200)
    for (let n = 0; n < 60; n++)
      await database.query(`INSERT INTO t${n} VALUES ('${customer.generate()}', 'a', 'b', 1)`)
    const missing = await cli(['find', customer.generate(), own.file ?? String(own.url), '--json'])
    const { unknown, nearUnknown = [] } = json<Found>(missing)
    // What is searched beside the answer leaves the answer as it is.
    expect([missing.code, unknown]).toEqual([1, []])
    expect(nearUnknown).toEqual([{ why: 'too many tables', what: expect.any(Array) }])
    await database.close()
  },
)
