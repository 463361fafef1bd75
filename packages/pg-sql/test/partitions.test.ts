import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { betweenSuffix } from './families.js'
import { openPostgres } from './installed.js'
import { planOf, queryOf, STORED, scanned } from './plans.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

async function makePartitions(table: string, ...given: string[]): Promise<string[]> {
  const call = `SELECT snoflax.partition_ddl('${table}', ${given.join(', ')}) AS ddl`
  const statements = (await database.query(call)).map((row) => row['ddl'] as string)
  for (const statement of statements) await database.query(statement)
  return statements
}

describe.each(STORED)('$name in $storage', ({ name, storage, type, exact, lower, upper }) => {
  const table = `${name}_${storage}`
  // uid selects the whole last window, so it is rechecked.
  const range = (from: string, until: string) =>
    `id >= ${lower}(${from}) AND id < ${upper}(${until})${exact ? '' : ` AND snoflax.uid_time(id) < ${until}`}`

  beforeAll(async () => {
    await database.query(`CREATE TABLE ${table} (id ${type} PRIMARY KEY) PARTITION BY RANGE (id)`)
    await makePartitions(table, `'${name}'`, `'${storage}'`, "'2026-01-01Z'", "'2027-01-01Z'", "'1 month'")
    await database.query(`INSERT INTO ${table} SELECT ${lower}(at)
      FROM generate_series(timestamptz '2026-01-01Z', '2026-12-31Z', '6 hours') AS at`)
  })

  test('each id is in the partition of its month', async () => {
    const rows = await database.query(`SELECT tableoid::regclass::text AS partition,
      min(snoflax.${name}_time(id)) AS first, max(snoflax.${name}_time(id)) AS last, count(*)::integer AS all
      FROM ${table} GROUP BY 1 ORDER BY 1`)
    expect(rows).toHaveLength(12)
    for (const { partition, first, last } of rows) {
      const month = `${table}_${(first as Date).toISOString().slice(0, 7).replace('-', '_')}`
      expect(partition).toBe(month)
      expect(`${table}_${(last as Date).toISOString().slice(0, 7).replace('-', '_')}`).toBe(month)
    }
  })

  const wanted = [`${table}_2026_02`, `${table}_2026_03`]

  test('constants prune partitions at planning', async () => {
    const sql = `SELECT * FROM ${table} WHERE ${range("'2026-02-10Z'", "'2026-03-10Z'")}`
    const nodes = await planOf(queryOf(database), sql)
    expect(scanned(nodes)).toEqual(wanted)
    expect((await database.query(sql)).length).toBe(28 * 4)
  })

  test('parameters prune partitions at run time, in a generic plan', async () => {
    const client = await database.connect()
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(
      `PREPARE search (timestamptz, timestamptz) AS SELECT * FROM ${table} WHERE ${range('$1', '$2')}`,
    )
    const execute = "EXECUTE search ('2026-02-10Z', '2026-03-10Z')"
    const nodes = await planOf((sql) => client.query(sql), execute)
    expect(scanned(nodes)).toEqual(wanted)
    expect(nodes.map((node) => node['Subplans Removed'] ?? 0)).toContain(10)
    expect((await client.query(execute)).rowCount).toBe(28 * 4)
    await client.end()
  })

  test('*_between prunes partitions, at planning and at run time', async () => {
    const between = (from: string, until: string) =>
      `SELECT * FROM ${table} WHERE snoflax.${name}_between${betweenSuffix({ name, storage })}(id, ${from}, ${until})`
    const sql = between("'2026-02-10Z'", "'2026-03-10Z'")
    expect(scanned(await planOf(queryOf(database), sql))).toEqual(wanted)
    expect((await database.query(sql)).length).toBe(28 * 4)

    const client = await database.connect()
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE search (timestamptz, timestamptz) AS ${between('$1', '$2')}`)
    const execute = "EXECUTE search ('2026-02-10Z', '2026-03-10Z')"
    const nodes = await planOf((text) => client.query(text), execute)
    expect(scanned(nodes)).toEqual(wanted)
    expect(nodes.map((node) => node['Subplans Removed'] ?? 0)).toContain(10)
    expect((await client.query(execute)).rowCount).toBe(28 * 4)
    await client.end()
  })

  test('the bounds of a partition are those of its month', async () => {
    const rows = await database.query(
      `SELECT pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE oid = '${table}_2026_05'::regclass`,
    )
    const ends = await database.query(
      `SELECT ${lower}('2026-05-01Z')::text AS first, ${lower}('2026-06-01Z')::text AS next`,
    )
    const { first, next } = ends[0] as { first: string; next: string }
    expect(rows[0]?.['bound']).toBe(`FOR VALUES FROM ('${first}') TO ('${next}')`)
  })
})

describe('partition_ddl', () => {
  test('creates days, and a second call that overlaps changes nothing', async () => {
    await database.query('CREATE TABLE "Daily log" (id uuid) PARTITION BY RANGE (id)')
    const first = await makePartitions(
      '"Daily log"',
      "'flax'",
      "'uuid'",
      "'2026-02-26Z'",
      "'2026-03-02Z'",
      "'1 day'",
    )
    const created = (statements: string[]) => statements.filter((ddl) => ddl.startsWith('CREATE'))
    expect(created(first).map((ddl) => /"Daily log_\d+_\d+_\d+"/.exec(ddl)?.[0])).toEqual([
      '"Daily log_2026_02_26"',
      '"Daily log_2026_02_27"',
      '"Daily log_2026_02_28"',
      '"Daily log_2026_03_01"',
    ])
    const second = await makePartitions(
      '"Daily log"',
      "'flax'",
      "'uuid'",
      "'2026-03-01Z'",
      "'2026-03-03Z'",
      "'1 day'",
    )
    expect(second[0]).toBe(created(first)[3])
    expect(created(second)).toHaveLength(2)
    // Of what a first call created, a second one doesn't change the statistics again.
    expect(second).toHaveLength(3)
  })

  test('gives partitions by uuid the statistics that their ranges need', async () => {
    const targets = async (key: string) =>
      (
        await database.query(
          `SELECT DISTINCT (to_jsonb(a) ->> 'attstattarget')::integer AS target FROM pg_attribute a JOIN pg_inherits ON inhrelid = attrelid
            WHERE inhparent = 'counted'::regclass AND attname = $1`,
          [key],
        )
      ).map(({ target }) => target)
    await database.query('CREATE TABLE counted ("own Key" uuid, n int) PARTITION BY RANGE ("own Key")')
    await makePartitions('counted', "'uuid7'", "'uuid'", "'2026-01-01Z'", "'2026-04-01Z'", "'1 month'")
    expect(await targets('own Key')).toEqual([10000])
    expect(await targets('n')).not.toEqual([10000])
    await database.query(
      'DROP TABLE counted; CREATE TABLE counted (id text COLLATE "C") PARTITION BY RANGE (id)',
    )
    expect(
      await makePartitions('counted', "'flax'", "'text'", "'2026-01-01Z'", "'2026-04-01Z'", "'1 month'"),
    ).toHaveLength(3)
  })

  test("does not depend on the session's time zone", async () => {
    await database.query('CREATE TABLE zoned (id uuid) PARTITION BY RANGE (id)')
    const call = `SELECT snoflax.partition_ddl('zoned', 'sno', 'uuid', '2026-03-01Z', '2026-06-01Z', '1 month') AS ddl`
    const client = await database.connect()
    const inZone = async (zone: string) => {
      await client.query(`SET timezone = '${zone}'`)
      return (await client.query(call)).rows
    }
    expect(await inZone('Pacific/Auckland')).toEqual(await inZone('UTC'))
    expect(await inZone('America/Los_Angeles')).toEqual(await inZone('UTC'))
  })

  test.each([
    ["'flux'", "'uuid'", "'2026-01-01Z'", "'2026-02-01Z'", "'1 month'"],
    ["'flax'", "'bigint'", "'2026-01-01Z'", "'2026-02-01Z'", "'1 month'"],
    ["'flax'", "'text'", "'2026-01-01Z'", "'2026-02-01Z'", "'1 month'"],
    ["'flax'", "'uuid'", "'2026-02-01Z'", "'2026-01-01Z'", "'1 month'"],
    ["'flax'", "'uuid'", "'2026-01-01Z'", "'infinity'", "'1 month'"],
    ["'flax'", "'uuid'", "'2026-01-01Z'", "'2026-02-01Z'", "'1 hour'"],
    ["'flax'", "'uuid'", "'2026-01-01Z'", "'2026-02-01Z'", "'0 days'"],
    ["'flax'", "'uuid'", "'2026-01-01Z'", "'2026-02-01Z'", "'1 month 1 day'"],
    ["'flax'", "'uuid'", "'2026-01-01Z'", "'2026-02-01Z'", "'-1 day'"],
  ])('refuses %s, %s, %s to %s by %s', async (...given) => {
    await expect(makePartitions('flax_uuid', ...given)).rejects.toMatchObject({ code: '22023' })
  })

  test('refuses a text key whose collation is not byte-wise', async () => {
    await database.query('CREATE TABLE unsorted (id text COLLATE "und-x-icu") PARTITION BY RANGE (id)')
    const making = makePartitions(
      'unsorted',
      "'flax'",
      "'text'",
      "'2026-01-01Z'",
      "'2026-02-01Z'",
      "'1 month'",
    )
    await expect(making).rejects.toThrow(/does not sort by byte/)
  })
})

test.each(['bytea', 'uuid', 'bigint', 'text COLLATE "C"', 'snoflax.flax_uuid', 'over_domain'])(
  'accepts a key of %s with quote_all_identifiers',
  async (type) => {
    const session = await database.connect()
    try {
      await session.query('SET quote_all_identifiers = on; CREATE DOMAIN over_domain AS snoflax.flax_uuid')
      await session.query(`CREATE TABLE quoted (id ${type}) PARTITION BY RANGE (id)`)
      const [family, storage] = {
        bytea: ['flax', 'binary'],
        bigint: ['flake', 'bigint'],
        'text COLLATE "C"': ['flax', 'text'],
      }[type] ?? ['flax', 'uuid']
      const { rows } = await session.query(
        `SELECT snoflax.partition_ddl('quoted', '${family}', '${storage}', '2026-01-01Z', '2026-02-01Z', '1 month') AS ddl`,
      )
      expect(rows).toHaveLength(storage === 'uuid' ? 2 : 1)
      for (const { ddl } of rows) await session.query(ddl)
    } finally {
      await session.query('DROP TABLE IF EXISTS quoted; DROP DOMAIN IF EXISTS over_domain')
      await session.end()
    }
  },
)
