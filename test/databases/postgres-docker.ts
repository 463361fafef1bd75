import { type StartedPostgres, untilReachable } from './postgres-connection.js'
import type { PostgresVersion } from './postgres-version.js'

/** Whether a container engine answers on this machine. */
export async function dockerAnswers(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

/** A server in a container, from the official image. */
export async function inDocker(version: PostgresVersion): Promise<StartedPostgres> {
  if (!(await dockerAnswers())) {
    throw new Error('SNOFLAX_POSTGRES_PROVIDER is docker, and no container engine answers')
  }
  const { GenericContainer, Wait } = await import('testcontainers')
  const image = `postgres:${version}`
  const container = await new GenericContainer(image)
    .withEnvironment({ POSTGRES_PASSWORD: 'postgres' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .withExposedPorts(5432)
    // The image's first start ends once, after it has made the cluster.
    .withWaitStrategy(Wait.forLogMessage('ready to accept connections', 2))
    .start()
    .catch((cause: Error) => {
      const way = 'SNOFLAX_POSTGRES_PROVIDER=embedded goes around Docker'
      throw new Error(`Docker answers, but ${image} did not start: ${cause.message}. ${way}`, { cause })
    })
  const stop = async () => void (await container.stop())
  try {
    const url = `postgres://postgres:postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`
    await untilReachable(url, 240_000)
    return { provider: `Docker, ${image}`, url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
