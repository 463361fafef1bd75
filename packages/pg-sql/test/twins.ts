const FLAX = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const UID = '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const SNO = '23456789abcdefghijklmnopqrstuvwx'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Text of 6 bits a character by base64. */
const base64 = (family: string, alphabet: string): string => `
  CREATE FUNCTION twin.${family}_encode(id bytea) RETURNS text LANGUAGE sql AS $$
    SELECT rtrim(translate(encode(id, 'base64'), '${BASE64}=', '${alphabet}'), '=') $$;
  CREATE FUNCTION twin.${family}_decode(id text) RETURNS bytea LANGUAGE sql AS $$
    SELECT decode(rpad(translate(id, '${alphabet}', '${BASE64}'), (char_length(id) + 3) / 4 * 4, '='), 'base64')
     WHERE id COLLATE "C" ~ '^[${alphabet.slice(0, 1)}0-9A-Z_a-z]+$' $$;`

/** UUIDv8 out of hex digits. */
const uuid8 = (family: string, tag: number): string => `
  CREATE FUNCTION twin.${family}_to_uuid8(id bytea) RETURNS uuid LANGUAGE sql AS $$
    SELECT (regexp_replace(rpad(encode(id, 'hex'), 28, '0'), '^(.{12})(...)', '\\18\\28') || '0${tag}')::uuid $$;`

/** Bits of the id as a number. */
const bits = (from: number, length: number, size: number): string =>
  `substring(('x' || encode(id, 'hex'))::bit(${size}) FROM ${from + 1} FOR ${length})::bit(${length})::bigint`

const time = (family: string, unixMs: string): string => `
  CREATE FUNCTION twin.${family}_time(id bytea) RETURNS timestamptz LANGUAGE sql AS $$
    SELECT timestamptz '1970-01-01Z' + make_interval(days => (ms / 86400000)::integer)
      + (ms % 86400000) * interval '1 millisecond' FROM (SELECT ${unixMs} AS ms) AS one $$;`

/** Milliseconds since the epoch, rounded up and not below 0, in numeric. */
const sinceEpoch = (epochMs: number): string =>
  `greatest(ceil(extract(epoch FROM at) * 1000 - ${epochMs}), 0)`

const hexOf = (number: string, digits: number): string => `lpad(to_hex((${number})::bigint), ${digits}, '0')`

const bound = (family: string, hex: string): string => `
  CREATE FUNCTION twin.${family}_lower_bound(at timestamptz) RETURNS bytea LANGUAGE sql AS $$
    SELECT decode(${hex}, 'hex') $$;`

const EPOCH_FLAX = Date.UTC(2015, 0, 1)
const EPOCH_SNO = Date.UTC(2010, 0, 1)

const uidMs = (seconds: string, step: string): string =>
  `(${bits(0, 20, 96)} * 1000000 + ${seconds}) * 1000 + (${step}) * 1024 / 1000`

const uidBound = (node: string): string => {
  const ms = sinceEpoch(0)
  return `(SELECT ${hexOf('ms / 1000000000', 5)} || ${node} FROM (SELECT (${ms})::bigint AS ms) AS one)`
}

const steps = '(ms % 1000 * 1000 + 1023) / 1024 * 16384'

export const TWINS = `
  CREATE SCHEMA twin;
  ${base64('flax', FLAX)} ${base64('uid', UID)} ${base64('uid_local', UID)}
  CREATE FUNCTION twin.sno_encode(id bytea) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(substr('${SNO}', 1 +
      substring(('x' || encode(id, 'hex'))::bit(80) FROM n * 5 + 1 FOR 5)::bit(5)::integer, 1), '' ORDER BY n)
      FROM generate_series(0, 15) AS n $$;
  CREATE FUNCTION twin.sno_decode(id text) RETURNS bytea LANGUAGE sql AS $$
    SELECT decode(string_agg(lpad(to_hex(value), 5, '0'), '' ORDER BY quad), 'hex') FROM (
      SELECT (n - 1) / 4 AS quad,
        sum((position(substr(id, n, 1) IN '${SNO}') - 1) << (5 * (3 - (n - 1) % 4)))::bigint AS value
        FROM generate_series(1, 16) AS n GROUP BY 1) AS quads $$;
  CREATE FUNCTION twin.flake_encode(id bytea) RETURNS text LANGUAGE sql AS $$
    SELECT sum(get_byte(id, n) * 256::numeric ^ (7 - n))::numeric(20)::text FROM generate_series(0, 7) AS n $$;
  CREATE FUNCTION twin.flake_decode(id text) RETURNS bytea LANGUAGE sql AS $$
    SELECT decode(string_agg(lpad(to_hex((div(id::numeric, 256::numeric ^ n) % 256)::integer), 2, '0'), ''
      ORDER BY n DESC), 'hex') FROM generate_series(0, 7) AS n $$;
  ${uuid8('flax', 1)} ${uuid8('sno', 2)} ${uuid8('flake', 3)} ${uuid8('uid', 4)} ${uuid8('uid_local', 5)}
  ${time('flax', `${bits(0, 40, 96)} + ${EPOCH_FLAX}`)}
  ${time('sno', `${bits(0, 39, 80)} * 4 + ${EPOCH_SNO}`)}
  ${time('flake', bits(0, 42, 64))}
  ${time('uid', uidMs(`(${bits(20, 12, 96)} * 256 + ${bits(64, 8, 96)})`, bits(72, 10, 96)))}
  ${time('uid_local', uidMs(bits(20, 20, 64), bits(40, 10, 64)).replaceAll('bit(96)', 'bit(64)'))}
  ${bound('flax', `${hexOf(sinceEpoch(EPOCH_FLAX), 10)} || repeat('0', 14)`)}
  ${bound('sno', `${hexOf(`ceil(${sinceEpoch(EPOCH_SNO)} / 4) * 2`, 10)} || repeat('0', 10)`)}
  ${bound('flake', `${hexOf(`${sinceEpoch(0)} * 4`, 11)} || repeat('0', 5)`)}
  ${bound(
    'uid',
    uidBound(`${hexOf('ms / 1000 % 1000000 / 256', 3)} || repeat('0', 8) || ${hexOf('ms / 1000 % 1000000 % 256', 2)}
      || ${hexOf(steps, 6)}`),
  )}
  ${bound('uid_local', uidBound(`${hexOf('ms / 1000 % 1000000', 5)} || ${hexOf(steps, 6)}`))}
`
