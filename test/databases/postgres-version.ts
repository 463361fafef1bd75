/** The major versions that a run can have as a server. */
export const POSTGRES_VERSIONS = [14, 15, 16, 17, 18] as const

export type PostgresVersion = (typeof POSTGRES_VERSIONS)[number]

// PGlite is PostgreSQL 18, so that a default run meets two versions.
const DEFAULT: PostgresVersion = 17

/** The requested major version, from SNOFLAX_POSTGRES_VERSION. */
export function wantedVersion(): PostgresVersion {
  const text = process.env['SNOFLAX_POSTGRES_VERSION']
  if (!text) return DEFAULT
  const version = POSTGRES_VERSIONS.find((known) => String(known) === text)
  if (version) return version
  throw new Error(`SNOFLAX_POSTGRES_VERSION is ${text}, and must be one of ${POSTGRES_VERSIONS.join(', ')}`)
}
