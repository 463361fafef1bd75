/**
 * The exit codes of the command.
 *
 * @example
 * const code = await run(['inspect', 'Kpcan0M1FakODT4k', '--json'])
 * if (code === EXIT.findings) console.log('not an id')
 */
export const EXIT = {
  /** Success. */
  ok: 0,
  /** An id was malformed, or found nowhere, doctor found an error or a warning, or adopt code left something to you. */
  findings: 1,
  /** The command could not run: wrong usage, a missing driver, an unreachable database. */
  usage: 2,
  /**
   * Find found nothing, but could not ask everything. Doctor found no id column, or not the schema that `--schema` names.
   * Adopt code couldn't load a module, or find a column in the source.
   */
  unchecked: 3,
} as const

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A mistake in how the command was called. The message says what to pass instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The value, if it is one of these names. @throws {UsageError} */
export function oneOf<Name extends string>(what: string, names: readonly Name[], value: string): Name {
  const found = names.find((name) => name === value)
  if (found) return found
  throw new UsageError(`${what} must be one of ${names.join(', ')}, not ${value}`)
}
