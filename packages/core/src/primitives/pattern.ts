// The bracket that ends a class is optional, so that a search stays linear: a pattern that compiles has it.
const PART = /\\[\s\S]|\[(\^?)((?:\\[\s\S]|[^\\\]])*)\]?/g
/** In a class: what has to be escaped, among escapes that stay as they are. */
const IN_CLASS = /(\\[dsw])-|\\[\s\S]|(^-|-$|-(?=\\[dsw])|[()[{}|/])/gi
/** What means something else with flag u. */
const OTHERWISE = /\\(?:u\{|p\{)/i

/**
 * The pattern's source, spelled so that it means the same without flags, with u, as JSON Schema reads it, and with v, as
 * HTML's `<input pattern>` does; undefined if that needs more than an escape in a class, and for a pattern with flags.
 * Characters outside the basic plane remain two for `.` and negated classes, without a flag.
 */
export function portable({ source, flags }: RegExp): string | undefined {
  if (flags !== '' || OTHERWISE.test(source)) return undefined
  const spelled = source.replace(PART, (part, not: string, content?: string) =>
    content === undefined
      ? part
      : `[${not}${content.replace(IN_CLASS, (one, set?: string, escaped?: string) =>
          set ? `${set}\\-` : escaped ? `\\${escaped}` : one,
        )}]`,
  )
  // An engine without a flag can't say what it refuses.
  return ['u', 'v'].every((flag) => isValid(spelled, flag) || !isValid('', flag)) ? spelled : undefined
}

function isValid(source: string, flag: string): boolean {
  try {
    return new RegExp(source, flag) !== undefined
  } catch {
    return false
  }
}
