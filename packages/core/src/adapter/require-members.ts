import { IdError } from '../primitives/errors.js'

/** A library that a package depends on. */
export interface Library {
  /** Its name on npm. */
  readonly name: string
  /** The installed version, if known. */
  readonly version?: string | undefined
  /** The range that is supported. */
  readonly supported: string
  /** The package that needs it. */
  readonly by: string
}

/** Members of an object that a package patches, calls or reads. */
export interface Reliance {
  /** The object; undefined or null if even that is missing. */
  readonly owner: unknown
  /** Its name in the library, such as `DataSource.prototype`. */
  readonly name: string
  /** Names of its members. */
  readonly members: readonly string[]
}

/**
 * Checks that a library has the members that a package relies on, so that an unsupported version is refused before the
 * first query, and no id passes unconverted.
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
