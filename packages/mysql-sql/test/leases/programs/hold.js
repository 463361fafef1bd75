import { mysqlLeases } from '@snoflax/mysql-sql'
import { holdLeases } from '@snoflax/test/leases'
import { createPool } from 'mysql2/promise'

await holdLeases(([server]) => {
  const url = new URL(process.env['SNOFLAX_LEASES'])
  url.hostname = server.host
  url.port = server.port
  return mysqlLeases(createPool({ uri: url.href, connectionLimit: 2, connectTimeout: 2000 }))
})
