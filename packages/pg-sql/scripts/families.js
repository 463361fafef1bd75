// The words that sql/family.sql has for each family, and for each form of its ids: types of arguments and storages.
import { flake, flax, sno, uid, uidLocal } from '@snoflax/core'

/** @typedef {Record<string, string | number>} Words */

const bytes = "snoflax._{family}_bytes(id, '{family}_VERB')"
const bytesFor = (/** @type {string} */ verb) => bytes.replace('VERB', verb)
const neighbourhood = {
  option: ', neighbourhood integer DEFAULT {neighbourhood}',
  'option type': ', integer',
  'option refusal': ', 22003 for a neighbourhood outside 5 to 10',
  'time refusal': ', 22003 for a neighbourhood outside 5 to 10',
}

/** @type {Record<string, Words>} */
export const FAMILIES = {
  flax: {
    ...common('flax', flax),
    ...characters(flax, 6),
    time: `snoflax._moment(snoflax._flax_time_ms(${bytesFor('time')}))`,
    'times skip1': ' * {skip1}',
    plural: 'flaxes',
  },
  sno: {
    ...common('sno', sno),
    ...characters(sno, 5),
    time: `snoflax._moment(snoflax._sno_time_ms(${bytesFor('time')}))`,
    precision: 'as the start of its 4 ms unit',
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
    time: `snoflax._flake_time(${bytesFor('time')}, epoch_ms)`,
    'time refusal': ', 22008 if timestamptz has no such year',
    fields: `snoflax._flake_fields(${bytesFor('unpack')}, epoch_ms)`,
    bound: "int8send(snoflax._flake_lower_bound(at, epoch_ms, '{family}_lower_bound_{form}'))",
    'refusal of text': '22P02 if it is none, 22003 from 2^64 on',
  },
  uid: {
    ...common('uid', uid),
    ...characters(uid, 6),
    ...neighbourhood,
    time: `snoflax._uid_time(${bytesFor('time')}, neighbourhood)`,
    fields: `snoflax._uid_fields(${bytesFor('unpack')}, neighbourhood, 'uid_unpack')`,
    bound: "snoflax._uid_bound(at, false, neighbourhood, '{family}_lower_bound_{form}')",
    'at or after': 'that a clock gives at or after',
  },
  uid_local: {
    ...common('uid_local', uidLocal),
    ...number(),
    time: `snoflax._uid_local_time(${bytesFor('time')})`,
    bound: "snoflax._uid_local_lower_bound(at, '{family}_lower_bound_{form}')",
    'at or after': 'that a clock gives at or after',
  },
}

/** @type {Record<string, Words>} */
export const FORMS = {
  bytea: { 'in form': 'in {length}' },
  binary: { domain: 'bytea', check: 'octet_length(VALUE) = {bytes}', stored: 'its {length}' },
  text: {
    type: 'text',
    written: '{family}_encode',
    'in form': 'in text',
    refusal: '{refusal of text}',
    domain: 'text COLLATE "C"',
    check: 'snoflax.{family}_is_valid(VALUE)',
    stored: 'text',
  },
  uuid: {
    type: 'uuid',
    written: '{family}_to_uuid',
    'in form': 'in a {uuid columns} column',
    domain: 'uuid',
    check: "snoflax._{family}_bytes_of_uuid(VALUE, '') <> ''",
    stored: 'a uuid that holds its 16 characters',
  },
  uuid8: {
    type: 'uuid',
    written: '{family}_to_uuid8',
    domain: 'uuid',
    check: '{uuid8 check}',
    stored: 'a UUIDv8',
  },
  bigint: {
    'in form': 'in a bigint column',
    refusal: '22003 if negative',
    valid: 'id >= 0',
    domain: 'bigint',
    check: 'VALUE >= 0',
    stored: 'a number below 2^63',
  },
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
    valid: "snoflax._{family}_bytes(id, '') <> ''",
    refusal: '22P02 if it is none',
    'refusal of text': '22P02 if it is none',
    option: '',
    'option type': '',
    'option refusal': '',
    precision: 'to the millisecond',
    'time refusal': '',
    fields: `snoflax._{family}_fields(${bytesFor('unpack')})`,
    bound: 'snoflax.{family}_lower_bound(at)',
    'at or after': 'whose time is at or after',
    plural: '{family}s, in order',
    'times skip1': '',
    meta: '',
    'and meta': '',
    'meta passed': '',
    'meta type': '',
    'and meta type': '',
  }
}

/**
 * An id of 16 characters, written by halves.
 *
 * @param {import('@snoflax/core').IdFamily<any, any>} family
 * @param {number} digitBits
 */
function characters({ byteLength }, digitBits) {
  return {
    'digit bits': digitBits,
    half: byteLength / 2,
    'half bits': byteLength * 4,
    'half from': 9 - byteLength / 2,
    'read uuid8': '_{family}_bytes_of_uuid8',
    'uuid8 check': "snoflax._{family}_bytes_of_uuid8(VALUE, '') <> ''",
    'uuid columns': 'uuid or uuid8',
    'other storage': 'uuid',
  }
}

/** An id of 8 bytes, stored as a number too. */
function number() {
  return {
    'read uuid8': '_{family}_bytes',
    'uuid8 check': 'snoflax.{family}_is_valid(VALUE)',
    'uuid columns': 'uuid8',
    'other storage': 'bigint',
  }
}
