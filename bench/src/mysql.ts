// What defaults and functions cost in MySQL or MariaDB, beside the server's own: microseconds a value of CPU and waiting,
// the best of five turns. SNOFLAX_MYSQL_URL names the server; node dist/mysql.js runs it.
import { flake, flax, sno } from '@snoflax/core'
import { columnSql, install, uninstall } from '@snoflax/mysql-sql'
import { createConnection } from 'mysql2/promise'

const VALUES = 100_000
const TURNS = 5
const schema = 'snoflax_bench'

const url = process.env['SNOFLAX_MYSQL_URL']
if (!url) throw new Error('SNOFLAX_MYSQL_URL names no server')
const connection = await createConnection(url)
try {
  await install(connection, { schema })
  const bytes = "x'05ca55528f7680cb8bb9bdc1'"
  const expressions = {
    'uuid()': 'uuid()',
    "unhex(replace(uuid(),'-',''))": "unhex(replace(uuid(),'-',''))",
    'random_bytes(16)': 'random_bytes(16)',
    'default of flax, binary': columnSql(flax, { server: 'mariadb', storage: 'binary' }).default,
    'default of flax, text': columnSql(flax, { server: 'mariadb', storage: 'text' }).default,
    'default of sno, binary': columnSql(sno, { server: 'mariadb', storage: 'binary', number: 7 }).default,
    'default of sno, text': columnSql(sno, { server: 'mariadb', storage: 'text', number: 7 }).default,
    'default of flake, bigint': columnSql(flake, { server: 'mariadb', number: 7 }).default,
    'flax_encode(bytes)': `${schema}.flax_encode(concat(${bytes},left(random_bytes(1),0)))`,
    'flax_decode(text)': `${schema}.flax_decode(concat('0RdKJcxqVBiAiQr0',left(random_bytes(1),0)))`,
    'flax_generate()': `${schema}.flax_generate()`,
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
