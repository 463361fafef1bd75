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
    more: number
    referencedBy: { place: string; count: number }[]
  }[]
  readonly alsoIn: readonly { place: string; count: number }[]
  readonly asked: readonly string[]
  readonly notAsked: readonly { why: string; what: string[] }[]
  readonly refusals?: readonly string[]
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
    const found = async (id: string): Promise<Found> => json(await cli(['find', id, url, '--json']))

    beforeAll(async () => {
      const database = await kind.open()
      const own = database as { file?: string; url?: string }
      url = own.file ?? String(own.url)
      close = () => database.close()
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
        '  and 8 more columns',
        '  referenced by orders.customer_id: 2',
        '',
        'also in visits.customer_id: 2, without a foreign key',
        '',
        expect.stringMatching(/^not asked, no index begins with it: .*log\.customer_id/),
        expect.stringMatching(/^asked \d tables$/),
        '',
      ])
    })

    test('bytes, also by hex; numbers; other texts', async () => {
      for (const given of [ids.order, `\\x${hex(ids.order)}`])
        expect((await found(given)).found).toMatchObject([
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

    test('nothing found: which tables were asked, what the id lacks, exit code 1', async () => {
      const other = await cli(['find', customer.generate(), url])
      expect(other).toMatchObject({ code: 1, err: '' })
      expect(other.out).toMatch(/^not found: asked \d tables$/m)
      expect(other.out).toMatch(/^asked: .*customers.*$/m)
      const short = await cli(['find', ids.customer.slice(0, -1), url])
      expect(short.code).toBe(1)
      expect(short.out).toContain('an id has 16 characters, not 15')
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
      expect(await cli(['find', "x' OR '1' = '1", url])).toMatchObject({ code: 1 })
    })
  },
)

test('PostgreSQL: compact storages, a table without rights, one whose rows are hidden; nothing is written', async () => {
  const database = await postgres.open()
  const compact = storageFor(flax, 'postgres', { storage: 'uuid8' }).toDatabase(ids.order)
  await database.query(`CREATE TABLE notes (id uuid PRIMARY KEY, body text);
    CREATE TABLE accounts (id uuid PRIMARY KEY);
    CREATE TABLE vault (id text PRIMARY KEY);
    CREATE ROLE reader_of_find LOGIN PASSWORD 'x';
    GRANT SELECT ON notes, accounts TO reader_of_find;
    INSERT INTO notes VALUES ('${compact}', NULL);
    INSERT INTO accounts VALUES ('${user.toUuid(ids.user)}')`)
  try {
    const url = new URL(database.url)
    url.username = 'reader_of_find'
    url.password = 'x'
    const found = async (id: string): Promise<Found> => json(await cli(['find', id, url.href, '--json']))
    expect(await found(ids.order)).toMatchObject({
      found: [{ table: 'notes', storage: 'uuid', row: { body: null } }],
      notAsked: [{ why: 'this role lacks SELECT', what: ['vault'] }],
    })
    expect((await found(ids.user)).found).toMatchObject([{ table: 'accounts', storage: 'uuid' }])
  } finally {
    await database.query('DROP OWNED BY reader_of_find; DROP ROLE reader_of_find')
    await database.close()
  }
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
    await database.close()
  },
)
