import { run } from 'snoflax'
import { expect, test } from 'vitest'
import { hasMariadb, MariadbServer } from '../packages/mysql-sql/test/mariadb-server.js'

test.runIf(hasMariadb())(
  'doctor reports a statement-based binary log if a default generates ids',
  async () => {
    const server = await MariadbServer.start({ options: ['--log-bin=bin', '--binlog-format=STATEMENT'] })
    const findings = async (): Promise<{ check: string; message: string; cure: { sql: string } }[]> => {
      let out = ''
      const stdout = {
        write: (text: string) => {
          out += text
          return true
        },
      }
      const argv = ['doctor', `${server.url}/shop`, '--column', 'orders.id=uuid7', '--json']
      await run(argv, { stdin: process.stdin, stdout, stderr: process.stderr, env: {} })
      return JSON.parse(out).findings
    }
    await server.query('CREATE DATABASE shop')
    await server.query(`CREATE TABLE shop.orders (
    id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT (uuid()) PRIMARY KEY)`)
    const replication = (await findings()).find(({ check }) => check === 'replication')
    expect(replication?.message).toContain('in orders.id')
    await server.query(replication?.cure.sql as string)
    expect((await findings()).map(({ check }) => check)).toEqual(['default'])
    await server.end()
    MariadbServer.remove(server.folder)
  },
)
