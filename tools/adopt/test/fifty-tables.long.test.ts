import {
  type AdoptionOptions,
  obstaclesOf,
  planAdoption,
  rehearseAdoption,
  type TableOptions,
} from '@snoflax/adopt'
import { flax, prefixed } from '@snoflax/core'
import { mysql, poolTo, postgres, sqlite } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterEach, describe, expect, test } from 'vitest'
import { clientOf, type Opened } from './moves.js'

type Kind = 'postgres' | 'sqlite' | 'mysql'
const KINDS = { postgres, sqlite, mysql }
const kinds = (['postgres', 'sqlite', 'mysql'] as const).filter((kind) => KINDS[kind].selected())

const TIMES = { postgres: 'timestamptz', sqlite: 'TEXT', mysql: 'datetime' }
const JSONS = { postgres: 'jsonb', sqlite: 'TEXT', mysql: 'json' }

const ROOTS = ['customers', 'orders', 'products', 'invoices', 'agents', 'shops']
const ROWS = 60

const tables: TableOptions[] = ROOTS.map((table) => ({
  table,
  createdAt: 'at',
  storage: 'text',
  generator: (clock) => prefixed(flax, table.slice(0, 3)).generator({ monotonic: true, clock }),
}))

const numbers = Array.from({ length: ROWS }, (_, i) => i + 1)
const values = (row: (n: number) => string): string => numbers.map((n) => `(${row(n)})`).join(', ')
const date = (n: number): string => `'2021-${String(1 + (n % 12)).padStart(2, '0')}-10 00:00:00'`

/** About fifty tables: keys that are replaced and others, with foreign keys and without, polymorphic, JSON, arrays. */
function schema(kind: Kind): string[] {
  const [time, json] = [TIMES[kind], JSONS[kind]]
  const target = (n: number): string => ROOTS[n % ROOTS.length] as string
  const many = Array.from({ length: 12 }, (_, i) => i)
  return [
    'CREATE TABLE countries (id integer PRIMARY KEY, name varchar(20))',
    `INSERT INTO countries VALUES ${values((n) => `${n}, 'country ${n}'`)}`,
    ...ROOTS.flatMap((table) => [
      `CREATE TABLE ${table} (id integer PRIMARY KEY, at ${time} NOT NULL, name varchar(30), country_id integer, FOREIGN KEY (country_id) REFERENCES countries (id))`,
      `INSERT INTO ${table} VALUES ${values((n) => `${n}, ${date(n)}, '${table} ${n}', ${1 + (n % 7)}`)}`,
    ]),
    // With a foreign key; some to a table whose key is itself one.
    ...many.flatMap((i) => [
      `CREATE TABLE keyed_${i} (id integer PRIMARY KEY, parent integer NOT NULL, n integer, FOREIGN KEY (parent) REFERENCES ${target(i)} (id))`,
      `INSERT INTO keyed_${i} VALUES ${values((n) => `${n}, ${1 + ((n * 7) % ROWS)}, ${n}`)}`,
    ]),
    'CREATE TABLE profiles (customer integer PRIMARY KEY, bio varchar(30), FOREIGN KEY (customer) REFERENCES customers (id))',
    `INSERT INTO profiles VALUES ${values((n) => `${n}, 'bio ${n}'`)}`,
    'CREATE TABLE pictures (id integer PRIMARY KEY, profile integer, FOREIGN KEY (profile) REFERENCES profiles (customer))',
    `INSERT INTO pictures VALUES ${values((n) => `${n}, ${n % 3 === 0 ? 'NULL' : n}`)}`,
    'CREATE TABLE order_products (order_no integer, product integer, n integer, PRIMARY KEY (order_no, product), FOREIGN KEY (order_no) REFERENCES orders (id), FOREIGN KEY (product) REFERENCES products (id))',
    `INSERT INTO order_products VALUES ${values((n) => `${n}, ${1 + ((n * 3) % ROWS)}, ${n}`)}`,
    // Without.
    ...many.flatMap((i) => [
      `CREATE TABLE loose_${i} (id integer PRIMARY KEY, ${target(i).slice(0, -1)}_id integer, n integer)`,
      `INSERT INTO loose_${i} VALUES ${values((n) => `${n}, ${n % 5 === 0 ? 'NULL' : 1 + ((n * 11) % ROWS)}, ${n}`)}`,
    ]),
    ...many
      .slice(0, 6)
      .flatMap((i) => [
        `CREATE TABLE notes_${i} (id integer PRIMARY KEY, target_id integer, target_type varchar(20))`,
        `INSERT INTO notes_${i} VALUES ${values((n) => `${n}, ${n}, '${['customers', 'orders', 'countries'][n % 3]}'`)}`,
      ]),
    ...many
      .slice(0, 6)
      .flatMap((i) => [
        `CREATE TABLE events_${i} (id integer PRIMARY KEY, body ${json})`,
        `INSERT INTO events_${i} VALUES ${values((n) => `${n}, '{"n": ${n}, "customer": {"id": ${n}}, "orders": [${n}, ${1 + (n % ROWS)}]}'`)}`,
      ]),
    ...(kind === 'postgres'
      ? many
          .slice(0, 3)
          .flatMap((i) => [
            `CREATE TABLE teams_${i} (id integer PRIMARY KEY, agent_ids integer[])`,
            `INSERT INTO teams_${i} VALUES ${values((n) => `${n}, '{${n},${1 + (n % ROWS)}}'`)}`,
          ])
      : []),
    'CREATE VIEW named AS SELECT keyed_0.n, customers.name FROM keyed_0 JOIN customers ON customers.id = keyed_0.parent',
    'CREATE VIEW listed AS SELECT id, name FROM orders',
    'CREATE VIEW bought AS SELECT o.name, p.name AS product, x.n FROM order_products AS x JOIN orders AS o ON o.id = x.order_no JOIN products AS p ON p.id = x.product',
    'CREATE VIEW shown AS SELECT pictures.id, profiles.bio FROM pictures LEFT JOIN profiles ON profiles.customer = pictures.profile',
    'CREATE VIEW counted AS SELECT parent, count(*) AS n FROM keyed_1 GROUP BY parent',
    'CREATE VIEW again AS SELECT listed.name, counted.n FROM listed JOIN counted ON counted.parent = listed.id',
    'CREATE VIEW spread AS SELECT country_id, count(*) AS n FROM customers GROUP BY country_id HAVING count(*) > 2',
  ]
}

interface Danger {
  readonly create: string
  readonly drop: string
  readonly name: RegExp
}

const danger = (create: string, drop: string, name: RegExp): Danger => ({ create, drop, name })

const DANGERS: Danger[] = [
  danger(
    'CREATE VIEW low AS SELECT name FROM customers WHERE id < 10',
    'DROP VIEW low',
    /^view (public\.)?low: /,
  ),
  danger(
    'CREATE VIEW odd AS SELECT k.n FROM keyed_2 AS k JOIN products AS p ON p.id = k.n',
    'DROP VIEW odd',
    /^view (public\.)?odd: /,
  ),
  danger(
    'CREATE VIEW mixed AS SELECT id FROM orders UNION SELECT id FROM countries',
    'DROP VIEW mixed',
    /^view (public\.)?mixed: /,
  ),
]

const DANGERS_OF: Record<Kind, Danger[]> = {
  postgres: [
    ...DANGERS,
    danger(
      "CREATE FUNCTION aside.f(x int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM public.orders WHERE id = x'",
      'DROP FUNCTION aside.f',
      /^function aside\.f\(integer\): /,
    ),
    danger(
      'CREATE FUNCTION g(x int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM shops WHERE id = x; END $$',
      'DROP FUNCTION g',
      /^function (public\.)?g\(integer\): /,
    ),
    danger(
      'CREATE MATERIALIZED VIEW aside.m AS SELECT id::text AS t FROM public.agents',
      'DROP MATERIALIZED VIEW aside.m',
      /^materialized view aside\.m: /,
    ),
    danger(
      'CREATE POLICY p ON invoices USING (id > 0)',
      'DROP POLICY p ON invoices',
      /^policy p on table public\.invoices: /,
    ),
    danger('CREATE INDEX evens ON keyed_3 ((parent % 2))', 'DROP INDEX evens', /^index evens: /),
    danger('CREATE TABLE aside.d (order_id integer)', 'DROP TABLE aside.d', /^column aside\.d\.order_id: /),
    danger(
      'CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM shops WHERE id = NEW.n; RETURN NEW; END $$; CREATE TRIGGER t AFTER INSERT ON countries FOR EACH ROW EXECUTE FUNCTION t()',
      'DROP FUNCTION t CASCADE',
      /^function (public\.)?t\(\): /,
    ),
  ],
  sqlite: [
    ...DANGERS,
    danger(
      'CREATE TRIGGER t AFTER INSERT ON countries BEGIN DELETE FROM shops WHERE id = NEW.id; END',
      'DROP TRIGGER t',
      /^trigger t: /,
    ),
    danger(
      'CREATE TEMP VIEW hidden AS SELECT name FROM agents WHERE id BETWEEN 1 AND 5',
      'DROP VIEW hidden',
      /^view hidden: /,
    ),
    danger('CREATE INDEX evens ON keyed_3 (parent % 2)', 'DROP INDEX evens', /^index evens: /),
  ],
  mysql: [
    ...DANGERS,
    danger(
      'CREATE PROCEDURE del(x bigint) DELETE FROM customers WHERE id = x',
      'DROP PROCEDURE del',
      /^procedure del: /,
    ),
    danger(
      'CREATE FUNCTION f(x int) RETURNS int RETURN (SELECT count(*) FROM orders WHERE id > x)',
      'DROP FUNCTION f',
      /^function f: /,
    ),
    danger(
      'CREATE EVENT ev ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM shops WHERE id < 5',
      'DROP EVENT ev',
      /^event ev: /,
    ),
    danger(
      'CREATE TRIGGER t AFTER INSERT ON countries FOR EACH ROW DELETE FROM shops WHERE id = NEW.id',
      'DROP TRIGGER t',
      /^trigger t: /,
    ),
    danger(
      'CREATE VIEW other.far AS SELECT name FROM here.agents WHERE id > 7',
      'DROP VIEW other.far',
      /^view other_\w+\.far: /,
    ),
    danger(
      'CREATE PROCEDURE other.p(x int) DELETE FROM here.agents WHERE id = x',
      'DROP PROCEDURE other.p',
      /^procedure other_\w+\.p: /,
    ),
  ],
}

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

const messagesOf = async (work: Promise<unknown>): Promise<string[]> =>
  obstaclesOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  ).map(({ message }) => message)

/** Every row of every table and view, with new keys in the words of the old ones. */
async function picture(
  { query }: Opened,
  sources: readonly string[],
  oldOf: ReadonlyMap<unknown, unknown> = new Map(),
): Promise<Record<string, string[]>> {
  const old = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(old)
    if (typeof value === 'string' && /^[[{]/.test(value)) return old(JSON.parse(value))
    if (typeof value !== 'object' || value === null || value instanceof Date)
      return typeof (oldOf.get(value) ?? value) === 'number'
        ? String(oldOf.get(value) ?? value)
        : (oldOf.get(value) ?? value)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !name.startsWith('legacy_'))
        .map(([name, one]) => [name, old(one)])
        .sort(([a], [b]) => String(a).localeCompare(String(b))),
    )
  }
  const found: Record<string, string[]> = {}
  for (const source of sources) {
    const rows = await query(`SELECT * FROM ${source}`)
    found[source] = rows.map((row) => JSON.stringify(old(row))).sort()
  }
  return found
}

const REFERENCES = (kind: Kind): NonNullable<AdoptionOptions['references']> => {
  const of = (count: number, name: (i: number) => string, to: (i: number) => unknown) =>
    Array.from({ length: count }, (_, i) => [name(i), to(i)])
  const target = (i: number): string => ROOTS[i % ROOTS.length] as string
  return Object.fromEntries([
    ...of(12, (i) => `loose_${i}.${target(i).slice(0, -1)}_id`, target),
    ...of(
      6,
      (i) => `notes_${i}.target_id`,
      () => ({ type: 'target_type', tables: { customers: 'customers', orders: 'orders', countries: null } }),
    ),
    ...of(
      6,
      (i) => `events_${i}.body`,
      () => ({ paths: { '$.customer.id': 'customers', '$.orders[*]': 'orders' } }),
    ),
    ...(kind === 'postgres'
      ? of(
          3,
          (i) => `teams_${i}.agent_ids`,
          () => 'agents',
        )
      : []),
  ])
}

describe.each(kinds)('%s: about fifty tables', (kind) => {
  test('every row and view is as before through the mapping, or the plan names the obstacle', async () => {
    const database = (await KINDS[kind].open()) as Opened
    opened.push(database)
    const other = `other_${database.kind === 'mysql' ? database.name : ''}`
    const here = database.kind === 'mysql' ? database.name : ''
    const run = async (sql: string): Promise<void> => {
      const statements = sql.includes('$$') ? sql.split(/; (?=CREATE TRIGGER)/) : [sql]
      for (const one of statements)
        await database.query(one.replaceAll('other.', `${other}.`).replaceAll('here.', `${here}.`))
    }
    if (kind === 'postgres') await run('CREATE SCHEMA aside')
    if (kind === 'mysql') {
      await database.query(`CREATE DATABASE ${other}`)
      opened.push({ close: () => database.query(`DROP DATABASE ${other}`) })
    }
    const statements = schema(kind)
    for (const sql of statements) await database.query(sql)
    expect(statements.filter((sql) => sql.startsWith('CREATE TABLE')).length).toBeGreaterThan(45)
    const sources = statements.flatMap((sql) => /^CREATE (?:TABLE|VIEW) (\w+)/.exec(sql)?.[1] ?? [])
    const before = await picture(database, sources)

    // 1. Nothing is declared: each dangerous object and each reference without a foreign key is named, and nothing else.
    const references = REFERENCES(kind)
    for (const { create } of DANGERS_OF[kind]) await run(create)
    const found = await messagesOf(planAdoption(clientOf(database), { tables }))
    const expected = [
      ...DANGERS_OF[kind].map(({ name }) => name),
      ...Object.keys(references).map(
        (path) => new RegExp(`^column (public\\.)?${path.replace('.', '\\.')}: `),
      ),
    ]
    for (const name of expected) expect(found).toContainEqual(expect.stringMatching(name))
    expect(found.filter((one) => !expected.some((name) => name.test(one)))).toEqual([])
    expect(await picture(database, sources)).toEqual(before)
    for (const { drop } of DANGERS_OF[kind]) await run(drop)

    // 2. A poor role is told what it lacks before anything else.
    if (database.kind === 'postgres') {
      const { url } = await database.role()
      const pool = poolTo(url)
      const lacking = await messagesOf(planAdoption(pool, { tables, references }))
      expect(lacking.every((one) => /GRANT /.test(one))).toBe(true)
      await pool.end()
    }
    if (database.kind === 'mysql') {
      const user = `poor_${database.name}`.slice(0, 60)
      await database.query(`CREATE USER '${user}'@'%' IDENTIFIED BY 'secret'`)
      await database.query(`GRANT ALL ON \`${database.name}\`.* TO '${user}'@'%'`)
      const url = Object.assign(new URL(database.url), { username: user, password: 'secret' }).href
      const connection = await createConnection(url)
      expect(await messagesOf(planAdoption(connection, { tables, references }))).toEqual([
        expect.stringMatching(/^rights: .*GRANT SELECT, SHOW VIEW, TRIGGER, EVENT, EXECUTE ON \*\.\*/),
      ])
      await connection.end()
      await database.query(`DROP USER '${user}'@'%'`)
    }

    // 3. From plan to verify, with the views compared.
    const rehearsal = await rehearseAdoption(clientOf(database), { tables, references })
    expect(rehearsal.faults).toEqual([])
    expect(rehearsal.views.map(({ name }) => name.replace(/^view (public\.)?/, '')).sort()).toEqual(
      [
        'again',
        'bought',
        'counted',
        'listed',
        'named',
        'shown',
        ...(kind === 'postgres' ? [] : ['spread']),
      ].sort(),
    )
    const oldOf = new Map<unknown, unknown>()
    for (const table of ROOTS)
      for (const row of await database.query(`SELECT id, legacy_id FROM ${table}`))
        oldOf.set(row['id'], row['legacy_id'])
    expect(oldOf.size).toBe(ROOTS.length * ROWS)
    expect(await picture(database, sources, oldOf)).toEqual(before)

    // 4. After finish the mapping tables have what is needed to tell.
    const adoption = await planAdoption(clientOf(database), { tables, references })
    await adoption.finish()
    const kept = new Map<unknown, unknown>()
    for (const mapping of adoption.mappings)
      for (const row of await database.query(`SELECT old, new FROM ${mapping}`))
        kept.set(row['new'], row['old'])
    expect(kept).toEqual(oldOf)
    expect(await picture(database, sources, kept)).toEqual(before)
  })
})

describe.each(kinds.filter((kind) => kind !== 'postgres'))('%s', (kind) => {
  test('a rehearsal reports a view that you ignored and whose rows change', async () => {
    const database = (await KINDS[kind].open()) as Opened
    opened.push(database)
    for (const sql of schema(kind).slice(0, 14)) await database.query(sql)
    await database.query('CREATE VIEW low AS SELECT name FROM customers WHERE id < 10')
    const options = { tables: tables.slice(0, 1), ignore: ['view low'] }
    const { faults, views } = await rehearseAdoption(clientOf(database), options)
    // MariaDB takes a text for the number 0, so that all rows are below 10; in SQLite none is.
    const changed = kind === 'mysql' ? ROWS - 9 : 9
    expect(views).toEqual([{ name: 'view low', rows: 9, changed }])
    expect(faults).toEqual([`view low: ${changed} rows are others than before`])
  })
})
