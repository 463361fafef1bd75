import { onConnection, type StartedPostgres, withoutPassword } from './postgres-connection.js'

/** An external server. Its user must be allowed to create databases. */
export async function fromUrl(url: string): Promise<StartedPostgres> {
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
