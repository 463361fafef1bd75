// The cost of defaults and functions in MySQL or MariaDB, beside the server's own: elapsed microseconds per value, the
// best of five turns. SNOFLAX_MYSQL_URL names the server; run it with node dist/mysql.js.
import { flake, flax, type IdFamily, type StorageName, sno, ulid, uuid7 } from '@snoflax/core'
import { columnSql, install, uninstall } from '@snoflax/mysql-sql'
import { createConnection } from 'mysql2/promise'

const VALUES = Number(process.env['BENCH_VALUES'] ?? 100_000)
const TURNS = 5
const schema = 'snoflax_bench'

const url = process.env['SNOFLAX_MYSQL_URL']
if (!url) throw new Error('set SNOFLAX_MYSQL_URL to the URL of a MySQL or MariaDB server')
const connection = await createConnection(url)
try {
  await install(connection, { schema })
  const [rows] = await connection.query('SELECT version() AS version')
  const { version } = (rows as { version: string }[])[0] as { version: string }
  const server = version.includes('MariaDB') ? 'mariadb' : 'mysql'
  console.log(version)
  // A value that differs at each call, so that no result is cached.
  const fresh = 'left(random_bytes(1),0)'
  const defaults: readonly (readonly [IdFamily, StorageName, object])[] = [
    [flax, 'binary', {}],
    [flax, 'text', {}],
    [uuid7, 'binary', {}],
    [uuid7, 'text', {}],
    [ulid, 'binary', {}],
    [ulid, 'text', {}],
    [sno, 'binary', { number: 7 }],
    [sno, 'text', { number: 7 }],
    [flake, 'bigint', { number: 7 }],
  ]
  const bytes = { flax: 12, sno: 10, uid: 12, uuid7: 16, ulid: 16 }
  const texts = {
    flax: '0RdKJcxqVBiAiQr0',
    sno: 'brpk4q72xwf2m63l',
    uid: '.5.tXVEf8n4vPN.0',
    uuid7: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    ulid: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  }
  const expressions = {
    'uuid()': 'uuid()',
    ...(server === 'mysql' ? { 'uuid_to_bin(uuid(), 1)': 'uuid_to_bin(uuid(), 1)' } : {}),
    "unhex(replace(uuid(), '-', ''))": "unhex(replace(uuid(), '-', ''))",
    'random_bytes(16)': 'random_bytes(16)',
    ...Object.fromEntries(
      defaults.map(([family, storage, options]) => [
        `default of ${family.name}, ${storage}`,
        columnSql(family, { server, storage, ...options }).default,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => [
        [
          `${name}_encode`,
          name === 'uuid7'
            ? `${schema}.uuid7_encode(concat(x'017f22e279b07cc398c4dc0c0c07398f',${fresh}))`
            : `${schema}.${name}_encode(concat(repeat(x'05',${bytes[name as keyof typeof bytes]}),${fresh}))`,
        ],
        [`${name}_decode`, `${schema}.${name}_decode(concat('${text}',convert(${fresh} USING ascii)))`],
      ]),
    ),
    flax_generate: `${schema}.flax_generate()`,
    uuid7_generate: `${schema}.uuid7_generate()`,
    ulid_generate: `${schema}.ulid_generate()`,
    sno_generate: `${schema}.sno_generate(7, 0)`,
    flake_generate: `${schema}.flake_generate(7, 0)`,
    uid_generate: `${schema}.uid_generate(7, 8)`,
  }
  for (const [name, expression] of Object.entries(expressions)) {
    let best = Number.POSITIVE_INFINITY
    for (let turn = 0; turn < TURNS; turn++) {
      const beganMs = performance.now()
      await connection.query(`SELECT benchmark(${VALUES}, ${expression})`)
      best = Math.min(best, ((performance.now() - beganMs) * 1000) / VALUES)
    }
    console.log(`| \`${name}\` | ${best.toFixed(1)} |`)
  }
  await uninstall(connection, { schema })
} finally {
  await connection.end()
}
