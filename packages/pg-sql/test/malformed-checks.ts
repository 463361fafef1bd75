import { flax, IdError, prefixed, type StorageName, storageFor } from '@snoflax/core'
import type { Checks } from './checks.js'
import { attempt } from './cross-checks.js'
import { hexLiteral, sqlFields, type TestedFamily, TYPES } from './families.js'
import { packOf } from './id-checks.js'
import type { Random } from './random.js'
import { sqlState } from './specification.js'

const FOREIGN = [
  ...' \t\n-+/=.~!@#%&*,:;<>?[]\\^`{|}\'"\u0001\u007f\u0080éßøЖ中٣🙂',
  '\u00a0',
  '\u200b',
  '２',
]

/** One of: a random malformed text, bytes, uuid, or fields of which one is wrong; some of them are well-formed. */
export function checkMalformed(checks: Checks, tested: TestedFamily, random: Random): void {
  const id = tested.family.encode(random.bytes(tested.family.byteLength))
  const choice = random.below(5)
  if (choice <= 1) checkText(checks, tested, changedText(id, tested, random))
  else if (choice === 2) checkBytes(checks, tested, random.bytes(random.below(20)))
  else if (choice === 3) checkUuid(checks, tested, id, random)
  else checkFields(checks, tested, id, random)
}

export function changedText(id: string, { family }: TestedFamily, random: Random): string {
  const at = random.below(id.length + 1)
  const [head, tail] = [id.slice(0, at), id.slice(at)]
  switch (random.below(11)) {
    case 0:
      return head + random.pick(FOREIGN) + tail.slice(1)
    case 1:
      return head + random.pick(FOREIGN) + tail
    case 2:
      return head + String.fromCharCode(1 + random.below(0x24f)) + tail.slice(1)
    case 3:
      return head
    case 4:
      return id + family.encode(random.bytes(family.byteLength)).slice(0, 1 + at)
    case 5:
      return id.toUpperCase()
    case 6:
      return `0${id}`
    case 7:
      // A digit more for flake, spare bits for uid_local.
      return head + random.pick(family.max) + tail.slice(1)
    // What a regular expression of a line, or of characters in brackets, may overlook.
    case 8:
      return id.slice(0, -1 - random.below(2)) + random.pick(['\n', 'é', '\\', ']'])
    case 9:
      return random.pick([
        ...['', '\n', `${id}\n`, `\n${id.slice(1)}`, `${id}\n${id}`, ` ${id}`, 'é'.repeat(8)],
        ...[...'- ^'].map((character) => character.repeat(16)),
      ])
    default:
      return head + String.fromCharCode(33 + random.below(94)) + tail.slice(1)
  }
}

/** The text without the prefix that what reads one id finds in it: all before the base's text. */
export function bareOf({ name, family }: TestedFamily, text: string): string {
  const body = name === 'flake' ? (/\d+$/.exec(text)?.[0] ?? text) : text.slice(-family.min.length)
  return isPrefix(text.slice(0, text.length - body.length)) ? body : text
}

const isPrefix = (head: string): boolean =>
  head.endsWith('_') && !(attempt(() => prefixed(flax, head.slice(0, -1))) instanceof IdError)

function checkText(checks: Checks, tested: TestedFamily, text: string): void {
  const { name, family } = tested
  // By chance: two ids in a row may be one behind a prefix.
  if (bareOf(tested, text) !== text) return
  const bytes = attempt(() => family.decode(text))
  checks.gives(`snoflax.${name}_is_valid($1)`, text, String(!(bytes instanceof IdError)))
  for (const call of ['decode', 'encode', 'to_uuid8', 'time', 'unpack']) {
    if (bytes instanceof IdError) checks.refuses(`snoflax.${name}_${call}($1)`, text, sqlState(bytes.code))
  }
  if (!(bytes instanceof IdError)) checks.gives(`snoflax.${name}_decode($1)`, text, hexLiteral(bytes))
  if (family.storages.includes('text')) checkDomain(checks, `${name}_text`, text, bytes)
}

/** A domain accepts what the readers do. */
function checkDomain(checks: Checks, domain: string, value: string, read: unknown): void {
  const cast = `$1::${TYPES[domain.replace(/^.*_/, '') as StorageName]}::snoflax.${domain}`
  if (read instanceof IdError) checks.refuses(cast, value, '23514')
  else checks.gives(cast, value, value)
}

function checkBytes(checks: Checks, { name, family }: TestedFamily, bytes: Uint8Array): void {
  const id = attempt(() => family.encode(bytes))
  const hex = hexLiteral(bytes)
  checks.gives(`snoflax.${name}_is_valid($1::bytea)`, hex, String(!(id instanceof IdError)))
  checkDomain(checks, `${name}_binary`, hex, id)
  if (!(id instanceof IdError)) checks.gives(`snoflax.${name}_encode($1::bytea)`, hex, id)
  else
    for (const call of ['encode', 'to_uuid8', 'time', 'unpack'])
      checks.refuses(`snoflax.${name}_${call}($1::bytea)`, hex, sqlState(id.code))
}

/** Bytes around the alphabets' ends, and such as the escapes of bytea have. */
const BYTES = ['00', '0a', '2d', '2e', '5c', '7f', '80', '8f', '90', 'ff']

/** A digit or two of an id's uuid changed, or a byte. */
function checkUuid(checks: Checks, { name, family }: TestedFamily, id: string, random: Random): void {
  const forms = (['uuid', 'uuid8'] as const).filter((form) => family.storages.includes(form))
  const from = random.pick(forms)
  const digits = [...String(storageFor(family, 'postgres', { storage: from }).toDatabase(id))]
  for (let changes = 1 + random.below(2); changes > 0; changes--) {
    const at = random.below(digits.length)
    const isByte = /^\w\w$/.test(digits.slice(at, at + 2).join('')) && random.chance(2)
    if (isByte) digits.splice(at, 2, ...random.pick(BYTES))
    else if (digits[at] !== '-') digits[at] = random.pick('0123456789abcdef')
  }
  const value = digits.join('')
  const read = forms.map((form) =>
    attempt(() => storageFor(family, 'postgres', { storage: form }).fromDatabase(value)),
  )
  for (const [n, form] of forms.entries()) {
    const found = read[n] as string | IdError
    const call = `snoflax.${name}_from_${form}($1::uuid)`
    if (found instanceof IdError) checks.refuses(call, value, sqlState(found.code))
    else checks.gives(call, value, hexLiteral(family.decode(found)))
    checkDomain(checks, `${name}_${form}`, value, found)
  }
  const found = read.find((one) => typeof one === 'string')
  checks.gives(`snoflax.${name}_is_valid($1::uuid)`, value, String(found !== undefined))
  if (found === undefined) checks.refuses(`snoflax.${name}_encode($1::uuid)`, value, '22P02')
  else checks.gives(`snoflax.${name}_encode($1::uuid)`, value, found as string)
}

const NUMBERS = [
  -1,
  2,
  31,
  32,
  255,
  256,
  4096,
  16384,
  65535,
  65536,
  1048576,
  2 ** 31,
  2 ** 32,
  2 ** 42,
  -(2 ** 40),
]

function checkFields(checks: Checks, tested: TestedFamily, id: string, random: Random): void {
  const { family } = tested
  const fields: Record<string, unknown> = { ...family.unpack(id) }
  const field = random.pick(Object.keys(fields))
  const before = fields[field]
  fields[field] =
    typeof before === 'number'
      ? random.pick([random.pick(NUMBERS), before + random.pick([-1, 1, 3]), family.lastMs + random.below(9)])
      : random.bytes(random.below(12))
  const packed = attempt(() => family.pack(fields))
  const json = sqlFields(tested, fields)
  if (packed instanceof IdError) checks.refuses(packOf(tested), json, sqlState(packed.code))
  else checks.gives(packOf(tested), json, hexLiteral(family.decode(packed)))
}
