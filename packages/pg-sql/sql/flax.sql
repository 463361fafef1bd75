-- flax: 12 bytes, 40 bits of milliseconds since 2015 and 56 random bits, 16 characters. See spec/flax.md.
-- Storages: bytea, uuid (the 16 characters as bytes), uuid8 (RFC 9562 version 8), text COLLATE "C".

SET LOCAL search_path = pg_catalog, pg_temp;

-- Alphabet ------------------------------------------------------------------------------------------------------------

-- 8 digits, one in each byte of a bigint, become ASCII codes all at once: the code of digit 0, plus what the alphabet
-- skips before digits 1, 11, 37 and 38. Adding 64 - k to a byte sets its bit 6 exactly if the digit is at least k.
-- translate() of base64 gives the same text in three times the time.

-- [alphabet of 64]

-- [bytes]
-- [sixteen characters]
-- [codec: bytea text uuid]

-- Time and fields -----------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._flax_time_ms(bytes bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(bytes, 'hex'))::bit({time.bits})::bigint + {epochMs};

DO $$ BEGIN
  CREATE TYPE snoflax.flax_fields AS (time_ms bigint, random bytea);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON TYPE snoflax.flax_fields IS
  'The parts of a flax: Unix milliseconds from 2015-01-01 to 2049-11-03, and 7 random bytes.';

CREATE OR REPLACE FUNCTION snoflax._flax_fields(bytes bytea) RETURNS snoflax.flax_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ROW(snoflax._flax_time_ms(bytes), substring(bytes from {random.start}))::snoflax.flax_fields;
END $$;

-- [time: bytea]
-- [time of text]
-- [time of uuid]
-- [time by storage: binary text uuid]
-- [unpack: bytea text uuid]

CREATE OR REPLACE FUNCTION snoflax.flax_pack(fields snoflax.flax_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.time_ms := snoflax._check_field('time_ms'::text, fields.time_ms,
    {epochMs}::bigint, {lastMs}::bigint, 'flax_pack'::text);
  IF fields.random IS NULL THEN
    RAISE EXCEPTION 'flax_pack: random is NULL' USING ERRCODE = '22023';
  ELSIF octet_length(fields.random) <> {random.bytes} THEN
    RAISE EXCEPTION 'flax_pack: random % has % bytes, not %', substring(fields.random for 24),
      octet_length(fields.random), {random.bytes} USING ERRCODE = '22P02';
  END IF;
  RETURN substring(int8send(fields.time_ms - {epochMs}) from {time.from}) || fields.random;
END $$;

COMMENT ON FUNCTION snoflax.flax_pack(snoflax.flax_fields) IS
  'Fields to 12 bytes; 22008 for a time outside its span, 22P02 unless random is 7 bytes, 22023 for NULL.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Exactly the ids with from <= time < until have lower_bound(from) <= id < lower_bound(until).
CREATE OR REPLACE FUNCTION snoflax._flax_lower_unit(at timestamptz) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
BEGIN
  IF us <= {epochUs2000} THEN
    RETURN 0::bigint;
  END IF;
  us := (us - {epochUs2000} + 999) / 1000;
  IF us > {time.max} THEN
    RAISE EXCEPTION 'flax_lower_bound: % is after the last time of a flax, %', at,
      snoflax._moment({lastMs}) USING ERRCODE = '22008';
  END IF;
  RETURN us;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(int8send(snoflax._flax_lower_unit(at)) from {time.from}) || decode({random.zero}, 'hex');

COMMENT ON FUNCTION snoflax.flax_lower_bound(timestamptz) IS
  'The smallest flax whose time is at or after this time, as 12 bytes; 22008 after the last time.';

-- [bounds of characters: uuid text]
-- [bounds: uuid8]

-- Checks --------------------------------------------------------------------------------------------------------------

-- [checks: bytea text uuid]
-- [domains: binary uuid uuid8 text]
-- [between: binary uuid uuid8 text]
-- [prefixed texts]
-- [between of a domain: uuid8]

-- pg_partman ----------------------------------------------------------------------------------------------------------

-- [partman of text too]
-- [partman]

-- Generators ----------------------------------------------------------------------------------------------------------

-- The clock's milliseconds since 2015, as the upper 40 bits of a bigint. Before 2015 and after 2049 the product
-- overflows, "bigint out of range": an error, no wrap.
CREATE OR REPLACE FUNCTION snoflax._flax_clock() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN ((snoflax._clock_us() / 1000 - {middleMs}) * 16777216) # (-9223372036854775808);

-- What a DEFAULT calls is planned with every single-row INSERT. The planner puts the body of a function in SQL in place of
-- the call, anew each time, which takes longer than many of these bodies run. A function in PL/pgSQL is one node to it, and
-- keeps the plans of its expressions. Those start anew in each transaction, so few short expressions are best.
-- gen_random_uuid() draws on a secure source, and its last 7 bytes are all random: version and variant are before them.
CREATE OR REPLACE FUNCTION snoflax.flax_generate() RETURNS bytea
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
  RETURN {new id};
END $$;

-- translate() of the 7 characters that contain the time takes 2.4 us, and 0.3 us as arithmetic, which has so many operators
-- that to set them up takes 5 us, once for each transaction. So the arithmetic waits for a transaction that has written:
-- all rows after the first of a statement are made by it. The other 9 characters are random, and any digits will do, as
-- long as each is one of ours: only + and / are replaced there.
-- [each: uuid text]
CREATE OR REPLACE FUNCTION snoflax.flax_generate_{form}() RETURNS {type}
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
  base64 text;
  random bytea;
  bits bigint;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    base64 := encode({new id}, 'base64'::text);
    RETURN {flax characters};
  END IF;
  random := uuid_send(gen_random_uuid());
  bits := (snoflax._flax_clock() >> 16) | get_byte(random, 9)::bigint;
  bits := snoflax._spread6(bits);
  RETURN {flax of digits};
END $$;
COMMENT ON FUNCTION snoflax.flax_generate_{form}() IS 'A new flax as {stored}.';

-- A time before 2000 is before the epoch, whether truncated or floored.
-- [each: bytea uuid text]
CREATE OR REPLACE FUNCTION snoflax.{flax generate at}(at timestamptz) RETURNS {type}
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  bits bigint := snoflax._us_since_2000(at) / 1000 - {epochMs2000};
  random bytea := uuid_send(gen_random_uuid());
BEGIN
  IF bits NOT BETWEEN 0 AND {time.max} THEN
    RAISE EXCEPTION 'flax_generate_at: % is outside 2015-01-01 00:00:00Z to 2049-11-03 19:53:47.775999Z', at
      USING ERRCODE = '22008';
  END IF;
  {flax of time}
END $$;
COMMENT ON FUNCTION snoflax.{flax generate at}(timestamptz) IS
  'A new flax with this time, rounded down to its millisecond, as {stored}.';

CREATE OR REPLACE FUNCTION snoflax.flax_generate_at_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN snoflax.flax_to_uuid8(snoflax.flax_generate_at(at));
COMMENT ON FUNCTION snoflax.flax_generate_at_uuid8(timestamptz) IS
  'A new flax with this time, rounded down to its millisecond, as a UUIDv8.';

-- [generators: uuid8]

COMMENT ON FUNCTION snoflax.flax_generate() IS 'A new flax as bytea. No two are ordered within a millisecond.';
