-- UUIDv7, and ULID and TypeID, which are texts of 16 bytes of the same kind. They are stored as uuid. Needs shared.sql.

SET LOCAL search_path = pg_catalog, pg_temp;

-- 48 bits of Unix milliseconds first -------------------------------------------------------------------------------------

-- The uuid of a millisecond and the 20 hex digits behind it.
CREATE OR REPLACE FUNCTION snoflax._uuid_of_ms(unix_ms bigint, rest text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (lpad(to_hex(unix_ms), 12, '0') || rest)::uuid;

-- The millisecond of an id to be made.
CREATE OR REPLACE FUNCTION snoflax._ms_of_uuid(at timestamptz, caller text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
BEGIN
  IF us NOT BETWEEN -946684800000000 AND 280528291910655999 THEN
    RAISE EXCEPTION '%: % is outside 1970-01-01 00:00:00Z to 10889-08-02 05:31:50.655999Z', caller, at
      USING ERRCODE = '22008';
  END IF;
  RETURN (us + 946684800000000) / 1000;
END $$;

CREATE OR REPLACE FUNCTION snoflax._time_of_uuid(id uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := uuid_send(id);
BEGIN
  RETURN snoflax._far_moment(snoflax._read48(bytes, 0));
END $$;

CREATE OR REPLACE FUNCTION snoflax._uuid_lower_bound(at timestamptz, rest text, caller text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
BEGIN
  IF us > 280528291910655000 THEN
    RAISE EXCEPTION '%: % is after 10889-08-02 05:31:50.655Z', caller, at USING ERRCODE = '22008';
  END IF;
  RETURN snoflax._uuid_of_ms(greatest(snoflax._unix_ms(us), 0::bigint), rest);
END $$;

-- An end of *_between, which the planner replaces by the comparisons; it must not be STRICT for that. After the last moment
-- a range has no upper end, or nothing in it: its end is above all ids there.
CREATE OR REPLACE FUNCTION snoflax._uuid_end(at timestamptz, rest text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 280528291910655000 THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax._uuid_lower_bound(at, rest, ''::text);
END $$;

-- UUIDv7 --------------------------------------------------------------------------------------------------------------

-- The server's own from version 18 on, whose ids are in order within a session. Before, the millisecond and the random
-- digits of a UUIDv4 are put together: its variant is right already, and no two are ordered within a millisecond.
DO $do$ BEGIN
  IF current_setting('server_version_num')::integer >= 180000 THEN
    EXECUTE 'CREATE OR REPLACE FUNCTION snoflax.uuid7_generate() RETURNS uuid
      LANGUAGE sql VOLATILE PARALLEL UNSAFE RETURN uuidv7()';
  ELSE
    EXECUTE $function$
      CREATE OR REPLACE FUNCTION snoflax.uuid7_generate() RETURNS uuid
      LANGUAGE sql VOLATILE PARALLEL UNSAFE
      RETURN (lpad(to_hex(snoflax._clock_us() / 1000), 12, '0') || '7' || substr(gen_random_uuid()::text, 16))::uuid
    $function$;
  END IF;
END $do$;

CREATE OR REPLACE FUNCTION snoflax.uuid7_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(uuid_send(id), 'hex') COLLATE "C" ~ '^.{12}7...[89ab]';

CREATE OR REPLACE FUNCTION snoflax.uuid7_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id COLLATE "C" ~ '^([a-z]([a-z0-9_]*[a-z0-9])?_)?[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' AND octet_length(id) <= 100;

CREATE OR REPLACE FUNCTION snoflax._uuid7_of_text(id text, caller text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(id) = 36 AND snoflax.uuid7_is_valid(id) THEN
    RETURN id::uuid;
  END IF;
  RAISE EXCEPTION '%: "%" is not the text of a UUIDv7, xxxxxxxx-xxxx-7xxx-[89ab]xxx-xxxxxxxxxxxx in lower case',
    caller, left(id, 48) USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax._uuid7(id uuid, caller text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := uuid_send(id);
BEGIN
  IF (get_byte(bytes, 6) >> 4) = 7 AND (get_byte(bytes, 8) >> 6) = 2 THEN
    RETURN id;
  END IF;
  RAISE EXCEPTION '%: % is not a UUIDv7', caller, id USING ERRCODE = '22P02';
END $$;

COMMENT ON FUNCTION snoflax.uuid7_generate() IS 'A new UUIDv7: uuidv7() from PostgreSQL 18 on.';
COMMENT ON FUNCTION snoflax.uuid7_is_valid(uuid) IS 'Whether it is a UUIDv7.';
COMMENT ON FUNCTION snoflax.uuid7_is_valid(text) IS 'Whether it is the text of a UUIDv7, in lower case.';

-- Crockford's base 32 --------------------------------------------------------------------------------------------------

-- The ASCII codes of 8 digits of Crockford's base 32, one a byte. `letters` is how far the first letter's code is above
-- the one behind 9: 7 in upper case, 39 in lower case.
CREATE OR REPLACE FUNCTION snoflax._crockford_codes(digits bigint, letters bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN digits + 3472328296227680304
  + (((digits + 3906369333256140342) >> 6) & 72340172838076673) * letters
  + (((digits + 3327647950551526958) >> 6) & 72340172838076673)
  + (((digits + 3182967604875373612) >> 6) & 72340172838076673)
  + (((digits + 3038287259199220266) >> 6) & 72340172838076673)
  + (((digits + 2676586395008836901) >> 6) & 72340172838076673);

CREATE OR REPLACE FUNCTION snoflax._crockford(id uuid, letters bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := uuid_send(id);
  digits0 bigint := ((get_byte(bytes, 0) >> 5) << 8) | (get_byte(bytes, 0) & 31);
  digits1 bigint := snoflax._read40(bytes, 1);
  digits2 bigint := snoflax._read40(bytes, 6);
  digits3 bigint := snoflax._read40(bytes, 11);
BEGIN
  digits1 := snoflax._spread5(digits1);
  digits2 := snoflax._spread5(digits2);
  digits3 := snoflax._spread5(digits3);
  RETURN encode(substring(int8send(snoflax._crockford_codes(digits0, letters)), 7)
    || int8send(snoflax._crockford_codes(digits1, letters)) || int8send(snoflax._crockford_codes(digits2, letters))
    || int8send(snoflax._crockford_codes(digits3, letters)), 'escape');
END $$;

-- 8 characters as 40 bits; `digits` has the digit of each code.
CREATE OR REPLACE FUNCTION snoflax._crockford_bits(ascii bytea, start integer, digits bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (get_byte(digits, get_byte(ascii, start + 0))::bigint << 35)  | (get_byte(digits, get_byte(ascii, start + 1))::bigint << 30)
  | (get_byte(digits, get_byte(ascii, start + 2))::bigint << 25)  | (get_byte(digits, get_byte(ascii, start + 3))::bigint << 20)
  | (get_byte(digits, get_byte(ascii, start + 4))::bigint << 15)  | (get_byte(digits, get_byte(ascii, start + 5))::bigint << 10)
  | (get_byte(digits, get_byte(ascii, start + 6))::bigint << 5)  | get_byte(digits, get_byte(ascii, start + 7));

-- The caller knows that the text is 26 digits, in either case, and no more than 128 bits.
CREATE OR REPLACE FUNCTION snoflax._crockford_uuid(id text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := convert_to(id, 'UTF8'::name);
  digits CONSTANT bytea := decode(
      '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' ||
      '00010203040506070809000000000000000a0b0c0d0e0f101100121300141500161718191a001b1c1d1e1f0000000000' ||
      '000a0b0c0d0e0f101100121300141500161718191a001b1c1d1e1f0000000000', 'hex');
  head bigint := (get_byte(digits, get_byte(ascii, 0)) << 5) | get_byte(digits, get_byte(ascii, 1));
BEGIN
  RETURN encode(substring(int8send(head), 8)
    || substring(int8send(snoflax._crockford_bits(ascii, 2, digits)), 4)
    || substring(int8send(snoflax._crockford_bits(ascii, 10, digits)), 4)
    || substring(int8send(snoflax._crockford_bits(ascii, 18, digits)), 4), 'hex')::uuid;
END $$;

-- ULID ----------------------------------------------------------------------------------------------------------------

-- 80 random bits: a UUIDv4 has 20 random hex digits around the 16 characters in which version and variant are.
CREATE OR REPLACE FUNCTION snoflax.ulid_generate() RETURNS uuid
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
  RETURN snoflax._uuid_of_ms(snoflax._clock_us() / 1000, overlay(gen_random_uuid()::text PLACING ''::text FROM 9 FOR 16));
END $$;

CREATE OR REPLACE FUNCTION snoflax.ulid_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id COLLATE "C" ~ '^([a-z]([a-z0-9_]*[a-z0-9])?_)?[0-7][0-9A-HJKMNP-TV-Z]{25}$' AND octet_length(id) <= 90;

CREATE OR REPLACE FUNCTION snoflax._ulid_uuid(id text, caller text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(id) = 26 AND snoflax.ulid_is_valid(id) THEN
    RETURN snoflax._crockford_uuid(id);
  END IF;
  RAISE EXCEPTION '%: "%" is not a ULID, which has 26 characters of 0123456789ABCDEFGHJKMNPQRSTVWXYZ, 0 to 7 first',
    caller, left(id, 48) USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax.ulid_encode(id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._crockford(id, 7);

CREATE OR REPLACE FUNCTION snoflax.ulid_decode(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._ulid_uuid(id, 'ulid_decode');

CREATE OR REPLACE FUNCTION snoflax.ulid_lower_bound_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._crockford(snoflax._uuid_lower_bound(at, '00000000000000000000', 'ulid_lower_bound_text'), 7);

COMMENT ON FUNCTION snoflax.ulid_generate() IS 'A new ULID as uuid; its 80 random bits don''t order the ids of a millisecond.';
COMMENT ON FUNCTION snoflax.ulid_is_valid(text) IS 'Whether it is the text of a ULID, with or without a prefix. Every uuid is one.';
COMMENT ON FUNCTION snoflax.ulid_encode(uuid) IS 'The text of a ULID that is stored as uuid.';
COMMENT ON FUNCTION snoflax.ulid_decode(text) IS 'The text of a ULID as uuid; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.ulid_lower_bound_text(timestamptz) IS
  'The smallest ULID whose time is at or after this time, as text; 22008 after the last time.';

-- TypeID --------------------------------------------------------------------------------------------------------------

-- A column holds the UUIDv7, or the text with its prefix.

CREATE OR REPLACE FUNCTION snoflax._typeid_prefix(prefix text, caller text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF prefix COLLATE "C" ~ '^[a-z]([a-z_]{0,61}[a-z])?$'::text THEN
    RETURN prefix || '_'::text;
  END IF;
  RAISE EXCEPTION '%: a prefix must have 1 to 63 of a-z and _, and begin and end with a letter, not "%"', caller, left(prefix, 80)
    USING ERRCODE = '22023';
END $$;

CREATE OR REPLACE FUNCTION snoflax.typeid_encode(id uuid, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._typeid_prefix(prefix, 'typeid_encode') || snoflax._crockford(id, 39);

CREATE OR REPLACE FUNCTION snoflax.typeid_decode(id text, prefix text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  head text := snoflax._typeid_prefix(prefix, 'typeid_decode'::text);
  suffix text := substr(id, char_length(head) + 1);
BEGIN
  IF starts_with(id, head) AND suffix COLLATE "C" ~ '^[0-7][0-9a-hjkmnp-tv-z]{25}$'::text THEN
    RETURN snoflax._crockford_uuid(suffix);
  END IF;
  RAISE EXCEPTION
    'typeid_decode: "%" is not a TypeID of "%", which has % and 26 characters of 0123456789abcdefghjkmnpqrstvwxyz, 0 to 7 first',
    left(id, 96), prefix, head USING ERRCODE = '22P02';
END $$;

-- The UUID behind any prefix, or none.
CREATE OR REPLACE FUNCTION snoflax._typeid_uuid(id text, caller text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF id COLLATE "C" ~ '^([a-z]([a-z_]{0,61}[a-z])?_)?[0-7][0-9a-hjkmnp-tv-z]{25}$'::text THEN
    RETURN snoflax._crockford_uuid(right(id, 26));
  END IF;
  RAISE EXCEPTION '%: "%" is not a TypeID, which is a prefix, _, and 26 characters of 0123456789abcdefghjkmnpqrstvwxyz, 0 to 7 first',
    caller, left(id, 96) USING ERRCODE = '22P02';
END $$;

-- Not STRICT, as the planner would then not put the body in place of the call, and the prefix would be checked each time.
CREATE OR REPLACE FUNCTION snoflax.typeid_generate(prefix text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax._typeid_prefix(prefix, 'typeid_generate') || snoflax._crockford(snoflax.uuid7_generate(), 39::bigint);

-- Character 11 contains the version, 7, and one bit more; character 14 the variant, 10, behind one bit and before two.
CREATE OR REPLACE FUNCTION snoflax.typeid_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id COLLATE "C"
  ~ '^([a-z]([a-z_]*[a-z])?_)?[0-7][0-9a-hjkmnp-tv-z]{9}[ef][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$'::text
  AND octet_length(id) <= 90;

COMMENT ON FUNCTION snoflax.typeid_is_valid(text) IS 'Whether it is a TypeID of a UUIDv7, with or without a prefix.';
COMMENT ON FUNCTION snoflax.typeid_encode(uuid, text) IS
  'The TypeID of a UUID of any version: prefix, _, and 26 characters; 22023 for a prefix that TypeID does not allow.';
COMMENT ON FUNCTION snoflax.typeid_decode(text, text) IS
  'The UUID of a TypeID; 22P02 if it is none, or has another prefix, 22023 for a prefix that TypeID does not allow.';
COMMENT ON FUNCTION snoflax.typeid_generate(text) IS
  'A new TypeID with that prefix, from uuid7_generate(); 22023 for a prefix that TypeID does not allow.';

-- All three ------------------------------------------------------------------------------------------------------------

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_generate_uuid() RETURNS uuid
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$ BEGIN RETURN {new uuid}; END $$;
COMMENT ON FUNCTION snoflax.{form}_generate_uuid() IS 'A new {id} for uuid columns, by the name that the ORM packages call.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_generate_text() RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$ BEGIN RETURN {new text}; END $$;
COMMENT ON FUNCTION snoflax.{form}_generate_text() IS 'A new {id} as text, without a prefix.';

-- [each: uuid7 ulid]
CREATE OR REPLACE FUNCTION snoflax.{form}_generate_at(at timestamptz) RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN snoflax._uuid_of_ms(snoflax._ms_of_uuid(at, '{form}_generate_at'), {random});
COMMENT ON FUNCTION snoflax.{form}_generate_at(timestamptz) IS
  'A new {id} with this time, rounded down to its millisecond; 22008 outside 1970 to 10889.';

CREATE OR REPLACE FUNCTION snoflax.typeid_generate_at(at timestamptz, prefix text) RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN snoflax._typeid_prefix(prefix, 'typeid_generate_at') || snoflax._crockford(snoflax.uuid7_generate_at(at), 39);
COMMENT ON FUNCTION snoflax.typeid_generate_at(timestamptz, text) IS
  'A new TypeID with this time, rounded down to its millisecond; 22008 outside 1970 to 10889.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_time(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._time_of_uuid({checked uuid});
COMMENT ON FUNCTION snoflax.{form}_time(uuid) IS 'When the {id} was made, to the millisecond{refusal of uuid}.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_time(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._time_of_uuid({checked text});
COMMENT ON FUNCTION snoflax.{form}_time(text) IS 'When the {id}, with or without a prefix, was made, to the millisecond; 22P02 if it is none.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_lower_bound(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uuid_lower_bound(at, {rest}, '{form}_lower_bound');
COMMENT ON FUNCTION snoflax.{form}_lower_bound(timestamptz) IS
  'The uuid of the smallest {id} whose time is at or after this time; 22008 after the last time.';

-- [each: uuid7 ulid]
CREATE OR REPLACE FUNCTION snoflax._{form}_end(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uuid_end(at, {rest});

CREATE OR REPLACE FUNCTION snoflax.uuid7_lower_bound_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uuid_lower_bound(at, '70008000000000000000', 'uuid7_lower_bound_text')::text;
COMMENT ON FUNCTION snoflax.uuid7_lower_bound_text(timestamptz) IS
  'The text of the smallest UUIDv7 whose time is at or after this time; 22008 after the last time.';

CREATE OR REPLACE FUNCTION snoflax._uuid7_end_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uuid7_end(at)::text;

CREATE OR REPLACE FUNCTION snoflax._ulid_end_text(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 280528291910655000 THEN
    RETURN '~'::text;
  END IF;
  RETURN snoflax.ulid_lower_bound_text(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax._typeid_end_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._crockford(snoflax._uuid7_end(at), 39::bigint);

-- Of all uuids the largest alone is in no range, since none is above it.
-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_between(id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax.{end}(from_time) AND id < snoflax.{end}(until_time);
COMMENT ON FUNCTION snoflax.{form}_between(uuid, timestamptz, timestamptz) IS
  'Whether the {id} was generated at or after from_time and before until_time. Uses the index and partitions.{others}';

-- [each: uuid7 ulid]
CREATE OR REPLACE FUNCTION snoflax.{form}_between(id text, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._{form}_end_text(from_time) AND id COLLATE "C" < snoflax._{form}_end_text(until_time);
COMMENT ON FUNCTION snoflax.{form}_between(text, timestamptz, timestamptz) IS
  'The same of a text column, whose index and partitions are used if it is COLLATE "C".';

-- With prefixes -------------------------------------------------------------------------------------------------------

-- [each: uuid7 ulid]
CREATE OR REPLACE FUNCTION snoflax.{form}_encode(id uuid, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, '{form}_encode') || {encoded};
COMMENT ON FUNCTION snoflax.{form}_encode(uuid, text) IS
  'The text of a {id} behind a prefix and _; 22023 for a malformed prefix{refusal of uuid}.';

-- [each: uuid7 ulid]
CREATE OR REPLACE FUNCTION snoflax.{form}_decode(id text, prefix text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.{of text}(snoflax._without_prefix(snoflax._check_prefix(prefix, '{form}_decode'::text), id, '{form}_decode'::text), '{form}_decode');
COMMENT ON FUNCTION snoflax.{form}_decode(text, text) IS
  'The uuid of such a text; 22P02 if it is none, or has another prefix, 22023 for a malformed prefix.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_is_valid(id text, prefix text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN starts_with(id, snoflax.{check prefix}(prefix, '{form}_is_valid'::text)) 
  AND char_length(id) = char_length(prefix) + 1 + {characters} AND snoflax.{form}_is_valid(id);
COMMENT ON FUNCTION snoflax.{form}_is_valid(text, text) IS
  'Whether it is a {id} behind that prefix; 22023 for a malformed prefix.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_lower_bound_text(at timestamptz, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.{check prefix}(prefix, '{form}_lower_bound_text'::text) || {bound as text};
COMMENT ON FUNCTION snoflax.{form}_lower_bound_text(timestamptz, text) IS
  'The smallest {id} behind that prefix whose time is at or after this time; 22008 after the last time.';

-- [each: uuid7 ulid typeid]
CREATE OR REPLACE FUNCTION snoflax.{form}_between(
  id text, from_time timestamptz, until_time timestamptz, prefix text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax.{check prefix}(prefix, '{form}_between'::text) || snoflax._{form}_end_text(from_time)
  AND id COLLATE "C" < snoflax.{check prefix}(prefix, '{form}_between'::text) || snoflax._{form}_end_text(until_time);
COMMENT ON FUNCTION snoflax.{form}_between(text, timestamptz, timestamptz, text) IS
  'Whether the {id}, stored as text behind that prefix, was generated at or after from_time and before until_time. Uses the '
  'index and partitions of a column COLLATE "C".';

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.uuid7_partman_decode(key text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uuid7_time(key);

-- pg_partman gives keys as text, those of a uuid column too.
CREATE OR REPLACE FUNCTION snoflax.ulid_partman_decode(key text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN char_length(key) = 36 AND key ~ '-' THEN snoflax.ulid_time(key::uuid) ELSE snoflax.ulid_time(key) END;

COMMENT ON FUNCTION snoflax.uuid7_partman_decode(text) IS 'p_time_decoder of pg_partman for uuid7 keys.';
COMMENT ON FUNCTION snoflax.ulid_partman_decode(text) IS 'p_time_decoder of pg_partman for ULIDs.';
