import { flax } from '@snoflax/core'

/** No argument of a process can have it. */
const MARK = '\0'

/** flax ids of early 2015 begin with a hyphen: marked, the parser takes them for no option and keeps their place. */
export const markHyphened = (argv: readonly string[]): string[] =>
  argv.map((text) => (text.startsWith('-') && flax.is(text) ? MARK + text : text))

export const unmark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text)
