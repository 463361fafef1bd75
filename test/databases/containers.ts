import type { GenericContainer } from 'testcontainers'
import type { StartedPostgres } from './postgres-connection.js'
import { wantedVersion } from './postgres-version.js'

// Loaded by the runs that ask for it.
const library = () => import('testcontainers')

const PASSWORD = 'snoflax'

/** MySQL versions that a run can have as a container. */
const MYSQL_VERSIONS = ['8.4', '9'] as const

/** Whether the variable asks for a container. @throws for a provider that there is not. */
export function wantsContainer(variable: string): boolean {
  const wanted = process.env[variable]
  if (wanted === undefined || wanted === '' || wanted === 'embedded') return false
  if (wanted === 'testcontainers') return true
  throw new Error(`${variable} is ${wanted}, and must be testcontainers, or unset`)
}

/** PostgreSQL from the image of SNOFLAX_POSTGRES_VERSION. */
export async function postgresContainer(): Promise<StartedPostgres> {
  const { GenericContainer, Wait } = await library()
  const image = `postgres:${wantedVersion()}`
  const container = new GenericContainer(image)
    .withEnvironment({ POSTGRES_PASSWORD: PASSWORD, POSTGRES_INITDB_ARGS: '--no-locale --encoding=UTF8' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .withExposedPorts(5432)
    // The image starts the server twice: first to create the database.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
  const started = await startedBy('SNOFLAX_POSTGRES_PROVIDER', image, container)
  return {
    provider: `container ${image}`,
    url: `postgres://postgres:${PASSWORD}@${started.getHost()}:${started.getMappedPort(5432)}/postgres`,
    stop: async () => void (await started.stop()),
  }
}

/** MySQL from the image of SNOFLAX_MYSQL_VERSION, 8.4 by default. */
export async function mysqlContainer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { GenericContainer, Wait } = await library()
  const version = process.env['SNOFLAX_MYSQL_VERSION'] || MYSQL_VERSIONS[0]
  if (!MYSQL_VERSIONS.some((known) => known === version)) {
    throw new Error(`SNOFLAX_MYSQL_VERSION is ${version}, and must be one of ${MYSQL_VERSIONS.join(', ')}`)
  }
  const image = `mysql:${version}`
  const container = new GenericContainer(image)
    .withEnvironment({ MYSQL_ROOT_PASSWORD: PASSWORD })
    .withCommand(['--log-bin-trust-function-creators=1'])
    .withExposedPorts(3306)
    .withWaitStrategy(Wait.forLogMessage(/ready for connections.*port: 3306/))
  const started = await startedBy('SNOFLAX_MYSQL_PROVIDER', image, container)
  return {
    url: `mysql://root:${PASSWORD}@${started.getHost()}:${started.getMappedPort(3306)}`,
    stop: async () => void (await started.stop()),
  }
}

const startedBy = (variable: string, image: string, container: GenericContainer) =>
  container.start().catch((cause: Error) => {
    throw new Error(`${variable} is testcontainers, and ${image} did not start: ${cause.message}`, { cause })
  })
