import { expect } from 'vitest'
import { isMysql, type MariadbServer } from '../mariadb-server.js'

/** Options of servers that replicate, beside `--server-id`. */
export const REPLICATION = [
  '--log-bin=binlog',
  '--sync-binlog=1',
  '--log-bin-trust-function-creators=1',
  ...(isMysql ? ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'] : []),
]

/** A server that follows another one. */
export interface Standby {
  /** Waits until it has the leases of the other one. */
  caughtUp(): Promise<void>
  disconnect(): Promise<void>
  promote(): Promise<void>
}

export async function replicate(primary: MariadbServer, standby: MariadbServer): Promise<Standby> {
  await standby.query(
    isMysql
      ? `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${primary.port}, SOURCE_USER = 'root',
           SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1`
      : `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${primary.port}, MASTER_USER = 'root', MASTER_USE_GTID = slave_pos`,
  )
  const replica = isMysql ? 'REPLICA' : 'SLAVE'
  await standby.query(`START ${replica}`)
  const leasesOf = async (server: MariadbServer) => {
    const rows = ['_lease', '_lease_family'].map((table) => server.query(`SELECT * FROM snoflax.${table}`))
    return Promise.all(rows).catch(() => [])
  }
  return {
    async caughtUp() {
      await expect.poll(() => leasesOf(standby)).toEqual(await leasesOf(primary))
    },
    async disconnect() {
      await standby.query(`STOP ${replica}`)
    },
    async promote() {
      await standby.query(`RESET ${replica} ALL`)
      await standby.query('SET GLOBAL read_only = 0')
    },
  }
}
