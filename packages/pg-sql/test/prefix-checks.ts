import { IdError, type IdFamily, prefixed } from '@snoflax/core'
import type { Checks } from './checks.js'
import { attempt, storedText } from './cross-checks.js'
import { hexLiteral, type TestedFamily, TYPES } from './families.js'
import { bareOf, changedText } from './malformed-checks.js'
import type { Random } from './random.js'
import { sqlState } from './specification.js'

const PREFIX_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789_'
const NO_PREFIXES = ['', '_', 'a_', '1a', 'Cus', 'c-s', 'cüs', 'a'.repeat(64), ' cus', 'cus ', 'cus\n']

function anyPrefix(random: Random): string {
  const between = Array.from({ length: random.below(random.pick([3, 6, 62])) }, () =>
    random.pick(PREFIX_CHARACTERS),
  )
  const last = between.length > 0 ? random.pick(PREFIX_CHARACTERS.slice(0, -1)) : ''
  return random.pick('abcdefghijklmnopqrstuvwxyz') + between.join('') + last
}

/** A random id behind a prefix and back, and a text that is mostly none. */
export function checkRandomPrefix(checks: Checks, tested: TestedFamily, random: Random): void {
  const { name, family } = tested
  const prefix = random.chance(20) ? random.pick(NO_PREFIXES) : anyPrefix(random)
  const kind = attempt(() => prefixed(family, prefix))
  const bare = family.encode(random.bytes(family.byteLength))
  const expect = (call: string, passed: string, value: (chosen: IdFamily) => string): void => {
    const made = kind instanceof IdError ? kind : attempt(() => value(kind))
    const input = JSON.stringify([prefix, passed])
    if (made instanceof IdError) checks.refuses(call, input, sqlState(made.code))
    else checks.gives(call, input, made)
  }
  for (const storage of family.storages) {
    const value = attempt(() => storedText(family, storage, bare))
    if (value instanceof IdError) continue
    const call = `snoflax.${name}_encode(($1::jsonb ->> 1)::${TYPES[storage]}, $1::jsonb ->> 0)`
    expect(call, value, () => `${prefix}_${bare}`)
  }
  const text = random.pick([
    () => `${prefix}_${bare}`,
    () => `${prefix}_${changedText(bare, tested, random)}`,
    () => changedText(`${prefix}_${bare}`, tested, random),
    () => `${anyPrefix(random)}_${bare}`,
    () => random.pick([bare, prefix, `${prefix}_`, `_${bare}`, `${prefix}${bare}`, `${prefix}__${bare}`, '']),
  ])()
  expect(`snoflax.${name}_decode($1::jsonb ->> 1, $1::jsonb ->> 0)`, text, (chosen) =>
    hexLiteral(chosen.decode(text)),
  )
  checkAnyPrefix(checks, tested, text)
  if (!family.storages.includes('text')) return
  expect(`snoflax.${name}_is_valid($1::jsonb ->> 1, $1::jsonb ->> 0)`, text, (chosen) =>
    String(chosen.is(text)),
  )
  const at = new Date(Number(random.bigint(-1_000_000_000_000n, 4_000_000_000_000n)))
  expect(
    `snoflax.${name}_lower_bound_text(($1::jsonb ->> 1)::timestamptz, $1::jsonb ->> 0)`,
    at.toISOString(),
    (chosen) => chosen.lowerBound(at),
  )
}

function checkAnyPrefix(checks: Checks, tested: TestedFamily, text: string): void {
  const { name, family } = tested
  const bare = bareOf(tested, text)
  const timeMs = attempt(() => family.timeMs(family.parse(bare)))
  const time = `(extract(epoch FROM snoflax.${name}_time($1)) * 1000)::bigint`
  if (timeMs instanceof IdError) checks.refuses(time, text, sqlState(timeMs.code))
  else {
    checks.gives(time, text, String(timeMs))
    checks.gives(
      `snoflax.${name}_unpack($1) = snoflax.${name}_unpack(right($1, ${bare.length}))`,
      text,
      'true',
    )
  }
  checks.gives(`snoflax.${name}_is_valid($1)`, text, String(family.is(bare)))
}
