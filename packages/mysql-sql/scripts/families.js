// The words of the SQL files that are filled for several families.
import { flax, sno } from '@snoflax/core'

/** @typedef {Record<string, string | number>} Words */

const RADIX64 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const BASE32 = '23456789abcdefghijklmnopqrstuvwx'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The first bytes as a number. `conv` returns text. @param {number} bytes */
const leading = (bytes) => `CAST(conv(hex(left(id, ${bytes})), 16, 10) AS unsigned)`
/** @typedef {(id: string, bits: number, digits: string) => string} Spelling */
/** @type {Spelling} */
const spelled = (id, bits, digits) => `snoflax._spell(${id}, ${bits}, _binary'${digits}')`
/** @type {Spelling} */
const unspelled = (id, bits, digits) => `snoflax._unspell(${id}, ${bits}, _binary'${digits}')`
/** @param {string} number @param {number} digits */
const hexSql = (number, digits) => `lpad(hex(${number}), ${digits}, '0')`

/** @param {import('@snoflax/core').IdFamily<any, any>} family */
const ofCore = ({ byteLength, pattern, firstMs, lastMs }) => ({
  bytes: byteLength,
  pattern: pattern.source,
  'first ms': firstMs,
  'last ms': lastMs,
})

const NONE = { 'check bytes': '', parameter: '', argument: '', 'check parameter': '' }

/** uid and uidLocal differ in the position of the node. */
const UID_WORDS = {
  rule: 'has a character outside [.0-9A-Z_a-z]',
  'first ms': 0,
  // 2^20 - 1 megaseconds, then the last millisecond of one.
  'last ms': 2 ** 20 * 10 ** 9 - 1,
}

const FLAX = {
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

const SNO = {
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

const UID = {
  ...NONE,
  ...UID_WORDS,
  name: 'uid',
  a: 'a uid',
  bytes: 12,
  pattern: '^[.0-9A-Z_a-z]{16}$',
  characters: 16,
  encode: spelled('id', 6, `.${RADIX64}`),
  decode: unspelled('id', 6, `.${RADIX64}`),
  ms: 'snoflax._uid_local_ms(snoflax._uid_to_local(id, neighbourhood))',
  bound: 'snoflax._uid_from_local(snoflax._uid_local_at(ms), 0, neighbourhood)',
  parameter: ', neighbourhood int',
  argument: ', neighbourhood',
  'check parameter': "CALL snoflax._check_number('uid_{caller}', 'neighbourhood', neighbourhood, 5, 10);",
}

const UID_LOCAL = {
  ...NONE,
  ...UID_WORDS,
  name: 'uid_local',
  a: 'a uidLocal',
  bytes: 8,
  pattern: '^[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]$',
  characters: 11,
  rule: 'has a character outside [.0-9A-Z_a-z], or bits beyond the 64th in the last one',
  encode: `left(${spelled("concat(id, repeat(x'00', 4))", 6, `.${RADIX64}`)}, 11)`,
  decode: `left(${unspelled("concat(id, '.....')", 6, `.${RADIX64}`)}, 8)`,
  ms: 'snoflax._uid_local_ms(CAST(conv(hex(id), 16, 10) AS unsigned))',
  bound: `unhex(${hexSql('snoflax._uid_local_at(ms)', 16)})`,
}

/** 48 bits of Unix milliseconds, followed by 80 others. */
const TIME48 = {
  ...NONE,
  bytes: 16,
  'first ms': 0,
  'last ms': 2 ** 48 - 1,
  ms: leading(6),
  'time bytes': 6,
}

const UUID7 = {
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

const ULID = {
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

/** Begins a query under settings of its own, which the server undoes whatever becomes of it: each in its own words. */
const LEASES = {
  'with settings': [
    "/*M! SET STATEMENT time_zone = '+00:00', sql_big_selects = 1, sql_safe_updates = 0 FOR */",
    'SELECT /*+ SET_VAR(sql_big_selects = 1) SET_VAR(sql_safe_updates = 0) */',
  ].join(' '),
}

/** Each file with the families for which it is filled. @type {Record<string, Words | Words[]>} */
export const FAMILIES = {
  codecs: [FLAX, SNO, UID, UID_LOCAL, UUID7, ULID],
  random: [FLAX, UUID7, ULID],
  lease: LEASES,
  'lease-owner': LEASES,
}
