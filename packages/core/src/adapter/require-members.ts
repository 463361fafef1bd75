import { IdError } from '../primitives/errors.js'

/** A library that a package builds on. */
export interface Library {
  /** As npm calls it. */
  readonly name: string
  /** The version that was found, where the library tells. */
  readonly version?: string | undefined
  /** The range that is supported. */
  readonly supported: string
  /** The package that needs it. */
  readonly by: string
}

/** Members of one object that a package patches, calls or reads. */
export interface Reliance {
  /** The object; undefined or null if even that is missing. */
  readonly owner: unknown
  /** What the library calls it, such as `DataSource.prototype`. */
  readonly name: string
  /** Names of its members. */
  readonly members: readonly string[]
}

/**
 * Checks that a library has all that a package relies on. A version that lacks something is refused before the first
 * query, rather than have ids pass unconverted.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` with the library, its version and the first member that is missing.
 *
 * @example
 * requireMembers({ name: 'node', version: '20.19.0', supported: '>=20.19', by: '@snoflax/core' }, [
 *   { owner: globalThis.crypto, name: 'crypto', members: ['getRandomValues'] },
 * ])
 */
export function requireMembers(library: Library, reliances: readonly Reliance[]): void {
  for (const { owner, name, members } of reliances) {
    if (owner == null) refuse(library, name)
    const missing = members.find((member) => (owner as Record<string, unknown>)[member] === undefined)
    if (missing !== undefined) refuse(library, `${name}.${missing}`)
  }
}

function refuse({ name, version = 'of unknown version', supported, by }: Library, member: string): never {
  throw new IdError(
    'UNSUPPORTED_VERSION',
    `${by} supports ${name} ${supported}; the installed ${name} ${version} has no ${member}. ` +
      `Install a supported version, or a newer ${by}`,
    { field: name, value: version },
  )
}
