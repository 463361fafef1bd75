import { inventoryOf, obstaclesOf, planAdoption, type TableOptions } from '@snoflax/adopt'
import { flax, prefixed } from '@snoflax/core'
import { mysql, type PostgresDatabase, poolTo, postgres, sqlite } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { carryOut, type Opened, plan } from './moves.js'

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

type Kind = 'postgres' | 'sqlite' | 'mysql'
const KINDS = { postgres, sqlite, mysql }
const kinds = (['postgres', 'sqlite', 'mysql'] as const).filter((kind) => KINDS[kind].selected())

const TIMES = { postgres: 'timestamptz', sqlite: 'TEXT', mysql: 'datetime' }
const TYPES = { postgres: 'jsonb', sqlite: 'TEXT', mysql: 'json' }

const idsOf =
  (prefix: string): TableOptions['generator'] =>
  (clock) =>
    prefixed(flax, prefix).generator({ monotonic: true, clock })

const C: TableOptions = { table: 'c', createdAt: 'at', storage: 'text', generator: idsOf('cus') }
const O: TableOptions = { table: 'o', createdAt: 'at', storage: 'text', generator: idsOf('ord') }

/** `c` with the keys 1 to 9, and `o` with 1 to 3. */
async function shop(kind: Kind, ...more: string[]): Promise<Opened> {
  const database = (await KINDS[kind].open()) as Opened
  opened.push(database)
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => `(${i + 1}, '2021-01-0${i + 1}')`).join()
  for (const sql of [
    `CREATE TABLE c (id integer PRIMARY KEY, at ${TIMES[kind]} NOT NULL)`,
    `CREATE TABLE o (id integer PRIMARY KEY, at ${TIMES[kind]} NOT NULL)`,
    `INSERT INTO c VALUES ${rows(9)}`,
    `INSERT INTO o VALUES ${rows(3)}`,
    ...more,
  ])
    await database.query(sql)
  return database
}

const refusal = (planned: Promise<unknown>): Promise<unknown> =>
  planned.then(
    () => new Error('no obstacle'),
    (reason: unknown) => reason,
  )

async function messages(planned: Promise<unknown>): Promise<string[]> {
  const error = await refusal(planned)
  const found = obstaclesOf(error)
  return found.length > 0 ? found.map(({ message }) => message) : [String(error)]
}

describe.each(kinds)('%s: columns without a foreign key', (kind) => {
  const COLUMNS: [table: string, insert: string][] = [
    ['CREATE TABLE d (id integer PRIMARY KEY, c_id integer NOT NULL)', 'INSERT INTO d VALUES (1, 1), (2, 9)'],
    [
      'CREATE TABLE d (id integer PRIMARY KEY, c_id integer NOT NULL)',
      'INSERT INTO d VALUES (1, 1), (2, 77)',
    ],
    ['CREATE TABLE d (id integer PRIMARY KEY, ref bigint)', 'INSERT INTO d VALUES (1, 5), (2, NULL)'],
    ['CREATE TABLE d (id integer PRIMARY KEY, c_id integer)', 'SELECT 1'],
    ['CREATE TABLE d (id integer PRIMARY KEY, created_by integer)', 'INSERT INTO d VALUES (1, 0), (2, 3)'],
    [
      'CREATE TABLE d (id integer PRIMARY KEY, owner_id varchar(20))',
      "INSERT INTO d VALUES (1, '3'), (2, '')",
    ],
    [
      'CREATE TABLE d (id integer PRIMARY KEY, target_id integer, target_type varchar(20))',
      "INSERT INTO d VALUES (1, 3, 'C'), (2, 500, 'Z')",
    ],
    [
      `CREATE TABLE d (id integer PRIMARY KEY, body ${TYPES[kind]})`,
      `INSERT INTO d VALUES (1, '{"customer": {"id": 3}}')`,
    ],
  ]

  test.each(COLUMNS)('%s; %s: must be declared or ignored', async (create, insert) => {
    const database = await shop(kind, create, insert)
    const found = await messages(plan(database, [C]))
    expect(found).toEqual([
      expect.stringMatching(/^column (public\.)?d\.\w+: it (may contain|contains JSON).*references: \{ "/),
    ])
    const [name] = /^column [^:]+/.exec(found[0] as string) as unknown as [string]
    const { inventory } = await plan(database, [C], { ignore: [name] })
    expect(inventory).toContainEqual({ name, verdict: 'ignored', note: expect.any(String) })
  })

  test('a plan that is refused has the whole inventory too', async () => {
    const [, [create, insert]] = COLUMNS as [unknown, [string, string]]
    const shelf = 'CREATE TABLE e (id integer PRIMARY KEY, shelf_id integer)'
    const database = await shop(kind, create, insert, shelf, 'INSERT INTO e VALUES (1, 5000)')
    const inventory = inventoryOf(await refusal(plan(database, [C])))
    expect(inventory.map(({ name, verdict }) => `${verdict} ${name.replace('public.', '')}`)).toEqual(
      expect.arrayContaining([
        'replaced column c.id',
        'obstacle column d.c_id',
        'unaffected column e.shelf_id',
      ]),
    )
    expect(inventoryOf(new Error('another'))).toEqual([])
  })

  test('columns that hold other values are listed, or named as not examined', async () => {
    const database = await shop(
      kind,
      `CREATE TABLE d (id integer PRIMARY KEY, shelf_id integer, n integer, body ${TYPES[kind]}, box_id double precision)`,
      `INSERT INTO d VALUES (1, 5000, 1, '{"n": 1}', 3)`,
    )
    const { inventory } = await plan(database, [C])
    expect(inventory).toContainEqual(
      expect.objectContaining({
        name: expect.stringMatching(/column (public\.)?d\.shelf_id$/),
        verdict: 'unaffected',
      }),
    )
    expect(inventory).toContainEqual(
      expect.objectContaining({
        name: 'other columns',
        verdict: 'not examined',
        note: expect.stringMatching(/d\.n\b/),
      }),
    )
    expect(inventory).toContainEqual(
      expect.objectContaining({
        name: 'columns of other types',
        verdict: 'not examined',
        note: expect.stringMatching(/d\.box_id \(double/i),
      }),
    )
  })

  test('declared columns are converted: values, by a type column, in JSON', async () => {
    const database = await shop(
      kind,
      'CREATE TABLE d (id integer PRIMARY KEY, c_id integer NOT NULL)',
      'INSERT INTO d VALUES (1, 1), (2, 9)',
      'CREATE TABLE n (id integer PRIMARY KEY, target_id integer, target_type varchar(20))',
      "INSERT INTO n VALUES (1, 3, 'C'), (2, 3, 'O'), (3, 800, 'Z'), (4, NULL, 'C')",
      `CREATE TABLE e (id integer PRIMARY KEY, body ${TYPES[kind]})`,
      `INSERT INTO e VALUES (1, '{"x": 1, "customer": {"id": 3}, "orders": [3, 1]}'), (2, '{"orders": []}'), (3, '{"customer": {"id": null}}'), (4, NULL)`,
      kind === 'postgres'
        ? "CREATE TABLE teams (id integer PRIMARY KEY, member_ids integer[]); INSERT INTO teams VALUES (1, '{3,1,3}'), (2, '{}'), (3, NULL)"
        : 'SELECT 1',
    )
    const adoption = await plan(database, [C, O], {
      references: {
        'd.c_id': 'c',
        'n.target_id': { type: 'target_type', tables: { C: 'c', O: 'o', Z: null } },
        'e.body': { paths: { '$.customer.id': 'c', '$.orders[*]': 'o' } },
        ...(kind === 'postgres' && { 'teams.member_ids': 'c' }),
      },
    })
    await adoption.backfill()
    await database.query(`INSERT INTO e VALUES (5, '{"customer": {"id": 9}}')`)
    await database.query("INSERT INTO n VALUES (5, 1, 'O')")
    await adoption.switchKeys()
    expect((await adoption.verify()).faults).toEqual([])
    const ids = async (table: string) =>
      new Map(
        (await database.query(`SELECT id, legacy_id FROM ${table}`)).map((row) => [
          row['legacy_id'],
          row['id'],
        ]),
      )
    const [c, o] = [await ids('c'), await ids('o')]
    const rows = async (table: string, column: string) =>
      (await database.query(`SELECT ${column} AS v FROM ${table} ORDER BY id`)).map(
        (row) => row['v'] as unknown,
      )
    expect(await rows('d', 'c_id')).toEqual([c.get(1), c.get(9)])
    expect(await rows('n', 'target_id')).toEqual([c.get(3), o.get(3), '800', null, o.get(1)])
    const bodies = (await rows('e', 'body')).map((body) =>
      typeof body === 'string' ? JSON.parse(body) : body,
    )
    expect(bodies).toEqual([
      { x: 1, customer: { id: c.get(3) }, orders: [o.get(3), o.get(1)] },
      { orders: [] },
      { customer: { id: null } },
      null,
      { customer: { id: c.get(9) } },
    ])
    if (kind === 'postgres')
      expect(await rows('teams', 'member_ids')).toEqual([[c.get(3), c.get(1), c.get(3)], [], null])
    await adoption.finish()
    expect(await rows('d', 'c_id')).toEqual([c.get(1), c.get(9)])
  })

  test.each<[string, string, object, RegExp]>([
    [
      'CREATE TABLE d (x bigint)',
      'INSERT INTO d VALUES (77)',
      { 'd.x': 'c' },
      /d\.x: the value 77 references no row of (public\.)?c; correct it/,
    ],
    [
      'CREATE TABLE d (x varchar(9))',
      'SELECT 1',
      { 'd.x': 'c' },
      /d\.x: the column is .*, and the keys are .*; change its type first/,
    ],
    ['CREATE TABLE d (x integer)', 'SELECT 1', { 'd.y': 'c' }, /^d\.y: references: no such column/],
    ['CREATE TABLE d (x integer)', 'SELECT 1', { 'd.x': 'gone' }, /^d\.x: references: gone is not in tables/],
    [
      'CREATE TABLE d (x integer, t varchar(9))',
      "INSERT INTO d VALUES (1, 'C'), (2, 'P')",
      { 'd.x': { type: 't', tables: { C: 'c' } } },
      /d\.x: references: t is P in a row; list its table, or null/,
    ],
    [
      `CREATE TABLE d (x ${TYPES[kind]})`,
      `INSERT INTO d VALUES ('{"c": [1, 77]}')`,
      { 'd.x': { paths: { '$.c[*]': 'c' } } },
      /d\.x: the value 77 references no row of (public\.)?c/,
    ],
    [
      `CREATE TABLE d (x ${TYPES[kind]})`,
      'SELECT 1',
      { 'd.x': { paths: { 'c..': 'c' } } },
      /d\.x: references: c\.\. is not a path/,
    ],
  ])('%s; %s; %j is refused by name', async (create, insert, references, message) => {
    const database = await shop(kind, create, insert)
    const found = await messages(plan(database, [C], { references: references as never }))
    expect(found).toEqual([expect.stringMatching(message)])
  })

  test.skipIf(kind === 'sqlite')(
    'a name means the table of its own schema or database, or is refused',
    async () => {
      const database = await shop(kind, 'CREATE TABLE d (c_id integer)')
      const other = `other_${database.kind === 'mysql' ? database.name : ''}`
      for (const sql of [
        `CREATE SCHEMA ${other}`,
        `CREATE TABLE ${other}.d (c_id integer)`,
        `CREATE TABLE ${other}.c (id integer PRIMARY KEY, at ${TIMES[kind]} NOT NULL)`,
      ])
        await database.query(sql)
      const references = { 'd.c_id': 'c' }
      try {
        if (kind === 'mysql') {
          const { columns } = await plan(database, [C], { references })
          expect(columns.map(({ table, column }) => `${table}.${column}`)).toEqual(['c.id', 'd.c_id'])
          return
        }
        expect(await messages(plan(database, [C], { references }))).toContainEqual(
          expect.stringMatching(
            /^d\.c_id: references: several tables have it: other_\.d\.c_id, public\.d\.c_id$/,
          ),
        )
        const tables = [C, { ...C, table: 'other_.c', generator: idsOf('cou') }]
        expect(
          await messages(plan(database, tables, { references: { 'public.d.c_id': 'c' } })),
        ).toContainEqual(
          expect.stringMatching(
            /^public\.d\.c_id: references: several tables are called c; name its schema$/,
          ),
        )
      } finally {
        if (kind === 'mysql') await database.query(`DROP DATABASE ${other}`)
      }
    },
  )

  test('a name to ignore that is not in the inventory is refused', async () => {
    const database = await shop(kind)
    expect(await messages(plan(database, [C], { ignore: ['view gone'] }))).toEqual([
      expect.stringMatching(/^ignore: the inventory has no view gone; spell it as the plan does/),
    ])
  })
})

describe.each(kinds)('%s: views', (kind) => {
  const LG = [
    'CREATE TABLE lg (n integer, ref bigint)',
    'INSERT INTO lg VALUES (1, 1), (2, 2)',
    'CREATE TABLE line (c_id integer REFERENCES c (id), id integer, n integer)',
    'INSERT INTO line VALUES (1, 2, 1), (2, 1, 2)',
  ]
  const ignore = ['lg.ref', 'line.id'].map((one) => `column ${kind === 'postgres' ? 'public.' : ''}${one}`)
  const name = `view ${kind === 'postgres' ? 'public.' : ''}v`

  test.each([
    'SELECT lg.n, c.id FROM lg JOIN c ON c.id = lg.ref',
    'SELECT id FROM c WHERE id IN (SELECT ref FROM lg)',
    'SELECT n FROM lg WHERE ref IN (SELECT id FROM c)',
    'SELECT coalesce(id, 5) AS x FROM c',
    'SELECT x.k FROM (SELECT id AS k FROM c) AS x WHERE x.k > 5',
    'WITH x (k) AS (SELECT id FROM c) SELECT k FROM x WHERE k = 5',
    'SELECT id FROM c UNION SELECT n FROM lg',
    'SELECT line.n FROM line JOIN c ON c.id = line.id',
    'SELECT c.id FROM c JOIN o ON o.id = c.id',
    'SELECT id FROM c ORDER BY id LIMIT 3',
    'SELECT n FROM lg WHERE n > (SELECT max(id) FROM c)',
    'SELECT n, (SELECT min(c_id) FROM line) AS m FROM lg',
    'SELECT CAST(id AS char(9)) AS t FROM c',
    'SELECT c.id FROM c WHERE c.id = 5 OR c.id IS NULL',
    'SELECT id + 1 AS x FROM c',
    'SELECT id FROM c ORDER BY 1 LIMIT 3',
    'SELECT n FROM lg WHERE ref IN (SELECT x.id FROM (SELECT id FROM c) AS x)',
    'SELECT x.n FROM (SELECT n, c_id FROM line) AS x',
    'WITH x AS (SELECT c_id FROM line) SELECT c_id FROM x',
    'SELECT n FROM lg WHERE ref = (SELECT c_id FROM line LIMIT 1)',
    'SELECT n, (SELECT count(*) FROM c WHERE c.id = lg.ref) AS m FROM lg',
  ])('%s is an obstacle, unless it is ignored', async (select) => {
    const database = await shop(kind, ...LG, `CREATE VIEW v AS ${select}`)
    const found = await messages(plan(database, [C, O], { ignore }))
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`^${name}: it uses .* take it on with ignore: `)),
    ])
    // What PostgreSQL can't create again is refused in any case.
    if (kind === 'postgres') return
    const { inventory } = await plan(database, [C, O], { ignore: [...ignore, name] })
    expect(inventory).toContainEqual(expect.objectContaining({ name, verdict: 'ignored' }))
  })

  test.each([
    'SELECT id, at FROM c',
    'SELECT line.n, c.at FROM line JOIN c ON c.id = line.c_id',
    'SELECT l.n, x.at FROM line AS l LEFT JOIN c AS x ON (x.id = l.c_id) WHERE l.c_id IS NOT NULL AND l.n > 1',
    'SELECT c_id, count(*) AS n FROM line GROUP BY c_id',
    'SELECT count(DISTINCT c_id) AS n FROM line',
    'SELECT at FROM c WHERE id IN (SELECT c_id FROM line)',
    'SELECT n FROM line WHERE EXISTS (SELECT 1 FROM c WHERE c.id = line.c_id) AND n < 5',
    'SELECT n FROM lg WHERE ref > 1',
    'SELECT at, (SELECT count(*) FROM line WHERE line.c_id = c.id) AS n FROM c WHERE at IS NOT NULL AND c.id IN (SELECT c_id FROM line) OR c.id IS NULL',
  ])('%s is none', async (select) => {
    const database = await shop(kind, ...LG, `CREATE VIEW v AS ${select}`)
    const rows = async () => (await database.query('SELECT * FROM v')).length
    const before = await rows()
    await carryOut(await plan(database, [C, O], { ignore }))
    expect(await rows()).toBe(before)
  })

  test.each([
    ['SELECT id AS k, at FROM c', 'SELECT at FROM w WHERE k = 5'],
    // A column with the name of a key that is none.
    [
      'SELECT lg.ref AS c_id, line.n FROM lg JOIN line ON line.n = lg.n',
      'SELECT w.n FROM w JOIN c ON c.id = w.c_id',
    ],
    [
      'SELECT c.id, line.id AS n FROM c JOIN line ON line.c_id = c.id',
      'SELECT w.id FROM w JOIN c ON c.id = w.n',
    ],
  ])('a view on a view is read under the names that its columns have there: %s; %s', async (inner, outer) => {
    const views = [`CREATE VIEW w AS ${inner}`, `CREATE VIEW v AS ${outer}`]
    const database = await shop(kind, ...LG, ...views)
    const found = await messages(plan(database, [C], { ignore }))
    expect(found).toEqual([expect.stringMatching(new RegExp(`^${name}: it uses `))])
  })

  test('a view on a view may compare the keys that it returns', async () => {
    const views = [
      'CREATE VIEW w AS SELECT c.id AS k, n FROM c JOIN line ON line.c_id = c.id',
      'CREATE VIEW v AS SELECT w.n FROM w JOIN c ON c.id = w.k',
    ]
    const database = await shop(kind, ...LG, ...views)
    await carryOut(await plan(database, [C], { ignore }))
    expect(await database.query('SELECT * FROM v')).toHaveLength(2)
  })
})

// The catalog has no columns for them.
describe.runIf(kinds.includes('postgres'))('postgres: whole rows', () => {
  const TOUCH =
    'CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.at := now(); RETURN NEW; END $$'
  test.each([
    'CREATE VIEW v AS SELECT at, to_jsonb(c) AS body FROM c',
    'CREATE VIEW v AS SELECT row_to_json(c) AS body FROM c',
    'CREATE VIEW v AS SELECT c AS body FROM c',
    'CREATE VIEW v AS SELECT at FROM c WHERE c IS NOT NULL',
    'CREATE VIEW v AS SELECT x.at FROM c AS x JOIN c AS y ON x = y',
    'CREATE MATERIALIZED VIEW v AS SELECT at, to_jsonb(x) AS body FROM c AS x',
    'CREATE VIEW v AS SELECT at, to_jsonb(d) AS body FROM d',
    'CREATE FUNCTION v() RETURNS jsonb LANGUAGE sql BEGIN ATOMIC SELECT jsonb_agg(c) FROM c; END',
    'CREATE POLICY v ON c USING (to_jsonb(c) IS NOT NULL)',
    'ALTER TABLE c ADD CONSTRAINT v CHECK (c IS NOT NULL)',
    `${TOUCH}; CREATE TRIGGER v BEFORE INSERT ON c FOR EACH ROW WHEN (NEW IS NOT NULL) EXECUTE FUNCTION touch()`,
  ])('%s', async (sql) => {
    const database = await shop('postgres', 'CREATE TABLE d (at timestamptz, c_id integer REFERENCES c)', sql)
    const found = await messages(plan(database, [C]))
    expect(found).toEqual([
      expect.stringMatching(
        /^(materialized view|view|function|policy|constraint|trigger) .*v.*: it uses [a-z]+\.\* /,
      ),
    ])
  })

  test('rows may be counted, and compared by a trigger', async () => {
    const trigger = `${TOUCH}; CREATE TRIGGER t BEFORE UPDATE ON c FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch()`
    const database = await shop('postgres', 'CREATE VIEW v AS SELECT count(c) AS n FROM c', trigger)
    await carryOut(await plan(database, [C]))
    expect(await database.query('SELECT * FROM v')).toEqual([{ n: '9' }])
  })
})

describe.runIf(kinds.includes('postgres'))('postgres: columns of domains', () => {
  test.each([
    ['c_id', 'key_or_null', '1'],
    ['c_id', 'key_of_c', '2::key_of_c'],
    ['c_ids', 'key_of_c[]', "'{1, 2}'"],
  ])('%s %s', async (name, type, value) => {
    const database = await shop(
      'postgres',
      'CREATE DOMAIN key_or_null AS integer',
      'CREATE DOMAIN key_of_c AS key_or_null CHECK (VALUE > 0)',
      `CREATE TABLE d (n integer, ${name} ${type})`,
      `INSERT INTO d VALUES (1, ${value})`,
    )
    expect(await messages(plan(database, [C]))).toEqual([
      expect.stringContaining(`column public.d.${name}: it may contain keys of public.c`),
    ])
    await carryOut(await plan(database, [C], { references: { [`d.${name}`]: 'c' } }))
    const ids = type.endsWith('[]') ? `unnest(${name})` : name
    const rows = await database.query(`SELECT ${ids} AS id FROM d`)
    expect(await database.query('SELECT id FROM c')).toEqual(expect.arrayContaining(rows))
    expect(rows[0]).toEqual({ id: expect.stringMatching(/^cus_/) })
  })
})

describe.runIf(kinds.includes('postgres'))('postgres: bodies that are texts', () => {
  test.each([
    "CREATE FUNCTION f(x int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM c WHERE id = x'",
    'CREATE FUNCTION f(x int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM c WHERE id = x; END $$',
    "CREATE FUNCTION f(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DELETE FROM ' || t; END $$",
  ])('%s', async (sql) => {
    for (const schema of ['public', 'other']) {
      const database = await shop('postgres', 'CREATE SCHEMA other', sql.replace('f(', `${schema}.f(`))
      const [found] = await messages(plan(database, [C]))
      expect(found).toMatch(new RegExp(`^function ${schema}\\.f\\(\\w+\\): it (mentions c|runs SQL)`))
    }
  })

  const ROWS = [
    'CREATE TABLE line (id integer, c_id integer REFERENCES c (id))',
    'CREATE VIEW v AS SELECT id, at FROM c',
  ]
  test.each([
    ["CREATE FUNCTION f(x c) RETURNS boolean LANGUAGE sql AS 'SELECT $1.id > 5'", 'id'],
    ["CREATE FUNCTION f(x v[]) RETURNS boolean LANGUAGE sql AS 'SELECT $1[1].id > 5'", 'id'],
    ["CREATE FUNCTION f(x c) RETURNS jsonb LANGUAGE sql AS 'SELECT to_jsonb(x)'", 'the whole row'],
    ["CREATE FUNCTION f(c) RETURNS jsonb LANGUAGE sql AS 'SELECT to_jsonb($1)'", 'the whole row'],
    ["CREATE FUNCTION f(x c[]) RETURNS jsonb LANGUAGE sql AS 'SELECT to_jsonb(x[1])'", 'the whole row'],
    ["CREATE FUNCTION f(x jsonb) RETURNS boolean LANGUAGE sql AS $$ SELECT x ->> 'c_id' > '5' $$", 'c_id'],
    [
      'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.at := NEW.id; RETURN NEW; END $$; CREATE TRIGGER t INSTEAD OF INSERT ON v FOR EACH ROW EXECUTE FUNCTION f()',
      'id',
    ],
  ])('a key of a row that it gets, or the name of a column that only keys have: %s', async (sql, key) => {
    const found = await messages(plan(await shop('postgres', ...ROWS, sql), [C]))
    expect(found).toContainEqual(
      expect.stringMatching(new RegExp(`^function public\\.f\\(.*\\): it mentions ${key}, `)),
    )
  })

  test.each(['x.at', '(x).at', '($1).at'])('a member of a row that is no key is none: %s', async (member) => {
    const sql = `CREATE FUNCTION f(x c) RETURNS boolean LANGUAGE sql AS 'SELECT ${member} > now()'`
    const ignore = ['column public.line.id']
    const { inventory } = await plan(await shop('postgres', ...ROWS, sql), [C], { ignore })
    expect(inventory).toContainEqual(
      expect.objectContaining({ name: 'function public.f(public.c)', verdict: 'unaffected' }),
    )
  })

  test('a name that other columns have too is none', async () => {
    const sql = "CREATE FUNCTION f(x jsonb) RETURNS boolean LANGUAGE sql AS $$ SELECT x ->> 'id' > '5' $$"
    const { inventory } = await plan(await shop('postgres', ...ROWS, sql), [C], {
      ignore: ['column public.line.id'],
    })
    expect(inventory).toContainEqual(
      expect.objectContaining({ name: 'function public.f(jsonb)', verdict: 'unaffected' }),
    )
  })

  test('a role is told the rights that it lacks, first', async () => {
    const database = (await shop('postgres', 'CREATE TABLE d (c_id integer)')) as PostgresDatabase
    const role = await database.role()
    const pool = poolTo(role.url)
    try {
      const lacking = () => messages(planAdoption(pool, { tables: [C] }))
      expect(inventoryOf(await refusal(planAdoption(pool, { tables: [C] })))).toEqual([])
      expect(await lacking()).toEqual([
        expect.stringMatching(`GRANT CREATE ON DATABASE ${database.name} TO ${role.name}`),
        expect.stringMatching(`^public\\.c: .*GRANT \\w+ TO ${role.name}`),
      ])
      await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${role.name}`)
      await database.query(`GRANT CREATE, USAGE ON SCHEMA public TO ${role.name}`)
      await database.query(`ALTER TABLE c OWNER TO ${role.name}`)
      expect(await lacking()).toEqual([
        expect.stringMatching(`^column public\\.d\\.c_id: .*GRANT SELECT ON public\\.d TO ${role.name}`),
      ])
    } finally {
      await pool.end()
    }
  })
})

describe.runIf(kinds.includes('mysql'))('mariadb: all databases, and what the user may not see', () => {
  test.each<[string, RegExp]>([
    ['CREATE PROCEDURE del(x bigint) DELETE FROM c WHERE id = x', /^procedure del: it mentions c, /],
    [
      'CREATE FUNCTION f(x bigint) RETURNS int RETURN (SELECT count(*) FROM c WHERE id > x)',
      /^function f: it mentions c, /,
    ],
    [
      'CREATE EVENT ev ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM c WHERE id < 5',
      /^event ev: it mentions c, /,
    ],
    [
      "CREATE PROCEDURE p(t text) EXECUTE IMMEDIATE concat('DELETE FROM ', t)",
      /^procedure p: it runs SQL that it builds/,
    ],
    [
      'CREATE TRIGGER t AFTER INSERT ON o FOR EACH ROW DELETE FROM c WHERE id = NEW.id',
      /^trigger t: it mentions c, /,
    ],
    ['CREATE VIEW other.v AS SELECT id FROM here.c WHERE id > 5', /^view other_\w+\.v: it uses .*id/],
    [
      'CREATE PROCEDURE other.p(x int) DELETE FROM here.c WHERE id = x',
      /^procedure other_\w+\.p: it mentions c, /,
    ],
    [
      'CREATE VIEW other.w AS SELECT id AS k FROM here.c; CREATE VIEW other.v AS SELECT k FROM other.w WHERE k > 5',
      /^view other_\w+\.v: it uses .*k/,
    ],
  ])('%s', async (sql, message) => {
    const database = await shop('mysql')
    if (database.kind !== 'mysql') return
    const other = `other_${database.name}`
    await database.query(`CREATE DATABASE ${other}`)
    try {
      for (const one of sql.split('; '))
        await database.query(one.replaceAll('other.', `${other}.`).replaceAll('here.', `${database.name}.`))
      expect(await messages(plan(database, [C]))).toEqual([expect.stringMatching(message)])
    } finally {
      await database.query(`DROP DATABASE ${other}`)
    }
  })

  test('a user is told the rights that it lacks, first', async () => {
    const database = await shop(
      'mysql',
      'CREATE EVENT ev ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM c WHERE id < 5',
    )
    if (database.kind !== 'mysql') return
    const user = `poor_${database.name}`.slice(0, 60)
    await database.query(`CREATE USER '${user}'@'%' IDENTIFIED BY 'secret'`)
    const url = Object.assign(new URL(database.url), { username: user, password: 'secret' }).href
    const { createConnection } = await import('mysql2/promise')
    // A session keeps the rights with which it began.
    const obstacles = async (ignore: string[] = []): Promise<string[]> => {
      const connection = await createConnection(url)
      const found = await messages(planAdoption(connection, { tables: [C], ignore }))
      await connection.end()
      return found
    }
    try {
      const step = 'CREATE, ALTER, DROP, INDEX, REFERENCES, INSERT, UPDATE, DELETE'
      await database.query(`GRANT SELECT, ${step} ON \`${database.name}\`.* TO '${user}'@'%'`)
      expect(await obstacles()).toEqual([
        expect.stringMatching(/^rights: .*GRANT SHOW VIEW, TRIGGER, EVENT, EXECUTE ON `\w+`\.\* TO 'poor_/),
        expect.stringMatching(
          /^rights: .*GRANT SELECT, SHOW VIEW, TRIGGER, EVENT, EXECUTE ON \*\.\* TO 'poor_.*ignore: \["other databases"\]/,
        ),
      ])
      await database.query(
        `GRANT SHOW VIEW, TRIGGER, EVENT, EXECUTE ON \`${database.name}\`.* TO '${user}'@'%'`,
      )
      expect(await obstacles(['other databases'])).toEqual([
        expect.stringMatching(/^event ev: it mentions c/),
      ])
      await database.query(`GRANT SELECT, SHOW VIEW, TRIGGER, EVENT, EXECUTE ON *.* TO '${user}'@'%'`)
      expect(await obstacles()).toEqual([expect.stringMatching(/^event ev: /)])
    } finally {
      await database.query(`DROP USER '${user}'@'%'`)
    }
  })
})

describe.runIf(kinds.includes('sqlite'))('sqlite: triggers', () => {
  test.each([
    'CREATE TRIGGER t AFTER INSERT ON o BEGIN DELETE FROM c WHERE id = NEW.id; END',
    'CREATE TEMP TRIGGER t AFTER INSERT ON o BEGIN DELETE FROM c WHERE id = NEW.id; END',
  ])('%s', async (sql) => {
    const found = await messages(plan(await shop('sqlite', sql), [C]))
    expect(found).toEqual([expect.stringMatching(/^trigger t: it mentions c, which has new keys/)])
  })
})
