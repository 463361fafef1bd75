import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { sno } from '@snoflax/core'
import {
  type MysqlDatabase,
  mysql,
  type PostgresDatabase,
  postgres,
  type SqliteDatabase,
  sqlite,
} from '@snoflax/test'
import { type AdoptConfig, run } from 'snoflax'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, cli } from './running.js'

let folder: string
const opened: { close(): Promise<unknown> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snoflax-adopt-'))
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  for (const one of opened.splice(0)) await one.close()
})

function write(config: unknown, name = 'snoflax.adopt.json'): string {
  const file = join(folder, name)
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  return file
}

const SHOP: AdoptConfig = {
  tables: [
    { table: 'orders', createdAt: 'at', family: 'sno', partition: 900 },
    { table: 'customer', createdAt: { from: '2021-01-01', to: '2022-01-01' }, family: 'flax' },
  ],
}

const events = (out: string): Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const KINDS = { postgres, sqlite, mysql }
const TIMES = { postgres: 'timestamptz', sqlite: 'TEXT', mysql: 'datetime' }

async function shop(
  kind: keyof typeof KINDS,
): Promise<{ database: PostgresDatabase | SqliteDatabase | MysqlDatabase; url: string }> {
  const database = await KINDS[kind].open()
  opened.push(database)
  const [time, zone] = [TIMES[kind], kind === 'mysql' ? '' : 'Z']
  for (const sql of [
    'CREATE TABLE customer (id integer PRIMARY KEY, name text)',
    `CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customer (id), at ${time} NOT NULL)`,
    "INSERT INTO customer VALUES (1, 'one'), (2, 'two')",
    `INSERT INTO orders VALUES (1, 2, '2021-03-01T00:00:00${zone}'), (2, 1, '2021-02-01T00:00:00${zone}'), (3, 2, '2021-04-01T00:00:00${zone}')`,
    ...(kind === 'postgres'
      ? [
          'CREATE VIEW named AS SELECT o.id, name FROM orders AS o JOIN customer AS c ON c.id = customer_id',
          'CREATE PUBLICATION news FOR TABLE orders',
        ]
      : []),
  ])
    await database.query(sql)
  return { database, url: database.kind === 'sqlite' ? database.file : database.url }
}

test.each((['postgres', 'sqlite', 'mysql'] as const).filter((kind) => KINDS[kind].selected()))(
  '%s: each step is one command',
  async (kind) => {
    const { database, url } = await shop(kind)
    const config = write({ ...SHOP, database: url })
    const step = (name: string, ...more: string[]) => cli(['adopt', name, '-c', config, ...more])
    const planned = await step('plan')
    expect(planned).toMatchObject({ code: 0, err: '' })
    expect(planned.out).toMatch(/replaced {6}column .*orders\.customer_id: follows .*customer\.id/)
    expect(planned.out).toMatch(/planned; next: snoflax adopt backfill/)
    if (kind === 'postgres') {
      expect(planned.out).toMatch(/recreated {5}view public\.named: created again by the switch/)
      expect(planned.out).toMatch(/warning {2}publication news publishes public\.orders, and its subscribers/)
    }
    expect((await step('plan', '--sql')).out).toMatch(
      kind === 'mysql' ? /-- switchKeys: one RENAME/ : /-- switchKeys: one transaction/,
    )

    const early = await step('switch')
    expect(early).toMatchObject({
      code: 1,
      out: expect.stringMatching(/no adoption in progress; call backfill/),
    })

    const filled = await step('backfill', '--batch-size', '2')
    expect(filled).toMatchObject({ code: 0, out: expect.stringMatching(/backfilled/) })
    expect(filled.err).toMatch(/orders id: 3 of 3/)
    expect(await step('switch')).toMatchObject({ code: 0, out: expect.stringMatching(/^switched/) })
    const verified = await step('verify')
    expect(verified).toMatchObject({
      code: 0,
      out: expect.stringMatching(/orders: 3 rows.*\n.*\nfaults: 0/s),
    })
    expect(await step('finish')).toMatchObject({ code: 0, out: expect.stringMatching(/^finished/) })
    expect(await step('finish')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/this adoption has already been finished/),
    })

    const rows = await database.query(
      'SELECT at, name FROM orders JOIN customer AS c ON c.id = customer_id ORDER BY orders.id',
    )
    expect(rows.map(({ name }) => name)).toEqual(['one', 'two', 'two'])
  },
)

test("schema prints what to change in an ORM's schema, and a migration in the form of the ORM", async () => {
  const { url } = await shop('sqlite')
  const argv = ['adopt', 'schema', '-c', write(SHOP), '--url', url, '--for']
  const ran = await cli([...argv, 'prisma'])
  expect(ran.out).toMatch(/^id String @id @default\(dbgenerated\(\)\) \/\/\/ @snoflax sno$/m)
  expect(ran.out).toMatch(/^legacyCustomerId Int\? @map\("legacy_customer_id"\)$/m)
  expect(ran.out).toMatch(/-- migration\nDROP TABLE IF EXISTS temp\.snoflax_rows;\nCREATE TEMP TABLE/)
  expect(ran.out).toMatch(/^tables: \{ external: \['snoflax_adoption_map_1'/m)
  const early = await cli([...argv, 'typeorm', '--stage', 'backfilling'])
  expect(early.out).toMatch(/^nothing to change at this stage$/m)
  const [, up] = (await cli([...argv, 'typeorm'])).out.split('-- migration\n')
  const ranBy: string[] = []
  const queryRunner = { query: async (sql: string) => ranBy.push(sql) }
  await Object.getPrototypeOf(cli).constructor('queryRunner', up)(queryRunner)
  const [typeorm] = events((await cli([...argv, 'typeorm', '--json'])).out)
  expect(ranBy).toEqual(typeorm?.['migration'])
  expect((await cli([...argv, 'drizzle'])).out).toMatch(/;\n--> statement-breakpoint\nCREATE TABLE/)
  const [event] = events((await cli([...argv, 'drizzle', '--stage', 'finished', '--json'])).out)
  expect(event).toMatchObject({
    event: 'schema',
    orm: 'drizzle',
    stage: 'finished',
    indexes: [],
    config: ["tablesFilter: ['!_adopted_*'],"],
  })
  expect(await cli([...argv, 'knex'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/typeorm, prisma, drizzle/),
  })
})

test('--json prints one event per line, also of an obstacle and of faults', async () => {
  const { database, url } = await shop('sqlite')
  const config = write(SHOP)
  const step = async (name: string) => {
    const { code, out } = await cli(['adopt', name, '--config', config, '--url', url, '--json'])
    return [...events(out), code]
  }
  expect(await step('plan')).toEqual(
    expect.arrayContaining([
      {
        event: 'inventory',
        name: 'column orders.customer_id',
        verdict: 'replaced',
        note: 'follows customer.id',
      },
      { event: 'switch', blocked: ['customer', 'orders'] },
      { event: 'plan', phase: 'planned', next: 'backfill' },
    ]),
  )
  expect(await step('backfill')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: 'progress', columns: ['id'], done: 3, total: 3, round: 1 }),
      { event: 'done', step: 'backfill', phase: 'backfilling' },
    ]),
  )
  expect(await step('abandon')).toEqual([{ event: 'done', step: 'abandon' }, 0])
  await step('backfill')
  expect(await step('switch')).toEqual([{ event: 'done', step: 'switch', phase: 'switched' }, 0])
  expect((await step('verify')).slice(-2)).toEqual([{ event: 'done', step: 'verify', faults: 0 }, 0])
  await database.query('UPDATE orders SET customer_id = (SELECT id FROM customer WHERE legacy_id = 1)')
  expect((await step('verify')).slice(-3)).toEqual([
    { event: 'fault', message: expect.stringMatching(/2 rows whose old and new/) },
    { event: 'done', step: 'verify', faults: 1 },
    1,
  ])
  expect(await step('abandon')).toEqual([
    expect.objectContaining({ event: 'obstacle', code: 'INVALID_OPTION' }),
    { event: 'refused', obstacles: 1 },
    1,
  ])
  const mappings = ['_adopted_orders', '_adopted_customer']
  expect(await step('finish')).toEqual([{ event: 'done', step: 'finish', mappings }, 0])
})

test('rehearse runs on a copy, and switch takes --block-for', async () => {
  const { database, url } = await shop('sqlite')
  await database.query('CREATE VIEW low AS SELECT at FROM orders WHERE id < 3')
  const copy = join(folder, 'copy.db')
  copyFileSync(url, copy)
  const config = write({ ...SHOP, ignore: ['view low'] })
  const step = (...argv: string[]) => cli(['adopt', ...argv, '-c', config, '--url', url])
  expect(await step('rehearse', '--copy', url)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--copy is the database itself; pass the address of a copy/),
  })
  expect(await step('rehearse', '--copy', copy)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /view low: 2 rows, 2 others than before\nfault .*view low: 2 rows are others.*\nfaults: 1\n$/,
    ),
  })
  expect(await database.query('SELECT id FROM orders ORDER BY id LIMIT 1')).toEqual([{ id: 1 }])
  expect((await step('plan')).out).toMatch(
    /ignored {7}view low: it uses id .*\n.*the switch blocks customer, orders: half a second/s,
  )
  await step('backfill')
  expect(await step('switch', '--block-for', 'long')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/pass a time such as 5s or 800ms/),
  })
  expect(await step('switch', '--block-for', '5s')).toMatchObject({ code: 0 })
  expect(await step('finish')).toMatchObject({ out: expect.stringMatching(/DROP TABLE _adopted_orders;\n/) })
})

test('every obstacle is listed', async () => {
  const { database, url } = await shop('sqlite')
  await database.query('ALTER TABLE orders ADD COLUMN legacy_id integer')
  const tables = [...SHOP.tables, { table: 'gone', createdAt: 'at', family: 'flax' }]
  const { code, out } = await cli(['adopt', 'plan', '-c', write({ tables }), '--url', url])
  expect(code).toBe(1)
  expect(out).toMatch(/orders\.id: the table already has/)
  expect(out).toMatch(/gone: no such table/)
  expect(out).toMatch(/^ {2}replaced {6}column orders\.customer_id: follows customer\.id$/m)
  expect(out).toMatch(/obstacles: 2\n$/)
})

test('an SQLite file is named by path or URL, as for doctor', async () => {
  const { url } = await shop('sqlite')
  const file = join(folder, 'a shop.db')
  copyFileSync(url, file)
  for (const database of [file, `sqlite:${file}`, `file:${file}?mode=rw`, pathToFileURL(file).href]) {
    const config = write({ ...SHOP, database })
    expect(await cli(['adopt', 'plan', '-c', config]), database).toMatchObject({ code: 0, err: '' })
  }
})

test('Ctrl+C stops after a batch, and the next run continues', async () => {
  const { url } = await shop('sqlite')
  const argv = ['adopt', 'backfill', '-c', write(SHOP), '--url', url, '--batch-size', '1', '--json']
  const lines: string[] = []
  const [stdout, stderr] = [
    (text: string) => {
      // At the first batch, as a terminal does.
      if (lines.push(text) === 1) process.emit('SIGINT')
      return true
    },
    (text: string) => lines.push(text) > 0,
  ]
  const io = { stdin: Readable.from([]), stdout: { write: stdout }, stderr: { write: stderr }, env: {} }
  expect(await run(argv, io)).toBe(2)
  expect(lines.join('')).toMatch(/"done":1.*\n.*stopped; run it again to continue/)
  expect(await cli(argv)).toMatchObject({ code: 0, out: expect.stringMatching(/"done":3/) })
})

test.each([
  [
    'mjs',
    "export default { tables: [{ table: 'orders', createdAt: 'at', generator: (clock) => sno.generator({ partition: 7, clock }) }] }",
  ],
  [
    'ts',
    "const partition: number = 7\nexport default { tables: [{ table: 'orders', createdAt: 'at', family: 'sno', partition }] }",
  ],
])('a configuration file can be .%s', async (ending, text) => {
  const { database, url } = await shop('sqlite')
  const core = JSON.stringify(new URL('../../../packages/core/esm/index.js', import.meta.url).href)
  const config = write(
    ending === 'mjs' ? `import { sno } from ${core}\n${text}` : text,
    `snoflax.adopt.${ending}`,
  )
  const env = { DATABASE_URL: url }
  const ran = await bin(['adopt', 'backfill', '-c', config], { env })
  if (ending === 'ts' && ran.code === 2) {
    // Node 20 and early 22.
    expect(ran.err).toMatch(/Node\.js 22\.18 and newer read TypeScript/)
    return
  }
  expect(ran).toMatchObject({ code: 0 })
  expect(await bin(['adopt', 'switch', '-c', config], { env })).toMatchObject({ code: 0 })
  const [first] = await database.query('SELECT id, legacy_id FROM orders ORDER BY id')
  expect(first?.['legacy_id']).toBe(2)
  expect(sno.unpack(sno.parse(first?.['id'])).partition).toBe(7)
})

const table = { table: 'orders', createdAt: 'at', family: 'sno', partition: 900 }
const WRONG: [name: string, config: unknown, message: RegExp][] = [
  ['no JSON', '{ tables', /is not JSON/],
  ['an unknown key', { tables: [table], batch: 5 }, /no option "batch"; options are database, tables/],
  ['no list of tables', { tables: {} }, /tables must be a list of the tables/],
  ['no tables', { tables: [] }, /tables must be a list of the tables/],
  [
    'an unknown key of a table',
    { tables: [{ ...table, parition: 1 }] },
    /tables\[0\]: no option "parition"; options are table,/,
  ],
  ['no name', { tables: [{ createdAt: 'at' }] }, /tables\[0\]: table must be the table's name/],
  [
    'no createdAt',
    { tables: [{ ...table, createdAt: undefined }] },
    /orders: createdAt must be a column name/,
  ],
  [
    'an unknown key of createdAt',
    { tables: [{ ...table, createdAt: { column: 'at', zone: 'UTC' } }] },
    /createdAt: no option "zone"; options are column, through, unit, timeZone/,
  ],
  [
    'an unknown kind of key',
    { tables: [{ ...table, createdAt: { key: 'uuid4' } }] },
    /createdAt\.key must be one of uuid7, ulid, cuid, ksuid, objectId, not uuid4/,
  ],
  [
    'a time without a zone',
    { tables: [{ ...table, createdAt: { from: '2021-01-01T00:00', to: '2022-01-01' } }] },
    /orders\): createdAt: a time must be now/,
  ],
  [
    'no family',
    { tables: [{ table: 'orders', createdAt: 'at' }] },
    /family must be one of flax, sno, flake, uid, uidLocal, uuid7, ulid, not undefined/,
  ],
  [
    'an unknown family',
    { tables: [{ ...table, family: 'cuid', partition: undefined }] },
    /family must be one of .*, not cuid/,
  ],
  ['a number of another family', { tables: [{ ...table, worker: 3 }] }, /orders\): sno has no option worker/],
  [
    'no number',
    { tables: [{ ...table, partition: undefined }] },
    /set a partition that no other generator or table uses/,
  ],
  ['an invalid prefix', { tables: [{ ...table, prefix: 'A B' }] }, /\(orders\): a prefix must have 1 to 63/],
  [
    'one prefix for two tables',
    {
      tables: [
        { ...table, prefix: 'cus' },
        { ...table, table: 'others', partition: 901, prefix: 'cus' },
      ],
    },
    /tables\[1\]: others and \w+ both have the prefix cus; choose another one/,
  ],
  ['an unknown storage', { tables: [{ ...table, storage: 'blob' }] }, /storage must be "text" or "binary"/],
  ['triggers that are no list', { tables: [table], ignore: 'all' }, /ignore must be a list of names/],
]

test.each(WRONG)('%s is refused', async (_, config, message) => {
  const { url } = await shop('sqlite')
  const ran = await cli(['adopt', 'plan', '-c', write(config), '--url', url])
  expect(`${ran.out}${ran.err}`).toMatch(message)
  expect(ran.code).toBeGreaterThan(0)
})

test.each([
  [['-c', 'nowhere.json'], /nowhere\.json: no such file/],
  [[], /no configuration file: found none of snoflax\.adopt\.json, .*create one, or pass --config/],
])('a missing configuration is refused: %j', async (argv, message) => {
  expect(await cli(['adopt', 'plan', ...argv])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(message),
  })
})

test.each([
  ['mariadb://root:secret@127.0.0.1:1/shop', /mariadb:\/\/127\.0\.0\.1 cannot be reached/],
  [
    'no-such-file.db',
    /a database must be postgres:\/\/…, mysql:\/\/…, mariadb:\/\/… or the path of an existing SQLite file/,
  ],
  ['postgres://someone:secret@127.0.0.1:1/shop', /postgres:\/\/127\.0\.0\.1 cannot be reached/],
])('a database that cannot be reached is named without its password: %s', async (url, message) => {
  const ran = await cli(['adopt', 'plan', '-c', write(SHOP), '--url', url])
  expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringMatching(message) })
})

test('a command without a database is refused, with the ways to name one', async () => {
  expect((await cli(['adopt', 'plan', '-c', write(SHOP)])).err).toMatch(
    /no database: set DATABASE_URL, or pass --url, or database in/,
  )
})
