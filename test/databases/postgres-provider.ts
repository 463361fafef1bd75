import { onConnection, type StartedPostgres } from './postgres-connection.js'
import { dockerAnswers, inDocker } from './postgres-docker.js'
import { embedded } from './postgres-embedded.js'
import { fromUrl } from './postgres-url.js'
import { POSTGRES_VERSIONS, wantedVersion } from './postgres-version.js'

export interface RealPostgres extends StartedPostgres {
  /** The major version. */
  readonly version: number
  /** As the server says it, such as 17.10. */
  readonly fullVersion: string
}

/**
 * The run's real PostgreSQL, by the first of: SNOFLAX_POSTGRES_URL, Docker, the embedded binaries.
 * SNOFLAX_POSTGRES_PROVIDER (`url`, `docker`, `embedded`) chooses one of them. What was chosen and
 * cannot be had is an error: no other is tried instead.
 */
export async function startPostgres(): Promise<RealPostgres> {
  const started = await chosen()
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

async function chosen(): Promise<StartedPostgres> {
  const url = process.env['SNOFLAX_POSTGRES_URL']
  const provider = process.env['SNOFLAX_POSTGRES_PROVIDER'] || (url ? 'url' : undefined)
  switch (provider) {
    case undefined:
      return (await dockerAnswers()) ? inDocker(wantedVersion()) : embedded(wantedVersion())
    case 'url':
      if (!url) throw new Error('SNOFLAX_POSTGRES_PROVIDER is url, and SNOFLAX_POSTGRES_URL is not set')
      return fromUrl(url)
    case 'docker':
      return inDocker(wantedVersion())
    case 'embedded':
      return embedded(wantedVersion())
    default:
      throw new Error(`SNOFLAX_POSTGRES_PROVIDER is ${provider}, and must be url, docker or embedded`)
  }
}
