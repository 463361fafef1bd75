import { postgresLeases } from '@snoflax/pg-sql'
import { holdLeases } from '@snoflax/test/leases'
import { Pool } from 'pg'

await holdLeases(([server]) => {
  const url = new URL(process.env['SNOFLAX_LEASES'])
  url.hostname = server.host
  url.port = server.port
  const pool = new Pool({ connectionString: url.href, max: 2, connectionTimeoutMillis: 2000 })
  pool.on('error', () => {})
  return postgresLeases(pool)
})
