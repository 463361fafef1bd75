import { flax } from '@snoflax/core'
import type { Section } from '../report.js'
import { compareOverSamples } from './compare.js'
import type { Place } from './place.js'

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The characters of the flax alphabet, in the order of their values. */
const ALPHABET = Array.from({ length: 64 }, (_, value) =>
  flax.encode(Uint8Array.of(value << 2, ...new Uint8Array(11))).charAt(0),
).join('')

const TRANSLATE = 'translate(encode(…))'
const REGEX = 'regex, translate, base64'

const TRANSLATED = `translate(encode(flax, 'base64'), '${BASE64}', '${ALPHABET}')`
const MATCHED = `CASE WHEN flax_text ~ '^[-0-9A-Z_a-z]{16}$'
  THEN decode(translate(flax_text, '${ALPHABET}', '${BASE64}'), 'base64') END`

/** Checks that the yardsticks return the same results. */
async function checkSame({ session }: Place): Promise<void> {
  const { rows } = await session.query<{ same: boolean }>(
    `SELECT bool_and(${TRANSLATED} = flax_text AND ${MATCHED} = flax) AS same FROM samples`,
  )
  if (!rows[0]?.same) throw new Error('base64 with our alphabet is not flax')
}

export const encode: Section<Place> = {
  name: 'pg-encode',
  run: async (place) => {
    await checkSame(place)
    return {
      title: 'Column to text in PostgreSQL',
      about: `${TRANSLATE} is base64 of the same bytes in our alphabet, which gives the same text.`,
      ...(await compareOverSamples(
        place.session,
        {
          'flax_encode(bytea)': 'snoflax.flax_encode(flax)',
          'flax_encode(uuid)': 'snoflax.flax_encode(flax_uuid)',
          'sno_encode(bytea)': 'snoflax.sno_encode(sno)',
          'sno_encode(uuid)': 'snoflax.sno_encode(sno_uuid)',
          'uid_encode(bytea)': 'snoflax.uid_encode(uid)',
          'uid_encode(uuid)': 'snoflax.uid_encode(uid_uuid)',
          'flake_encode(bigint)': 'snoflax.flake_encode(flake_bigint)',
          'uid_local_encode(bigint)': 'snoflax.uid_local_encode(uid_local_bigint)',
          [TRANSLATE]: TRANSLATED,
          'uuid::text': 'uuid::text',
        },
        [TRANSLATE, 'uuid::text'],
        { [TRANSLATE]: { 'flax_encode(bytea)': 0.5 } },
      )),
    }
  },
}

export const decode: Section<Place> = {
  name: 'pg-decode',
  run: async (place) => {
    await checkSame(place)
    return {
      title: 'Text to column in PostgreSQL',
      about: 'All are strict.',
      ...(await compareOverSamples(
        place.session,
        {
          'flax_decode(text)': 'snoflax.flax_decode(flax_text)',
          'flax_to_uuid(text)': 'snoflax.flax_to_uuid(flax_text)',
          'sno_decode(text)': 'snoflax.sno_decode(sno_text)',
          'sno_to_uuid(text)': 'snoflax.sno_to_uuid(sno_text)',
          'uid_decode(text)': 'snoflax.uid_decode(uid_text)',
          'uid_to_uuid(text)': 'snoflax.uid_to_uuid(uid_text)',
          'flake_to_bigint(text)': 'snoflax.flake_to_bigint(flake_text)',
          'uid_local_to_bigint(text)': 'snoflax.uid_local_to_bigint(uid_local_text)',
          [REGEX]: MATCHED,
          'text::uuid': 'uuid_text::uuid',
        },
        [REGEX, 'text::uuid'],
        { [REGEX]: { 'flax_decode(text)': 0.5 } },
      )),
    }
  },
}

export const time: Section<Place> = {
  name: 'pg-time',
  run: async ({ session }) => ({
    title: 'The time of an id in PostgreSQL',
    about: 'As timestamptz. Native is uuid_extract_timestamp().',
    ...(await compareOverSamples(
      session,
      {
        'flax_time(bytea)': 'snoflax.flax_time(flax)',
        'flax_time(uuid)': 'snoflax.flax_time(flax_uuid)',
        'flax_time(uuid), a uuid8': 'snoflax.flax_time(flax_uuid8)',
        'flax_time(text)': 'snoflax.flax_time(flax_text)',
        'sno_time(bytea)': 'snoflax.sno_time(sno)',
        'sno_time(uuid)': 'snoflax.sno_time(sno_uuid)',
        'flake_time(bigint)': 'snoflax.flake_time(flake_bigint)',
        'uid_time(uuid)': 'snoflax.uid_time(uid_uuid)',
        'uid_local_time(bigint)': 'snoflax.uid_local_time(uid_local_bigint)',
        'UUIDv7, native': 'uuid_extract_timestamp(uuid)',
        'UUIDv7 in SQL': 'sql_uuidv7_time(uuid)',
      },
      ['UUIDv7 in SQL', 'flax_time(bytea)'],
      { 'flax_time(bytea)': { 'flax_time(uuid)': 2 } },
    )),
  }),
}

export const bounds: Section<Place> = {
  name: 'pg-bounds',
  run: async ({ session }) => ({
    title: 'The smallest id of a time in PostgreSQL',
    about: 'From timestamptz to the column. The UUIDv7 is not checked.',
    ...(await compareOverSamples(
      session,
      {
        'flax_lower_bound()': 'snoflax.flax_lower_bound(at)',
        'flax_lower_bound_uuid()': 'snoflax.flax_lower_bound_uuid(at)',
        'flax_lower_bound_text()': 'snoflax.flax_lower_bound_text(at)',
        'sno_lower_bound()': 'snoflax.sno_lower_bound(at)',
        'sno_lower_bound_uuid()': 'snoflax.sno_lower_bound_uuid(at)',
        'flake_lower_bound_bigint()': 'snoflax.flake_lower_bound_bigint(at)',
        'uid_lower_bound_uuid()': 'snoflax.uid_lower_bound_uuid(at)',
        'uid_local_lower_bound_bigint()': 'snoflax.uid_local_lower_bound_bigint(at)',
        'UUIDv7 in SQL': 'sql_uuidv7_bound(at)',
      },
      ['UUIDv7 in SQL'],
    )),
  }),
}
