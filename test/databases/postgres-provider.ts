import { postgresContainer, wantsContainer } from './containers.js'
import { onConnection, type StartedPostgres, withoutPassword } from './postgres-connection.js'
import { startServer } from './postgres-server.js'
import { POSTGRES_VERSIONS, wantedVersion } from './postgres-version.js'

export interface RealPostgres extends StartedPostgres {
  /** The major version. */
  readonly version: number
  /** As the server says it, such as 17.10. */
  readonly fullVersion: string
}

/**
 * The run's real PostgreSQL: the server that SNOFLAX_POSTGRES_URL names, a container if SNOFLAX_POSTGRES_PROVIDER is
 * `testcontainers`, or one from embedded binaries.
 */
export async function startPostgres(): Promise<RealPostgres> {
  const url = process.env['SNOFLAX_POSTGRES_URL']
  const inContainer = wantsContainer('SNOFLAX_POSTGRES_PROVIDER')
  if (url && inContainer) {
    throw new Error('SNOFLAX_POSTGRES_URL and SNOFLAX_POSTGRES_PROVIDER are both set; unset one of them')
  }
  const started = url ? await named(url) : inContainer ? await postgresContainer() : await embedded()
  try {
    const fullVersion = await onConnection(started.url, async (client) => {
      const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
      return rows[0]?.server_version.split(' ')[0] ?? ''
    })
    const version = Number.parseInt(fullVersion, 10)
    const wanted = process.env['SNOFLAX_POSTGRES_VERSION'] ? wantedVersion() : undefined
    if (wanted !== undefined && wanted !== version) {
      throw new Error(`SNOFLAX_POSTGRES_VERSION is ${wanted}, and ${started.provider} has ${fullVersion}`)
    }
    if (version < POSTGRES_VERSIONS[0]) {
      throw new Error(`${started.provider} has PostgreSQL ${fullVersion}, older than ${POSTGRES_VERSIONS[0]}`)
    }
    return { ...started, version, fullVersion }
  } catch (error) {
    await started.stop()
    throw error
  }
}

async function embedded(): Promise<StartedPostgres> {
  const { url, stop } = await startServer()
  return { provider: 'embedded binaries', url, stop }
}

/** An external server. Its user must be allowed to create databases. */
async function named(url: string): Promise<StartedPostgres> {
  const shown = withoutPassword(url)
  const allowed = await onConnection(url, (client) =>
    client.query<{ yes: boolean }>(
      'SELECT rolcreatedb OR rolsuper AS yes FROM pg_roles WHERE rolname = current_user',
    ),
  ).catch((cause: Error) => {
    throw new Error(`SNOFLAX_POSTGRES_URL names ${shown}, which cannot be reached: ${cause.message}`, {
      cause,
    })
  })
  if (!allowed.rows[0]?.yes) {
    throw new Error(`SNOFLAX_POSTGRES_URL names ${shown}, whose user may not create databases`)
  }
  return { provider: shown, url, stop: async () => {} }
}
