// A step of an adoption that another process kills. Arguments: the kind of database, its address, the step, and the
// tables with the partitions of their generators, as JSON. It writes a line after each batch of a backfill and before each
// statement of another step, and goes on when it has read one.
import { readSync } from 'node:fs'
import { planAdoption } from '@snoflax/adopt'
import { sno } from '@snoflax/core'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'

const [, , kind, address, step, given] = process.argv
const tables = JSON.parse(given).map(({ partition, ...table }) => ({
  ...table,
  generator: (clock) => sno.generator({ partition, clock }),
}))

function pause(line) {
  process.stdout.write(`${String(line.sql ?? line).split('\n')[0]}\n`)
  readSync(0, Buffer.alloc(1))
}

let isWatched = false
const watched =
  (object, method) =>
  (...values) => {
    if (isWatched) pause(values[0])
    return object[method](...values)
  }

function watchedSqlite() {
  const database = new Database(address)
  return { exec: watched(database, 'exec'), prepare: watched(database, 'prepare') }
}

async function watchedPostgres() {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  return { query: watched(client, 'query'), end: () => client.end() }
}

async function watchedMysql() {
  const connection = await mysql.createConnection(address)
  return {
    query: watched(connection, 'query'),
    execute: () => {},
    end: () => connection.end(),
  }
}

const OPEN = { sqlite: watchedSqlite, postgres: watchedPostgres, mysql: watchedMysql }
const client = await OPEN[kind]()
const adoption = await planAdoption(client, { tables })
isWatched = step !== 'backfill'
// A killed session of the server may not be through yet.
for (;;) {
  try {
    await adoption[step](step === 'backfill' ? { batchSize: 9, onProgress: ({ done }) => pause(done) } : {})
    break
  } catch (error) {
    if (!/another session is running/.test(error.message)) throw error
  }
}
isWatched = false
process.stdout.write('through\n')
await client.end?.()
