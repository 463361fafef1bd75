// A backfill that another process kills. Arguments: the kind of database, its address. It writes a line after each
// batch, and goes on when it has read one.
import { readSync } from 'node:fs'
import { planAdoption } from '@snoflax/adopt'
import { sno } from '@snoflax/core'
import Database from 'better-sqlite3'
import pg from 'pg'

const [, , kind, address] = process.argv
const client = kind === 'sqlite' ? new Database(address) : new pg.Pool({ connectionString: address })
const generator = (clock) => sno.generator({ partition: 900, clock })
const adoption = await planAdoption(client, {
  tables: [{ table: 'invoice', createdAt: 'invoice_date', generator }],
})
await adoption.backfill({
  batchSize: 9,
  onProgress: ({ done }) => {
    process.stdout.write(`${done}\n`)
    readSync(0, Buffer.alloc(1))
  },
})
process.stdout.write('through\n')
await client.end?.()
