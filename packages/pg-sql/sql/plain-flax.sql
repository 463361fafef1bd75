-- flax for servers without PL/pgSQL, sequences, types, DO and CREATE EXTENSION: these functions are single SQL expressions,
-- one statement each, for a server may take one definition a transaction. They have the names and give the values of
-- flax.sql, for bytea, uuid and text. What cannot be is refused by a cast that fails: 22P02, with the reason in its text.

CREATE SCHEMA IF NOT EXISTS snoflax;

-- Operators and functions are bound here, once and for all; the last statement restores the session's path.
SELECT pg_catalog.set_config('snoflax.search_path', pg_catalog.current_setting('search_path'), false);
SET search_path = pg_catalog, pg_temp;

CREATE OR REPLACE FUNCTION snoflax._refuse(reason text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN reason::bigint;

-- Text, bytes, uuid ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" ~ '^([a-z]([a-z0-9_]*[a-z0-9])?_)?[-0-9A-Z_a-z]{16}$' AND octet_length(id) <= 80;

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(uuid_send(id), 'escape') COLLATE "C" !~ '[^-0-9A-Z_a-z]';

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN octet_length(id) = {flax.bytes};

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(id) = {flax.bytes}
  THEN translate(encode(id, 'base64'),
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
    '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz')
  ELSE snoflax._refuse('flax_encode: a flax has 12 bytes, not ' || octet_length(id)::text)::text END;

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id uuid) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN encode(uuid_send(id), 'escape') COLLATE "C" !~ '[^-0-9A-Z_a-z]'
  THEN encode(uuid_send(id), 'escape')
  ELSE snoflax._refuse('flax_encode: the bytes of ' || id::text || ' are not the 16 characters of a flax')::text END;

CREATE OR REPLACE FUNCTION snoflax.flax_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(id) = {flax.characters} AND id COLLATE "C" !~ '[^-0-9A-Z_a-z]'
  THEN decode(translate(id,
    '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'), 'base64')
  ELSE int8send(snoflax._refuse('flax_decode: "' || left(id, 48) || '" is not 16 characters of -, 0-9, A-Z, _, a-z')) END;

CREATE OR REPLACE FUNCTION snoflax.flax_to_uuid(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(convert_to(snoflax.flax_encode(id), 'UTF8'::name), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.flax_to_uuid(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_to_uuid(snoflax.flax_decode(id));

CREATE OR REPLACE FUNCTION snoflax.flax_from_uuid(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_decode(snoflax.flax_encode(id));

-- Prefixes ------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._check_prefix(prefix text, caller text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN prefix COLLATE "C" ~ '^[a-z]([a-z0-9_]{0,61}[a-z0-9])?$' THEN prefix || '_'
  ELSE snoflax._refuse(caller || ': a prefix must have 1 to 63 of a-z, 0-9 and _, begin with a letter and not end with _, not "'
    || left(prefix, 80) || '"')::text END;

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id bytea, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flax_encode') || snoflax.flax_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id text, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_encode(snoflax.flax_decode(id), prefix);

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id uuid, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flax_encode') || snoflax.flax_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flax_decode(id text, prefix text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN starts_with(id, snoflax._check_prefix(prefix, 'flax_decode'))
  THEN snoflax.flax_decode(substr(id, char_length(prefix) + 2))
  ELSE int8send(snoflax._refuse('flax_decode: an id must begin with "' || prefix || '_", not "' || left(id, 80) || '"'))
  END;

-- Time ----------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flax_time(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(id) = {flax.bytes}
  THEN to_timestamp((('x' || encode(id, 'hex'))::bit({flax.time.bits})::bigint + {flax.epochMs})
    / 1000.0::double precision)
  ELSE to_timestamp(snoflax._refuse('flax_time: a flax has 12 bytes, not ' || octet_length(id)::text)::double precision)
  END;

CREATE OR REPLACE FUNCTION snoflax.flax_time(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_time(snoflax.flax_decode(
  CASE WHEN left(id, -{flax.characters}) COLLATE "C" ~ '^[a-z]([a-z0-9_]{0,61}[a-z0-9])?_$' THEN right(id, {flax.characters}) ELSE id END));

CREATE OR REPLACE FUNCTION snoflax.flax_time(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_time(snoflax.flax_from_uuid(id));

-- Microseconds since 2000, exact; the infinities are the ends of bigint.
CREATE OR REPLACE FUNCTION snoflax._us_since_2000(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('x' || encode(timestamptz_send(at), 'hex'))::bit(64)::bigint;

-- Milliseconds since 2015, rounded up, before 7 bytes of zero. -infinity less 2015 would overflow.
CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN snoflax._us_since_2000(at) <= {flax.epochUs2000} THEN decode(repeat('00', {flax.bytes}), 'hex')
  WHEN at <= timestamptz {flax.lastMoment}
  THEN substring(int8send((snoflax._us_since_2000(at) - {flax.epochUs2000} + 999) / 1000) from 4) || decode('00000000000000', 'hex')
  ELSE int8send(snoflax._refuse('flax_lower_bound: ' || snoflax._us_since_2000(at)::text
    || ' microseconds after 2000 are after the last time of a flax, ' || {flax.lastMoment})) END;

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_encode(snoflax.flax_lower_bound(at));

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_to_uuid(snoflax.flax_lower_bound(at));

-- The ends of ranges: what is above all ids for a moment after their last.
CREATE OR REPLACE FUNCTION snoflax._flax_end_binary(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN at > timestamptz {flax.lastMoment} THEN decode(repeat('ff', 13), 'hex')
  ELSE snoflax.flax_lower_bound(at) END;

CREATE OR REPLACE FUNCTION snoflax._flax_end_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN at > timestamptz {flax.lastMoment} THEN '~' ELSE snoflax.flax_lower_bound_text(at) END;

CREATE OR REPLACE FUNCTION snoflax._flax_end_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN at > timestamptz {flax.lastMoment} THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
  ELSE snoflax.flax_lower_bound_uuid(at) END;

CREATE OR REPLACE FUNCTION snoflax.flax_between(id bytea, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flax_end_binary(from_time) AND id < snoflax._flax_end_binary(until_time);

CREATE OR REPLACE FUNCTION snoflax.flax_between(id text, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._flax_end_text(from_time) AND id COLLATE "C" < snoflax._flax_end_text(until_time);

CREATE OR REPLACE FUNCTION snoflax.flax_between(id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flax_end_uuid(from_time) AND id < snoflax._flax_end_uuid(until_time);

-- Of texts with a prefix -----------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id text, prefix text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN starts_with(id, snoflax._check_prefix(prefix, 'flax_is_valid')) AND char_length(id) - char_length(prefix) = 17
  AND snoflax.flax_is_valid(substr(id, char_length(prefix) + 2));

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound_text(at timestamptz, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flax_lower_bound_text') || snoflax.flax_lower_bound_text(at);

CREATE OR REPLACE FUNCTION snoflax.flax_between(
  id text, from_time timestamptz, until_time timestamptz, prefix text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._check_prefix(prefix, 'flax_between') || snoflax._flax_end_text(from_time)
  AND id COLLATE "C" < snoflax._check_prefix(prefix, 'flax_between') || snoflax._flax_end_text(until_time);

-- Generators ----------------------------------------------------------------------------------------------------------

-- The upper 40 bits are milliseconds since 2015; outside the family's span the product overflows, which is an error.
CREATE OR REPLACE FUNCTION snoflax.flax_generate() RETURNS bytea
LANGUAGE sql VOLATILE
RETURN substring(int8send((((date_part('epoch', clock_timestamp()) * 1000000)::bigint / 1000 - {flax.middleMs})
  * 16777216) # (-9223372036854775808)), 1, 5) || substring(uuid_send(gen_random_uuid()), 10);

-- Not by flax_encode(), whose argument a server that puts its text in place of the call would take twice.
CREATE OR REPLACE FUNCTION snoflax.flax_generate_text() RETURNS text
LANGUAGE sql VOLATILE
RETURN translate(encode(snoflax.flax_generate(), 'base64'),
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');

CREATE OR REPLACE FUNCTION snoflax.flax_generate_uuid() RETURNS uuid
LANGUAGE sql VOLATILE
RETURN encode(convert_to(snoflax.flax_generate_text(), 'UTF8'::name), 'hex')::uuid;

SELECT set_config('search_path', current_setting('snoflax.search_path'), false);
