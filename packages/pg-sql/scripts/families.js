// The words that sql/family.sql has for each family, and for each form of its ids: types of arguments and storages.
import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { layoutConstants } from './layout-constants.js'

/** @typedef {Record<string, string | number>} Words */

export const CONSTANTS = layoutConstants()

const directBound = 'snoflax.{family}_lower_bound_{form}(at)'
const neighbourhood = {
  option: ', neighbourhood integer DEFAULT {neighbourhood}',
  'option type': ', integer',
  'option passed': ', neighbourhood',
  'option default': ', {neighbourhood}',
  'option refusal': ', 22003 for a neighbourhood outside 5 to 10',
  'time refusal': ', 22003 for a neighbourhood outside 5 to 10',
}

/** @type {Record<string, Words>} */
export const FAMILIES = {
  flax: {
    ...common('flax', flax),
    ...characters(flax, 6),
    // In generate_many too: a call for each row would take a quarter of the time.
    'new id':
      'substring(int8send(snoflax._flax_clock()), 1, 5) || substring(uuid_send(gen_random_uuid()), 10)',
    time: 'snoflax._moment(snoflax._flax_time_ms({checked: time}))',
    'times skip1': ' * {skip1}',
    'end uuid': directBound,
    plural: 'flaxes',
  },
  sno: {
    ...common('sno', sno),
    ...characters(sno, 5),
    time: 'snoflax._moment(snoflax._sno_time_ms({checked: time}))',
    precision: 'as the start of its 4 ms unit',
    'times unit': ' * {unitMs}',
    'end uuid': directBound,
    meta: 'meta integer DEFAULT 0',
    'and meta': ', meta integer DEFAULT 0',
    'meta passed': 'meta',
    'meta type': 'integer',
    'and meta type': ', integer',
  },
  flake: {
    ...common('flake', flake),
    ...number(),
    option: ', epoch_ms bigint DEFAULT 0',
    'option type': ', bigint',
    'option passed': ', epoch_ms',
    'end arguments': 'at timestamptz, epoch_ms bigint',
    'after the last':
      "snoflax._us_since_2000(at) > (snoflax._flake_epoch(epoch_ms, 'flake_between') + {time.max}) * 1000 - {us2000}",
    'end bytes': "int8send(snoflax._flake_lower_bound(at, epoch_ms, 'flake_between'))",
    'end number': "snoflax._flake_lower_bound(at, epoch_ms, 'flake_between')",
    time: 'snoflax._flake_time({checked: time}, epoch_ms)',
    'time refusal': ', 22008 if timestamptz has no such year',
    fields: 'snoflax._flake_fields({checked: unpack}, epoch_ms)',
    bound: "int8send(snoflax._flake_lower_bound(at, epoch_ms, '{family}_lower_bound_{form}'))",
    'refusal of text': '22P02 if it is none, 22003 from 2^64 on',
    'body length': 'char_length(substring(id COLLATE "C" from \'[0-9]*$\'))',
  },
  uid: {
    ...common('uid', uid),
    ...characters(uid, 6),
    ...neighbourhood,
    time: 'snoflax._uid_time({checked: time}, neighbourhood)',
    fields: "snoflax._uid_fields({checked: unpack}, neighbourhood, 'uid_unpack')",
    bound: "snoflax._uid_bound(at, false, neighbourhood, '{family}_lower_bound_{form}')",
    'at or after': 'that a clock can generate at or after',
    'end arguments': 'at timestamptz, upper boolean, neighbourhood integer',
    'after the last': 'snoflax._us_since_2000(at) > {lastUs2000}',
    'end bytes': "snoflax._uid_bound(at, upper, neighbourhood, 'uid_between')",
    'lower end': ', false, neighbourhood',
    'upper end': ', true, neighbourhood',
    recheck: `
  AND snoflax.uid_time(id, neighbourhood) >= from_time AND snoflax.uid_time(id, neighbourhood) < until_time`,
  },
  uid_local: {
    ...common('uid_local', uidLocal),
    ...number(),
    time: 'snoflax._uid_local_time({checked: time})',
    bound: "snoflax._uid_local_lower_bound(at, '{family}_lower_bound_{form}')",
    'at or after': 'that a clock can generate at or after',
    'after the last': 'snoflax._us_since_2000(at) > {lastUs2000}',
    'end bytes': "snoflax._uid_local_lower_bound(at, 'uid_local_between')",
    'end number': "snoflax._uid_local_bits({end bytes}, 'uid_local_between')",
  },
}

const ABOVE_UUIDS = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"

const FLAX_CHARACTERS = `translate(left(base64, 7),
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'::text,
      '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'::text)
    || translate(substr(base64, 8), '+/'::text, '-_'::text)`

/** 48 random bits as digits: any of the alphabet will do. */
const FLAX_REST = "translate(encode(substring(random, 11), 'base64'::text), '+/'::text, '-_'::text)"
const FLAX_OF_TIME = `bits := (bits << 8) | get_byte(random, 9)::bigint;
  bits := snoflax._spread6(bits);
  RETURN {flax of digits};`

/** @type {Record<string, Words>} */
export const FORMS = {
  bytea: {
    type: 'bytea',
    valid: 'octet_length(id) = {bytes}',
    'in form': 'in {length}',
    stored: 'its {length}',
    'flax generate at': 'flax_generate_at',
    'flax of time': 'RETURN substring(int8send(bits), 4) || substring(random, 10);',
    'flake generate': 'flake_generate',
    'flake bits': '  RETURN int8send(v);',
  },
  binary: {
    ...column('bytea'),
    end: '{end bytes}',
    'above all': "decode(repeat('ff', {bytes} + 1), 'hex')",
    domain: 'bytea',
    check: 'octet_length(VALUE) = {bytes}',
    stored: 'its {length}',
  },
  text: {
    ...column('text'),
    type: 'text',
    checked: "snoflax._{family}_bytes(snoflax._without_any_prefix(id, {body length}), '{family}_{caller}')",
    valid: '{valid text}',
    'flax characters': FLAX_CHARACTERS,
    'flax generate at': 'flax_generate_at_text',
    'flax of digits': `encode(int8send(snoflax._flax_codes(bits)), 'escape'::text) || ${FLAX_REST}`,
    'flax of time': FLAX_OF_TIME,
    'sno digits':
      "encode(int8send(snoflax._sno_codes(v)) || int8send(snoflax._sno_codes(last_digits)), 'escape')",
    'of codes': "encode(int8send(snoflax._{family}_codes(digits)) || int8send({digit0}), 'escape')",
    collated: ' COLLATE "C"',
    end: '{end uuid}',
    'above all': "'~'",
    written: '{family}_encode',
    'in form': 'in text',
    refusal: '{refusal of text}',
    domain: 'text COLLATE "C"',
    check: 'octet_length(VALUE) = {characters} AND snoflax.{family}_is_valid(VALUE)',
    stored: 'text',
  },
  uuid: {
    ...column('uuid'),
    type: 'uuid',
    valid: '{valid uuid}',
    'flax characters': `encode(convert_to(${FLAX_CHARACTERS}, 'UTF8'::name), 'hex'::text)::uuid`,
    'flax generate at': 'flax_generate_at_uuid',
    'flax of digits': `(to_hex(snoflax._flax_codes(bits)) || encode(convert_to(${FLAX_REST}, 'UTF8'::name), 'hex'::text))::uuid`,
    'flax of time': FLAX_OF_TIME,
    'sno digits': '(to_hex(snoflax._sno_codes(v)) || to_hex(snoflax._sno_codes(last_digits)))::uuid',
    'of codes': '(to_hex(snoflax._{family}_codes(digits)) || to_hex({digit0}))::uuid',
    end: '{end uuid}',
    'above all': ABOVE_UUIDS,
    written: '{family}_to_uuid',
    'in form': 'in a {uuid columns} column',
    domain: 'uuid',
    check: 'encode(uuid_send(VALUE), \'escape\') COLLATE "C" !~ {foreign}',
    stored: 'a uuid that holds its 16 characters',
  },
  uuid8: {
    ...column('uuid'),
    type: 'uuid',
    between: '{between uuid8}',
    end: 'snoflax.{written}({end bytes})',
    'above all': ABOVE_UUIDS,
    written: '{family}_to_uuid8',
    domain: 'uuid',
    check:
      'get_byte(uuid_send(VALUE), 6) >> 4 = 8 AND get_byte(uuid_send(VALUE), 8) >> 4 = 8 ' +
      "AND substring(uuid_send(VALUE), {uuid8From}) = decode({uuid8End}, 'hex')",
    stored: 'a UUIDv8',
  },
  bigint: {
    ...column('bigint'),
    type: 'bigint',
    'flake generate': 'flake_generate_bigint',
    'flake bits': `  IF v < 0 THEN
    RAISE EXCEPTION 'flake_generate_bigint: the flake % is 2^63 or more and does not fit a bigint', int8send(v)
      USING ERRCODE = '22003';
  END IF;
  RETURN v;`,
    above: '>',
    below: '<=',
    end: 'snoflax._largest_before({end number})',
    'above all': '9223372036854775807',
    'in form': 'in a bigint column',
    refusal: '22003 if negative',
    valid: 'id >= 0',
    domain: 'bigint',
    check: 'VALUE >= 0',
    stored: 'a number below 2^63',
  },
  // The families of uuid7.sql.
  uuid7: {
    ...uuidText('UUIDv7'),
    'new text': 'snoflax.uuid7_generate()::text',
    random: "'7' || substr(gen_random_uuid()::text, 16)",
    characters: 36,
    'checked text': "snoflax._uuid7_of_text(snoflax._without_any_prefix(id, 36), '{form}_time')",
    others: ' UUIDs of other versions may be among them: add uuid7_is_valid(id) where a table has such.',
    encoded: "snoflax._uuid7(id, '{form}_encode')::text",
    'of text': '_uuid7_of_text',
    'bound as text': 'snoflax.uuid7_lower_bound_text(at)',
  },
  ulid: {
    ...uuidText('ULID'),
    'new uuid': 'snoflax.ulid_generate()',
    'new text': 'snoflax._crockford(snoflax.ulid_generate(), 7::bigint)',
    random: "overlay(gen_random_uuid()::text PLACING ''::text FROM 9 FOR 16)",
    'checked uuid': 'id',
    'refusal of uuid': '',
    characters: 26,
    'checked text': "snoflax._ulid_uuid(snoflax._without_any_prefix(id, 26), '{form}_time')",
    rest: "'00000000000000000000'",
    end: '_ulid_end',
    encoded: 'snoflax._crockford(id, 7)',
    'of text': '_ulid_uuid',
    'bound as text': 'snoflax.ulid_lower_bound_text(at)',
  },
  typeid: {
    ...uuidText('TypeID'),
    'new text': 'snoflax._crockford(snoflax.uuid7_generate(), 39::bigint)',
    characters: 26,
    'checked text': "snoflax._uuid7(snoflax._typeid_uuid(id, '{form}_time'), '{form}_time')",
    'check prefix': '_typeid_prefix',
    'bound as text': 'snoflax._crockford(snoflax.typeid_lower_bound(at), 39::bigint)',
  },
}

/**
 * A family of uuid7.sql, as those of UUIDv7s have it.
 *
 * @param {string} id
 */
function uuidText(id) {
  return {
    id,
    'new uuid': 'snoflax.uuid7_generate()',
    'checked uuid': "snoflax._uuid7(id, '{form}_time')",
    'refusal of uuid': '; 22P02 for UUIDs of other versions than 7',
    rest: "'70008000000000000000'",
    end: '_uuid7_end',
    others: '',
    'check prefix': '_check_prefix',
  }
}

/**
 * How a column of that type is searched for a range of time.
 *
 * @param {string} type
 */
function column(type) {
  return { column: type, between: '', collated: '', above: '>=', below: '<' }
}

/**
 * @param {string} name
 * @param {import('@snoflax/core').IdFamily<any, any>} family
 */
function common(name, { byteLength, tag }) {
  return {
    family: name,
    length: `${byteLength} bytes`,
    'uuid8 ending': tag.toString(16).padStart(2, '0'),
    'body length': '{characters}',
    'valid body': "snoflax._{family}_bytes(right(id, {characters}), '') <> ''",
    'valid text': "snoflax._{family}_bytes(snoflax._without_any_prefix(id, {body length}), '') <> ''",
    'valid uuid': "snoflax._{family}_bytes(id, '') <> ''",
    checked: "snoflax._{family}_bytes(id, '{family}_{caller}')",
    refusal: '22P02 if it is none',
    'refusal of text': '22P02 if it is none',
    option: '',
    'option type': '',
    'option passed': '',
    'option default': '',
    'option refusal': '',
    'end arguments': 'at timestamptz',
    'after the last': 'at > timestamptz {lastMoment}',
    'end bytes': 'snoflax.{family}_lower_bound(at)',
    'end uuid': 'snoflax.{written}({end bytes})',
    'lower end': '{option passed}',
    'upper end': '{option passed}',
    recheck: '',
    'times unit': '',
    precision: 'to the millisecond',
    'time refusal': '',
    fields: 'snoflax._{family}_fields({checked: unpack})',
    bound: 'snoflax.{family}_lower_bound(at)',
    'at or after': 'whose time is at or after',
    plural: '{family}s, in order',
    'times skip1': '',
    meta: '',
    'and meta': '',
    'meta passed': '',
    'meta type': '',
    'and meta type': '',
    'new id': 'snoflax.{family}_generate({meta passed})',
  }
}

/**
 * An id of 16 characters, written by halves.
 *
 * @param {import('@snoflax/core').IdFamily<any, any>} family
 * @param {number} digitBits
 */
function characters({ byteLength, layout }, digitBits) {
  return {
    'digit bits': digitBits,
    ...timeDigits(digitBits, layout.fields[0]?.bits ?? 0),
    'valid text':
      'CASE octet_length(id) WHEN {characters} THEN id COLLATE "C" !~ {foreign} ' +
      'ELSE id COLLATE "C" ~ {prefixedPattern} AND octet_length(id) < 65 + {characters} END',
    'valid body': 'right(id, {characters}) COLLATE "C" !~ {foreign}',
    'valid uuid':
      "encode(uuid_send(id), 'escape') COLLATE \"C\" !~ {foreign} OR snoflax._{family}_bytes_of_uuid8(id, '') <> ''",
    half: byteLength / 2,
    'half bits': byteLength * 4,
    'half from': 9 - byteLength / 2,
    'read uuid8': '_{family}_bytes_of_uuid8',
    'between uuid8': '_uuid8',
    'uuid columns': 'uuid or uuid8',
    'other storage': 'uuid',
  }
}

/**
 * The number in so many leading bits, out of the digits that the first characters stand for. Spaced digits have a bit more
 * each, which is set for a character outside the alphabet.
 *
 * @param {number} digitBits
 * @param {number} bits
 */
function timeDigits(digitBits, bits) {
  const count = Math.ceil(bits / digitBits)
  const places = Array.from({ length: count }, (_, i) => count - 1 - i)
  const digit = (/** @type {number} */ place, table = '{digitsByCode}') =>
    `get_byte(decode(${table}::text, 'hex'::text), get_byte(ascii, ${count - 1 - place}))::bigint`
  const spare = digitBits * count - bits
  return {
    'time digits': places.map((place) => shifted(digit(place), digitBits * place - spare)).join('\n    | '),
    'spaced digits': places
      .map((place) => shifted(digit(place, '{markedDigitsByCode}'), (digitBits + 1) * place))
      .join('\n    | '),
    'foreign digits': `${places.reduce((sum, place) => sum + (1n << BigInt((digitBits + 1) * place + digitBits)), 0n)}::bigint`,
    'gathered digits': places
      .map((place) =>
        shifted(
          `(digits & ${((1n << BigInt(digitBits)) - 1n) << BigInt((digitBits + 1) * place)}::bigint)`,
          -place,
        ),
      )
      .join('\n    | '),
    'spare bits': spare,
  }
}

/**
 * @param {string} term
 * @param {number} bits
 */
function shifted(term, bits) {
  return bits === 0 ? term : `(${term} ${bits > 0 ? '<<' : '>>'} ${Math.abs(bits)})`
}

/** An id of 8 bytes, stored as a number too. */
function number() {
  return {
    'read uuid8': '_{family}_bytes',
    'between uuid8': '',
    'uuid columns': 'uuid8',
    'other storage': 'bigint',
  }
}
