import type * as recorded from '../../core/test/recorded-vectors.js'
import { timeAfterCut, uidHex } from '../../core/test/recorded-vectors.js'
import { fieldsOf, type NativeUid, nodeOf, rawFields } from '../../core/test/uid-natives.js'
import type { Checks } from './checks.js'
import { familyNamed, sqlFields } from './families.js'
import { checkId, packOf } from './id-checks.js'
import { timestamptz, usOf } from './moments.js'

const flax = familyNamed('flax')
const sno = familyNamed('sno')
const flake = familyNamed('flake')
const uid = familyNamed('uid')
const uidLocal = familyNamed('uidLocal')

const familyOf = ({ nodeHex }: NativeUid) => (nodeHex === undefined ? uidLocal : uid)

const sqlUid = (native: NativeUid): string => sqlFields(familyOf(native), fieldsOf(native))

function packsFlax(checks: Checks, { timestampMs, randomHex, text, hex }: recorded.FlaxVector): void {
  const fields = { timeMs: timestampMs, random: Buffer.from(randomHex, 'hex') }
  checks.gives(`snoflax.flax_encode(${packOf(flax)})`, sqlFields(flax, fields), text)
  if (hex !== undefined) checkId(checks, flax, { text, hex, fields, timeMs: timestampMs })
}

function refusesFlaxTime(checks: Checks, { timestampMs, randomHex }: recorded.FlaxVector): void {
  const fields = sqlFields(flax, { timeMs: timestampMs, random: Buffer.from(randomHex, 'hex') })
  checks.refuses(packOf(flax), fields, '22008')
  const moment = timestamptz(BigInt(timestampMs) * 1000n)
  checks.refuses('snoflax.flax_generate_at($1::timestamptz)', moment, '22008')
}

/** `family` sorts the bytes of `decode` as recorded. */
function sortsTexts(checks: Checks, name: string, { input, sorted }: recorded.Sorted): void {
  const agg = `string_agg(id, ',' ORDER BY snoflax.${name}_decode(id))`
  checks.gives(`(SELECT ${agg} FROM unnest(string_to_array($1, ',')) AS id)`, input.join(), sorted.join())
}

function sortsHex(checks: Checks, name: string, { input, sorted }: recorded.Sorted): void {
  const key = `snoflax.${name}_to_uuid8(decode(hex, 'hex'))`
  const agg = `string_agg(hex, ',' ORDER BY ${key})`
  checks.gives(`(SELECT ${agg} FROM unnest(string_to_array($1, ',')) AS hex)`, input.join(), sorted.join())
}

function checkUid(checks: Checks, neighbourhood: number, hex: string, text: string, native: NativeUid): void {
  const tested = familyOf(native)
  const option = tested === uid ? `, ${neighbourhood}` : ''
  checkId(checks, tested, { text, hex, fields: fieldsOf(native) }, option)
}

/** Bytes whose text was not recorded. */
function decodesBytes(checks: Checks, neighbourhood: number, hex: string, native: NativeUid): void {
  const { name } = familyOf(native)
  const option = name === 'uid' ? `, ${neighbourhood}` : ''
  checks.gives(`row_to_json(snoflax.${name}_unpack($1::bytea${option}))`, `\\x${hex}`, sqlUid(native))
}

/** By `file kind`, how a vector of that kind is checked. */
export const VECTOR_CHECKS: Readonly<Record<string, (checks: Checks, vector: never) => void>> = {
  'flax encode': packsFlax,
  'flax floatSeconds': packsFlax,
  'flax intSeconds': packsFlax,
  'flax falsyTimestamp': (checks, vector: recorded.FlaxVector & { nowMs: number }) =>
    packsFlax(checks, { ...vector, timestampMs: vector.nowMs }),
  'flax base64': (checks, { hex, text }: { hex: string; text: string }) =>
    checkId(checks, flax, { hex, text }),
  'flax overflow': refusesFlaxTime,
  'flax beforeEpoch': refusesFlaxTime,
  'flax sort': (checks, vector: recorded.Sorted) => sortsTexts(checks, 'flax', vector),
  'flax regex': (checks, { text, canonical }: { text: string; canonical: boolean }) =>
    checks.gives('snoflax.flax_is_valid($1)', text, String(canonical)),

  'sno id': (checks, { hex, text, ...fields }: { hex: string; text: string; timeMs: number }) =>
    checkId(checks, sno, { hex, text, fields, timeMs: fields.timeMs }),
  'sno badText': (checks, { text }: { text: string }) => {
    checks.refuses('snoflax.sno_decode($1)', text, '22P02')
    checks.gives('snoflax.sno_is_valid($1)', text, 'false')
  },
  // As the bytes of a uuid, since some of them are no UTF-8.
  'sno badChars': (checks, { textHex }: { textHex: string }) => {
    checks.refuses('snoflax.sno_from_uuid($1::uuid)', textHex, '22P02')
    checks.refuses('snoflax.sno_encode($1::uuid)', textHex, '22P02')
    checks.refuses('$1::snoflax.sno_uuid', textHex, '23514')
    const ascii = Buffer.from(textHex, 'hex')
    if (ascii.every((code) => code > 0 && code < 128))
      checks.refuses('snoflax.sno_decode($1)', ascii.toString(), '22P02')
  },
  'sno badBytes': (checks, { hex }: { hex: string }) => {
    checks.refuses('snoflax.sno_encode($1::bytea)', `\\x${hex}`, '22P02')
    checks.refuses('$1::bytea::snoflax.sno_binary', `\\x${hex}`, '23514')
  },
  'sno sort': (checks, vector: recorded.Sorted) => sortsHex(checks, 'sno', vector),
  'sno compare': (checks, { a, b, result }: { a: string; b: string; result: number }) => {
    const [left, right] = [1, 2].map((n) => `snoflax.sno_to_uuid(decode(split_part($1, ' ', ${n}), 'hex'))`)
    checks.gives(`(${left} > ${right})::integer - (${left} < ${right})::integer`, `${a} ${b}`, String(result))
  },
  'sno marshal': (checks, { hex, marshalText }: { hex: string; marshalText: string }) =>
    checkId(checks, sno, { hex, text: marshalText }),

  'flake id': (checks, vector: recorded.FlakeVector) => {
    const { epoch, id, timeMs, counter, hex, dec } = vector
    const fields = { timeMs, datacenter: Math.floor(id / 32), worker: id % 32, counter }
    checkId(checks, flake, { hex, text: dec, fields, timeMs }, `, ${epoch}`)
    checks.gives('snoflax.flake_to_hex($1)', dec, hex)
    checks.gives('snoflax.flake_from_hex($1)', hex, `\\x${hex}`)
  },
  'flake format': (checks, { hex, dec, hexTrimmed, decPadded20 }: recorded.FlakeFormat) => {
    checks.gives('snoflax.flake_encode(snoflax.flake_from_hex($1))', hexTrimmed, dec)
    checks.gives('snoflax.flake_to_hex($1::bytea)', `\\x${hex}`, hex)
    checks.gives('snoflax.flake_is_valid($1)', decPadded20, String(decPadded20 === dec))
  },
  'flake sort': (checks, vector: recorded.Sorted) => sortsHex(checks, 'flake', vector),

  'uid local': (checks, { C, hex, text, decoded, timeMs }: recorded.EncodedUid) => {
    checkId(checks, uidLocal, { hex, text, fields: fieldsOf(decoded), timeMs: timeAfterCut(timeMs, C) })
  },
  'uid global': (checks, { C, I, hex, text, decoded, timeMs }: recorded.EncodedUid) => {
    const time = timeAfterCut(timeMs, C)
    checkId(checks, uid, { hex, text, fields: fieldsOf(decoded), timeMs: time }, `, ${I}`)
  },
  'uid decodeOnNode': (checks, { I, hex, text, result }: recorded.EncodedUid & { result: NativeUid }) =>
    checkUid(checks, I, hex, text, result),
  'uid encodeOdd': (checks, { tag, I, uid: native, result }: recorded.OddEncoding) => {
    if (tag === 'interval-ignored-for-local') checks.gives(packOf(uidLocal), sqlUid(native), `\\x${result}`)
    else if (tag === 'interval-range') checks.refuses(packOf(uid, `, ${I}`), sqlUid(native), '22003')
    else {
      const tested = familyOf(native)
      // Too few digits for the reference, and any number to us.
      if (tag === 'node-width' && nodeOf(native) <= 0xffff_ffff)
        checks.gives(packOf(uid), sqlUid(native), uidHex(native))
      else checks.refuses(packOf(tested), sqlFields(tested, rawFields(native)), '22003')
    }
  },
  'uid decodeOdd': (checks, { tag, I, hex, result }: recorded.OddDecoding) => {
    if (tag === 'wrong-size') {
      for (const { name } of [uid, uidLocal])
        checks.refuses(`snoflax.${name}_encode($1::bytea)`, `\\x${hex}`, '22P02')
    } else if (tag === 'interval-range' && (I < 5 || I > 10)) {
      checks.refuses(`snoflax.uid_unpack($1::bytea, ${I})`, `\\x${hex}`, '22003')
    } else {
      decodesBytes(checks, I, hex, result as NativeUid)
    }
  },
  'uid decode64Odd': (checks, { text, result }: { text: string; result: NativeUid | null }) => {
    if (result !== null && text.length === 16) {
      checks.gives('row_to_json(snoflax.uid_unpack($1))', text, sqlUid(result))
    } else {
      for (const { name } of [uid, uidLocal])
        if (result === null || name === 'uid_local')
          checks.refuses(`snoflax.${name}_decode($1)`, text, '22P02')
    }
  },
  'uid b64': checkBare,
  'uid b64decode': (checks, { text, result }: { text: string; result: string | null }) =>
    checkBare(checks, { hex: result ?? '', text }),
  'uid nodeHash': (checks, { node, hash }: { node: string; hash: number }) =>
    node === ''
      ? checks.refuses('snoflax.uid_fingerprint($1)', node, '22023')
      : checks.gives('snoflax.uid_fingerprint($1)', node, String(hash)),
  'uid toGlobal': (checks, { localNode, input, result }: recorded.Conversion) => {
    const convert = `snoflax.uid_from_local(${packOf(uidLocal)}, snoflax.uid_fingerprint('${localNode}'))`
    checks.gives(`row_to_json(snoflax.uid_unpack(${convert}))`, sqlUid(input), sqlUid(result as NativeUid))
  },
  'uid toLocal': (checks, { localNode, input, result }: recorded.Conversion) => {
    const convert = `snoflax.uid_to_local(${packOf(uid)}, snoflax.uid_fingerprint('${localNode}'))`
    if (result === null) checks.refuses(convert, sqlUid(input), '22023')
    else checks.gives(`row_to_json(snoflax.uid_local_unpack(${convert}))`, sqlUid(input), sqlUid(result))
  },
  'uid gtol': (checks, { input, result }: recorded.Conversion) => {
    if (result === null)
      checks.refuses(`snoflax.uid_force_local(${packOf(uidLocal)})`, sqlUid(input), '22P02')
    else {
      const convert = `snoflax.uid_force_local(${packOf(uid)})`
      checks.gives(`row_to_json(snoflax.uid_local_unpack(${convert}))`, sqlUid(input), sqlUid(result))
    }
  },
  'uid time': (checks, { input, timeMs }: { input: NativeUid; timeMs: number }) => {
    const expected = BigInt(timeAfterCut(timeMs, input.t[2])) * 1000n
    const tested = familyOf(input)
    if (input.t.some((part) => part < 0))
      checks.refuses(packOf(tested), sqlFields(tested, rawFields(input)), '22003')
    else checks.gives(usOf(`snoflax.${tested.name}_time(${packOf(tested)})`), sqlUid(input), String(expected))
  },
  'uid sortLocal': (checks, vector: recorded.Sorted) => sortsHex(checks, 'uid_local', vector),
  'uid sortGlobal': (checks, vector: recorded.Sorted) => sortsHex(checks, 'uid', vector),
}

/** Bytes of no id's size have a text in the reference only, and are refused. */
function checkBare(checks: Checks, { hex, text }: { hex: string; text: string }): void {
  const tested = hex.length === 16 ? uidLocal : uid
  if (hex.length === 16 || hex.length === 24) checkId(checks, tested, { hex, text })
  else checks.refuses(`snoflax.${tested.name}_decode($1)`, text, '22P02')
}
