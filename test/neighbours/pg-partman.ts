import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flax, prefixed, uuid7 } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, type PostgresServer, startServer } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// Encoders and decoders of keys exist from pg_partman 5.2 on, which only Debian's unstable branch packages. Its SQL needs no
// library, so the server from embedded binaries runs it.

let server: PostgresServer
let database: PostgresDatabase
beforeAll(async () => {
  server = await startServer({ version: 18, ownBinaries: true })
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-partman-'))
  try {
    const extension = join(unpacked(folder), 'usr/share/postgresql/18/extension')
    for (const file of readdirSync(extension))
      if (/^pg_partman(--[\d.]+)?\.(sql|control)$/.test(file))
        copyFileSync(join(extension, file), join(server.extensionFolder, file))
  } finally {
    rmSync(folder, { recursive: true })
  }
  database = await server.database()
  await install(database.pool, { families: ['flax', 'uuid7'] })
  await database.query(`CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman;
    CREATE FUNCTION customer_partition(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN snoflax.flax_lower_bound_text(at, 'cus')`)
})
afterAll(() => server?.stop())

/** The package, by an apt of its own: nothing of the machine changes. */
function unpacked(folder: string): string {
  for (const place of ['lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(folder, place), { recursive: true })
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  writeFileSync(join(folder, 'sources'), `deb [signed-by=${key}] http://deb.debian.org/debian sid main\n`)
  const apt = Object.entries({
    'Dir::Etc::SourceList': 'sources',
    'Dir::State::Lists': 'lists',
    'Dir::Cache': 'cache',
  }).flatMap(([option, place]) => ['-o', `${option}=${join(folder, place)}`])
  const run = (command: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  }
  const options = [...apt, '-o', 'Dir::Etc::SourceParts=/dev/null', '-o', 'Acquire::Languages=none']
  run('apt-get', ...options, 'update')
  run('apt-get', ...options, 'download', 'postgresql-18-partman')
  const [packed = ''] = readdirSync(folder).filter((file) => file.endsWith('.deb'))
  run('dpkg', '-x', packed, 'root')
  return join(folder, 'root')
}

const KEYS = [
  {
    table: 'customer',
    column: `text COLLATE "C" PRIMARY KEY DEFAULT ('cus_'::text || snoflax.flax_generate_text())`,
    encoder: 'public.customer_partition',
    family: prefixed(flax, 'cus'),
    between: "snoflax.flax_between(id, $1, $2, 'cus')",
  },
  {
    table: 'visit',
    column: 'text COLLATE "C" PRIMARY KEY DEFAULT snoflax.flax_generate_text()',
    encoder: 'snoflax.flax_lower_bound_text',
    family: flax,
    between: 'snoflax.flax_between(id, $1, $2)',
  },
  {
    table: 'event',
    column: 'uuid PRIMARY KEY DEFAULT snoflax.uuid7_generate()',
    encoder: 'snoflax.uuid7_lower_bound',
    family: uuid7,
    between: 'snoflax.uuid7_between(id, $1, $2)',
  },
]

describe.each(KEYS)('$table, whose encoder is $encoder', ({ table, column, encoder, family, between }) => {
  const DAY_MS = 86_400_000
  const partitions = async () => {
    const rows = await database.query(
      `SELECT relid::regclass::text AS name FROM pg_partition_tree('${table}') WHERE isleaf ORDER BY 1`,
    )
    return rows.map(({ name }) => String(name)).filter((name) => !name.endsWith('_default'))
  }
  const nameOf = (days: number) =>
    `${table}_p${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`

  test('rows are in the partition of their day, maintenance adds and drops some, plans read those of a range', async () => {
    await database.query(`CREATE TABLE ${table} (id ${column}, n integer) PARTITION BY RANGE (id)`)
    await database.query(
      `SELECT partman.create_parent('public.${table}', 'id', '1 day', p_time_encoder => $1, p_time_decoder => $2)`,
      [encoder, `snoflax.${table === 'event' ? 'uuid7' : 'flax'}_partman_decode`],
    )
    const first = await partitions()
    expect(first).toContain(nameOf(-4))
    for (const days of [-3, -2, -1, 0, 1]) {
      const id = family.generateAt(Date.now() + days * DAY_MS)
      const [row] = await database.query(
        `INSERT INTO ${table} VALUES ($1, $2) RETURNING tableoid::regclass::text AS part`,
        [id, days],
      )
      expect(row).toEqual({ part: nameOf(days) })
    }
    await database.query(
      `UPDATE partman.part_config SET premake = 7, retention = '1 day', retention_keep_table = false
        WHERE parent_table = 'public.${table}'`,
    )
    await database.query(`SELECT partman.run_maintenance('public.${table}')`)
    const later = await partitions()
    expect(later).toContain(nameOf(7))
    expect(later).not.toContain(nameOf(-3))
    expect(await database.query(`SELECT min(n) AS first FROM ${table}`)).toEqual([{ first: -1 }])

    const day = (n: number) => new Date(Math.floor(Date.now() / DAY_MS + n) * DAY_MS).toISOString()
    const plan = await database.query(
      `EXPLAIN (COSTS OFF) SELECT FROM ${table} WHERE ${between.replace('$1', `'${day(0)}'`).replace('$2', `'${day(1)}'`)}`,
    )
    const read = new Set(JSON.stringify(plan).match(/\w+_p\d{8}\b/g))
    expect([...read]).toEqual([nameOf(0)])
  })
})
