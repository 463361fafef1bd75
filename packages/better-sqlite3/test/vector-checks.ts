import { expect } from 'vitest'
import type * as recorded from '../../core/test/recorded-vectors.js'
import { timeAfterCut, uidHex } from '../../core/test/recorded-vectors.js'
import { fieldsOf, type NativeUid, nodeOf, rawFields } from '../../core/test/uid-natives.js'
import { bytesOf, familyNamed, sqlFields } from './families.js'
import { checkId, sqliteTime } from './known-ids.js'
import type { Sql } from './sql.js'

const flax = familyNamed('flax')
const sno = familyNamed('sno')
const flake = familyNamed('flake')
const uid = familyNamed('uid')
const uidLocal = familyNamed('uidLocal')

const familyOf = ({ nodeHex }: NativeUid) => (nodeHex === undefined ? uidLocal : uid)

const sqlUid = (native: NativeUid): string => sqlFields(fieldsOf(native))

function packsFlax(sql: Sql, { timestampMs, randomHex, text, hex }: recorded.FlaxVector): void {
  const fields = { timeMs: timestampMs, random: bytesOf(randomHex) }
  sql.gives('flax_encode(flax_pack(?))', [sqlFields(fields)], text)
  if (hex !== undefined) checkId(sql, flax, { text, hex, fields, timeMs: timestampMs })
}

function refusesFlaxTime(sql: Sql, { timestampMs, randomHex }: recorded.FlaxVector): void {
  const fields = sqlFields({ timeMs: timestampMs, random: bytesOf(randomHex) })
  sql.refuses('flax_pack(?)', [fields], 'TIME_OUT_OF_RANGE')
  const moment = sqliteTime(timestampMs)
  if (typeof moment === 'string') sql.refuses('flax_generate_at(?)', [moment], 'TIME_OUT_OF_RANGE')
}

/** The database sorts as recorded, what `key` makes of each. */
function sorts(sql: Sql, key: string, { input, sorted }: recorded.Sorted): void {
  const rows = sql.value(
    `json_group_array(value ORDER BY ${key}) FROM json_each(?)`,
    JSON.stringify(input),
  ) as string
  expect(JSON.parse(rows)).toEqual(sorted)
}

function checkUid(sql: Sql, neighbourhood: number, hex: string, text: string, native: NativeUid): void {
  const tested = familyOf(native)
  const option = tested === uid ? neighbourhood : undefined
  checkId(sql, tested, { text, hex, fields: fieldsOf(native) }, option)
}

/** Bytes of no id's size have a text in the reference only, and are refused. */
function checkBare(sql: Sql, { hex, text }: { hex: string; text: string }): void {
  const tested = hex.length === 16 ? uidLocal : uid
  if (hex.length === 16 || hex.length === 24) checkId(sql, tested, { hex, text })
  else expect(sql.outcome(`${tested.prefix}_decode(?)`, text)).toHaveProperty('refused')
}

function encodesOdd(sql: Sql, { tag, I, uid: native, result }: recorded.OddEncoding): void {
  const { prefix } = familyOf(native)
  // A node of too few digits for the reference is any number to us.
  const isNode = tag === 'node-width' && nodeOf(native) <= 0xffff_ffff
  if (isNode) sql.gives('uid_pack(?)', [sqlUid(native)], uidHex(native))
  else if (tag === 'interval-ignored-for-local')
    sql.gives('uid_local_pack(?)', [sqlUid(native)], `\\x${result}`)
  else if (tag === 'interval-range') sql.refuses(`uid_pack(?, ${I})`, [sqlUid(native)], 'FIELD_OUT_OF_RANGE')
  else sql.refuses(`${prefix}_pack(?)`, [sqlFields(rawFields(native))], 'FIELD_OUT_OF_RANGE')
}

function decodesOdd(sql: Sql, { tag, I, hex, result }: recorded.OddDecoding): void {
  const bytes = bytesOf(hex)
  if (tag === 'wrong-size') {
    sql.refuses('uid_encode(?)', [bytes], 'INVALID_LENGTH')
    sql.refuses('uid_local_encode(?)', [bytes], 'INVALID_LENGTH')
  } else if (tag === 'interval-range' && (I < 5 || I > 10)) {
    sql.refuses(`uid_unpack(?, ${I})`, [bytes], 'FIELD_OUT_OF_RANGE')
  } else {
    const native = result as NativeUid
    const { prefix } = familyOf(native)
    const option = prefix === 'uid' ? `, ${I}` : ''
    sql.gives(`${prefix}_unpack(?${option})`, [bytes], sqlUid(native))
  }
}

function decodesOddText(sql: Sql, { text, result }: { text: string; result: NativeUid | null }): void {
  if (result !== null && text.length === 16) {
    sql.gives('uid_unpack(?)', [text], sqlUid(result))
  } else {
    expect(sql.outcome('uid_local_decode(?)', text)).toHaveProperty('refused')
    if (result === null) expect(sql.outcome('uid_decode(?)', text)).toHaveProperty('refused')
  }
}

/** By `file kind`, how a vector of that kind is checked. */
export const VECTOR_CHECKS: Readonly<Record<string, (sql: Sql, vector: never) => void>> = {
  'flax encode': packsFlax,
  'flax floatSeconds': packsFlax,
  'flax intSeconds': packsFlax,
  'flax falsyTimestamp': (sql, vector: recorded.FlaxVector & { nowMs: number }) =>
    packsFlax(sql, { ...vector, timestampMs: vector.nowMs }),
  'flax base64': (sql, { hex, text }: { hex: string; text: string }) => checkId(sql, flax, { hex, text }),
  'flax overflow': refusesFlaxTime,
  'flax beforeEpoch': refusesFlaxTime,
  'flax sort': (sql, vector: recorded.Sorted) => {
    sorts(sql, 'value', vector)
    sorts(sql, 'flax_decode(value)', vector)
  },
  'flax regex': (sql, { text, canonical }: { text: string; canonical: boolean }) =>
    sql.gives('flax_is_valid(?)', [text], canonical ? 1n : 0n),

  'sno id': (sql, { hex, text, ...vector }: { hex: string; text: string } & Record<string, number>) => {
    const { timeMs, tickTock, meta, partition, sequence } = vector
    const fields = { timeMs, tickTock, meta, partition, sequence }
    checkId(sql, sno, { hex, text, fields, timeMs: timeMs as number })
    sql.gives('sno_meta(?)', [text], BigInt(meta as number))
  },
  'sno badText': (sql, { text }: { text: string }) => {
    expect(sql.outcome('sno_decode(?)', text)).toHaveProperty('refused')
    sql.gives('sno_is_valid(?)', [text], 0n)
  },
  // Some of them are no UTF-8: as a text they arrive changed, and are refused all the same.
  'sno badChars': (sql, { textHex }: { textHex: string }) => {
    expect(sql.outcome('sno_decode(CAST(? AS TEXT))', bytesOf(textHex))).toHaveProperty('refused')
    const uuid = textHex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    sql.refuses('sno_from_uuid(?)', [uuid], 'INVALID_CHARACTER')
  },
  'sno badBytes': (sql, { hex }: { hex: string }) => {
    sql.refuses('sno_encode(?)', [bytesOf(hex)], 'INVALID_LENGTH')
    sql.gives('sno_is_valid(?)', [bytesOf(hex)], 0n)
  },
  'sno sort': (sql, vector: recorded.Sorted) => {
    sorts(sql, 'unhex(value)', vector)
    sorts(sql, 'sno_encode(unhex(value))', vector)
  },
  'sno compare': (sql, { a, b, result }: { a: string; b: string; result: number }) => {
    const [left, right] = [a, b].map(bytesOf)
    sql.gives('(sno_encode(?) > sno_encode(?)) - (? < ?)', [left, right, left, right], BigInt(result))
  },
  'sno marshal': (sql, { hex, marshalText }: { hex: string; marshalText: string }) =>
    checkId(sql, sno, { hex, text: marshalText }),

  'flake id': (sql, { epoch, id, timeMs, counter, hex, dec }: recorded.FlakeVector) => {
    const fields = { timeMs, datacenter: Math.floor(id / 32), worker: id % 32, counter }
    checkId(sql, flake, { hex, text: dec, fields, timeMs }, epoch)
    sql.gives('flake_to_hex(?)', [dec], hex)
    sql.gives('flake_from_hex(?)', [hex], `\\x${hex}`)
  },
  'flake format': (sql, { hex, dec, hexTrimmed, decPadded20 }: recorded.FlakeFormat) => {
    sql.gives('flake_encode(flake_from_hex(?))', [hexTrimmed], dec)
    sql.gives('flake_to_hex(?)', [bytesOf(hex)], hex)
    sql.gives('flake_is_valid(?)', [decPadded20], decPadded20 === dec ? 1n : 0n)
  },
  'flake sort': (sql, vector: recorded.Sorted) => sorts(sql, 'unhex(value)', vector),

  'uid local': (sql, { C, hex, text, decoded, timeMs }: recorded.EncodedUid) =>
    checkId(sql, uidLocal, { hex, text, fields: fieldsOf(decoded), timeMs: timeAfterCut(timeMs, C) }),
  'uid global': (sql, { C, I, hex, text, decoded, timeMs }: recorded.EncodedUid) =>
    checkId(sql, uid, { hex, text, fields: fieldsOf(decoded), timeMs: timeAfterCut(timeMs, C) }, I),
  'uid decodeOnNode': (sql, { I, hex, text, result }: recorded.EncodedUid & { result: NativeUid }) =>
    checkUid(sql, I, hex, text, result),
  'uid encodeOdd': encodesOdd,
  'uid decodeOdd': decodesOdd,
  'uid decode64Odd': decodesOddText,
  'uid b64': checkBare,
  'uid b64decode': (sql, { text, result }: { text: string; result: string | null }) =>
    checkBare(sql, { hex: result ?? '', text }),
  'uid nodeHash': (sql, { node, hash }: { node: string; hash: number }) =>
    node === ''
      ? sql.refuses('uid_fingerprint(?)', [node], 'INVALID_OPTION')
      : sql.gives('uid_fingerprint(?)', [node], BigInt(hash)),
  'uid toGlobal': (sql, { localNode, input, result }: recorded.Conversion) => {
    for (const node of ['uid_fingerprint(?)', '?']) {
      const converted = `uid_unpack(uid_from_local(uid_local_pack(?), ${node}))`
      sql.gives(converted, [sqlUid(input), localNode], sqlUid(result as NativeUid))
    }
  },
  'uid toLocal': (sql, { localNode, input, result }: recorded.Conversion) => {
    const converted = 'uid_local_unpack(uid_to_local(uid_pack(?), uid_fingerprint(?)))'
    const values = [sqlUid(input), localNode]
    if (result === null) sql.refuses(converted, values, 'NODE_MISMATCH')
    else sql.gives(converted, values, sqlUid(result))
  },
  'uid gtol': (sql, { input, result }: recorded.Conversion) => {
    if (result === null) sql.refuses('uid_force_local(uid_local_pack(?))', [sqlUid(input)], 'INVALID_LENGTH')
    else sql.gives('uid_local_unpack(uid_force_local(uid_pack(?)))', [sqlUid(input)], sqlUid(result))
  },
  'uid time': (sql, { input, timeMs }: { input: NativeUid; timeMs: number }) => {
    const { prefix } = familyOf(input)
    const expected = BigInt(timeAfterCut(timeMs, input.t[2]))
    if (input.t.some((part) => part < 0))
      sql.refuses(`${prefix}_pack(?)`, [sqlFields(rawFields(input))], 'FIELD_OUT_OF_RANGE')
    else sql.gives(`${prefix}_time_ms(${prefix}_pack(?))`, [sqlUid(input)], expected)
  },
  'uid sortLocal': (sql, vector: recorded.Sorted) => {
    sorts(sql, 'unhex(value)', vector)
    sorts(sql, 'uid_local_encode(unhex(value))', vector)
  },
  'uid sortGlobal': (sql, vector: recorded.Sorted) => {
    sorts(sql, 'unhex(value)', vector)
    sorts(sql, 'uid_encode(unhex(value))', vector)
  },
}
