-- UUIDv7, and ULID and TypeID, which are texts of 16 bytes of the same kind. They are stored as uuid. Needs shared.sql.

SET LOCAL search_path = pg_catalog, pg_temp;

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

CREATE OR REPLACE FUNCTION snoflax.uuid7_generate_uuid() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.uuid7_generate();

CREATE OR REPLACE FUNCTION snoflax.uuid7_generate_at(at timestamptz) RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
BEGIN
  IF us NOT BETWEEN -946684800000000 AND 280528291910655999 THEN
    RAISE EXCEPTION 'uuid7_generate_at: % is outside 1970-01-01 00:00:00Z to 10889-08-02 05:31:50.655999Z', at
      USING ERRCODE = '22008';
  END IF;
  RETURN (lpad(to_hex((us + 946684800000000) / 1000), 12, '0'::text) || '7'::text
    || substr(gen_random_uuid()::text, 16))::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.uuid7_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(uuid_send(id), 'hex') COLLATE "C" ~ '^.{12}7...[89ab]';

CREATE OR REPLACE FUNCTION snoflax.uuid7_time(id uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := uuid_send(id);
BEGIN
  IF (get_byte(bytes, 6) >> 4) <> 7 OR (get_byte(bytes, 8) >> 6) <> 2 THEN
    RAISE EXCEPTION 'uuid7_time: % is not a UUIDv7 and has no time', id USING ERRCODE = '22P02';
  END IF;
  RETURN snoflax._far_moment(snoflax._read48(bytes, 0));
END $$;

CREATE OR REPLACE FUNCTION snoflax.uuid7_lower_bound(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
BEGIN
  IF us > 280528291910655000 THEN
    RAISE EXCEPTION 'uuid7_lower_bound: % is after 10889-08-02 05:31:50.655Z', at USING ERRCODE = '22008';
  END IF;
  RETURN (lpad(to_hex(greatest(snoflax._unix_ms(us), 0::bigint)), 12, '0'::text) || '70008000000000000000'::text)::uuid;
END $$;

-- The planner puts the comparisons in place of the call, for which it must not be STRICT. After the last moment a range has
-- no upper end, or nothing in it: its end is above all ids there.
CREATE OR REPLACE FUNCTION snoflax._uuid7_end(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 280528291910655000 THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.uuid7_lower_bound(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uuid7_between(id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._uuid7_end(from_time) AND id < snoflax._uuid7_end(until_time);

CREATE OR REPLACE FUNCTION snoflax.uuid7_partman_encode_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uuid7_lower_bound(at);

CREATE OR REPLACE FUNCTION snoflax.uuid7_partman_decode(key text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uuid7_time(key::uuid);

COMMENT ON FUNCTION snoflax.uuid7_generate() IS 'A new UUIDv7: uuidv7() from PostgreSQL 18 on.';
COMMENT ON FUNCTION snoflax.uuid7_generate_uuid() IS 'The same as uuid7_generate(), by the name that the ORM packages call.';
COMMENT ON FUNCTION snoflax.uuid7_generate_at(timestamptz) IS
  'A new UUIDv7 of that moment, whose fraction of a millisecond is cut off; 22008 outside 1970 to 10889.';
COMMENT ON FUNCTION snoflax.uuid7_is_valid(uuid) IS 'Whether it is a UUIDv7.';
COMMENT ON FUNCTION snoflax.uuid7_time(uuid) IS
  'When the UUIDv7 was made, to the millisecond; 22P02 for UUIDs of other versions.';
COMMENT ON FUNCTION snoflax.uuid7_lower_bound(timestamptz) IS
  'The smallest UUIDv7 whose time is at or after the moment; 22008 after the last moment.';
COMMENT ON FUNCTION snoflax.uuid7_between(uuid, timestamptz, timestamptz) IS
  'Whether the UUIDv7 was made from from_time until before until_time. Index and partitions are used.';
COMMENT ON FUNCTION snoflax.uuid7_partman_encode_uuid(timestamptz) IS 'p_time_encoder of pg_partman for uuid7 keys.';
COMMENT ON FUNCTION snoflax.uuid7_partman_decode(text) IS 'p_time_decoder of pg_partman for uuid7 keys.';

-- ULID and TypeID -----------------------------------------------------------------------------------------------------

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

CREATE OR REPLACE FUNCTION snoflax.ulid_encode(id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._crockford(id, 7);

CREATE OR REPLACE FUNCTION snoflax.ulid_decode(id text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF id COLLATE "C" ~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'::text THEN
    RETURN snoflax._crockford_uuid(id);
  END IF;
  RAISE EXCEPTION 'ulid_decode: "%" is not a ULID, which has 26 characters of 0123456789ABCDEFGHJKMNPQRSTVWXYZ, 0 to 7 first',
    left(id, 48) USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax._typeid_prefix(prefix text, caller text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF prefix COLLATE "C" ~ '^[a-z]([a-z_]{0,61}[a-z])?$'::text THEN
    RETURN prefix || '_'::text;
  END IF;
  RAISE EXCEPTION '%: a prefix must have 1 to 63 of a-z and _, and begin and end with a letter, not "%"', caller, left(prefix, 80)
    USING ERRCODE = '22023';
END $$;

CREATE OR REPLACE FUNCTION snoflax.typeid_encode(prefix text, id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._typeid_prefix(prefix, 'typeid_encode') || snoflax._crockford(id, 39);

CREATE OR REPLACE FUNCTION snoflax.typeid_decode(prefix text, id text) RETURNS uuid
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

COMMENT ON FUNCTION snoflax.ulid_encode(uuid) IS 'The text of a ULID that is stored as uuid.';
COMMENT ON FUNCTION snoflax.ulid_decode(text) IS 'The text of a ULID as uuid; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.typeid_encode(text, uuid) IS
  'The TypeID of a UUID of any version: prefix, _, and 26 characters; 22023 for a prefix that TypeID does not allow.';
COMMENT ON FUNCTION snoflax.typeid_decode(text, text) IS
  'The UUID of a TypeID; 22P02 if it is none, or has another prefix, 22023 for a prefix that TypeID does not allow.';
