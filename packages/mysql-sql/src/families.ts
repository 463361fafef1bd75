import { flax, type IdFamily, sno, uid, uidLocal } from '@snoflax/core'

const RADIX64 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const BASE32 = '23456789abcdefghijklmnopqrstuvwx'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The first bytes as a number. `conv` returns text. */
const leading = (bytes: number): string => `CAST(conv(hex(left(id, ${bytes})), 16, 10) AS unsigned)`
const spelled = (id: string, bits: number, digits: string): string =>
  `snoflax._spell(${id}, ${bits}, _binary'${digits}')`
const unspelled = (id: string, bits: number, digits: string): string =>
  `snoflax._unspell(${id}, ${bits}, _binary'${digits}')`
const hexSql = (number: string, digits: number): string => `lpad(hex(${number}), ${digits}, '0')`

/** The values for the braces of family.sql and random.sql. */
type Words = Readonly<Record<string, string | number>>

const ofCore = ({ byteLength, pattern, firstMs, lastMs }: IdFamily): Words => ({
  bytes: byteLength,
  pattern: pattern.source,
  'first ms': firstMs,
  'last ms': lastMs,
})

const NONE: Words = { 'check bytes': '', parameter: '', argument: '', 'check parameter': '' }

/** uid and uidLocal differ in the position of the node. */
const UID_WORDS: Words = { rule: 'has a character outside [.0-9A-Z_a-z]' }

const FLAX: Words = {
  ...NONE,
  ...ofCore(flax),
  name: 'flax',
  a: 'a flax',
  characters: 16,
  rule: 'has a character outside [-0-9A-Z_a-z]',
  encode: spelled('id', 6, `-${RADIX64}`),
  decode: unspelled('id', 6, `-${RADIX64}`),
  ms: `${leading(5)} + ${flax.layout.epochMs}`,
  bound: `concat(unhex(${hexSql(`ms - ${flax.layout.epochMs}`, 10)}), repeat(x'00', 7))`,
  'time bytes': 5,
  tail: 'random_bytes(7)',
}

const SNO: Words = {
  ...NONE,
  ...ofCore(sno),
  name: 'sno',
  a: 'a sno',
  characters: 16,
  rule: 'has a character outside [2-9a-x]',
  encode: spelled('id', 5, BASE32),
  decode: unspelled('id', 5, BASE32),
  ms: `(${leading(5)} >> 1) * 4 + ${sno.layout.epochMs}`,
  bound: `concat(unhex(${hexSql(`(ms - ${sno.layout.epochMs} + 3) DIV 4 * 2`, 10)}), repeat(x'00', 5))`,
}

const UID: Words = {
  ...NONE,
  ...UID_WORDS,
  ...ofCore(uid),
  name: 'uid',
  a: 'a uid',
  characters: 16,
  encode: spelled('id', 6, `.${RADIX64}`),
  decode: unspelled('id', 6, `.${RADIX64}`),
  ms: 'snoflax._uid_local_ms(snoflax._uid_to_local(id, neighbourhood))',
  bound: 'snoflax._uid_from_local(snoflax._uid_local_at(ms), 0, neighbourhood)',
  parameter: ', neighbourhood int',
  argument: ', neighbourhood',
  'check parameter': "CALL snoflax._check_number('uid_{caller}', 'neighbourhood', neighbourhood, 5, 10);",
}

const UID_LOCAL: Words = {
  ...NONE,
  ...UID_WORDS,
  ...ofCore(uidLocal),
  name: 'uid_local',
  a: 'a uidLocal',
  characters: 11,
  rule: 'has a character outside [.0-9A-Z_a-z], or bits beyond the 64th in the last one',
  encode: `left(${spelled("concat(id, repeat(x'00', 4))", 6, `.${RADIX64}`)}, 11)`,
  decode: `left(${unspelled("concat(id, '.....')", 6, `.${RADIX64}`)}, 8)`,
  ms: 'snoflax._uid_local_ms(CAST(conv(hex(id), 16, 10) AS unsigned))',
  bound: `unhex(${hexSql('snoflax._uid_local_at(ms)', 16)})`,
}

/** 48 bits of Unix milliseconds, followed by 80 others. */
const TIME48: Words = {
  ...NONE,
  bytes: 16,
  'first ms': 0,
  'last ms': 2 ** 48 - 1,
  ms: leading(6),
  'time bytes': 6,
}

const UUID7: Words = {
  ...TIME48,
  name: 'uuid7',
  a: 'a UUIDv7',
  characters: 36,
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  rule: 'is not a UUID of version 7 in lower case',
  'check bytes':
    "IF hex(id) NOT RLIKE '^.{12}7...[89AB]' THEN CALL snoflax._refuse_bytes('uuid7_{caller}', id, 'is not a UUID of version 7'); END IF;",
  encode: "lower(insert(insert(insert(insert(hex(id), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))",
  decode: "unhex(replace(id, '-', ''))",
  bound: `concat(unhex(${hexSql('ms', 12)}), x'70008000000000000000')`,
  tail: "unhex(concat('7', left(hex(random_bytes(2)), 3), hex(128 | ord(random_bytes(1)) & 63))), random_bytes(7)",
}

const ULID: Words = {
  ...TIME48,
  name: 'ulid',
  a: 'a ULID',
  characters: 26,
  pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$',
  rule: 'begins with none of 0-7, or has a character outside [0-9A-HJKMNP-TV-Z]',
  // 130 bits after 30 zeros.
  encode: `right(${spelled("concat(repeat(x'00', 4), id)", 5, CROCKFORD)}, 26)`,
  decode: `right(${unspelled("concat('000000', id)", 5, CROCKFORD)}, 16)`,
  bound: `concat(unhex(${hexSql('ms', 12)}), repeat(x'00', 10))`,
  tail: 'random_bytes(10)',
}

/** Each file with the families for which it is filled. */
export const TEMPLATES: Readonly<Record<string, readonly Words[]>> = {
  family: [FLAX, SNO, UID, UID_LOCAL, UUID7, ULID],
  random: [FLAX, UUID7, ULID],
}

/** A file with its braces filled for one family. */
export const filled = (text: string, words: Words): string =>
  text.replaceAll(/\{([a-z][a-z ]*)(?:: (\w+))?\}/g, (_, key: string, caller: string) =>
    String(words[key]).replace('{caller}', caller),
  )
