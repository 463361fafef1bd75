import { defined } from './definitions.js'
import type { IdFamily, IdOf } from './family.js'
import type { TimeSpan } from './primitives/clock.js'
import { checkString } from './primitives/errors.js'

/** What a family of `@snoflax/core/light` has: it generates ids and reads them. */
export interface LightFamily<AnId extends string = string>
  extends TimeSpan,
    Pick<IdFamily<AnId>, 'textLength' | 'parse' | 'is' | 'time' | 'timeMs'> {
  /** A new id. @throws {IdError} `TIME_OUT_OF_RANGE`. */
  generate<Of extends string = string>(): IdOf<AnId, Of>
}

/** What {@link lightFamily} takes. */
interface LightDefinition<AnId extends string> extends TimeSpan {
  checkFrom?(text: string, start: number): boolean
  readonly textLength: number | undefined
  /** Whether the text is an id. */
  check(text: string): boolean
  /** Throws the error of a text that `check` refuses. */
  refuse(text: string): unknown
  /** The time of a text that is an id. */
  timeOf(id: AnId): number
}

/** A family that generates and reads ids. */
export function lightFamily<AnId extends string>(
  definition: LightDefinition<AnId>,
  generate: () => AnId,
): LightFamily<AnId> {
  const { name, firstMs, lastMs, textLength, check, refuse, timeOf } = definition
  const { is, parse } = readers<AnId>(name, check, refuse)
  const timeMs = (id: AnId) => timeOf(parse(id))
  const time = (id: AnId) => new Date(timeMs(id))
  const family = { name, firstMs, lastMs, textLength, generate, is, parse, timeMs, time }
  return defined(family as LightFamily<AnId>, definition)
}

/** `is` and `parse` of every family. */
export function readers<AnId extends string>(
  name: string,
  check: (text: string) => boolean,
  refuse: (text: string) => unknown,
) {
  const is = (value: unknown): value is AnId => typeof value === 'string' && check(value)
  return {
    is,
    parse(value: unknown): AnId {
      if (!is(value)) refuse(checkString(name, value))
      return value as AnId
    },
  }
}
