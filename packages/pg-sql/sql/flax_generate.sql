-- Generators of flax: a millisecond and 56 fresh random bits, no state. After shared.sql and flax.sql.

-- The clock's milliseconds since 2015, as the upper 40 bits of a bigint. Before 2015 and after 2049 the product
-- overflows, "bigint out of range": an error, no wrap.
CREATE OR REPLACE FUNCTION snoflax._flax_clock() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN ((snoflax._clock_us() / 1000 - 1969826213888/*flax.middleMs*/) * 16777216) # (-9223372036854775808);

-- One expression, because PL/pgSQL takes half as much again. gen_random_uuid() draws on a secure source, and its last 7
-- bytes are all random: version and variant lie before them.
CREATE OR REPLACE FUNCTION snoflax.flax_generate() RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN substring(int8send(snoflax._flax_clock()), 1, 5) || substring(uuid_send(gen_random_uuid()), 10);

-- The characters of an id, without its bytes in between, from the first 8 digits bar their random bits, and a random
-- uuid: whose bytes are random in their lower 6 bits from byte 7 on, and byte 6 in its lower 4.
CREATE OR REPLACE FUNCTION snoflax._flax_ascii_new(bits bigint, random bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint := snoflax._spread6(bits) | ((get_byte(random, 6) & 3) << 8) | (get_byte(random, 7) & 63);
  digits2 bigint := snoflax._read64(random, 8) & 4557430888798830399/*low6*/;
BEGIN
  RETURN int8send(snoflax._flax_codes(digits1)) || int8send(snoflax._flax_codes(digits2));
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_generate_uuid() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN encode(snoflax._flax_ascii_new(snoflax._flax_clock() >> 16, uuid_send(gen_random_uuid())), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.flax_generate_text() RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN encode(snoflax._flax_ascii_new(snoflax._flax_clock() >> 16, uuid_send(gen_random_uuid())), 'escape');

CREATE OR REPLACE FUNCTION snoflax.flax_generate_uuid8() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.flax_to_uuid8(snoflax.flax_generate());

-- A moment before 2000 is below the epoch, cut or floored.
CREATE OR REPLACE FUNCTION snoflax.flax_generate_at(at timestamptz) RETURNS bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  time bigint := snoflax._us_since_2000(at) / 1000 - 473385600000/*flax.epochMs2000*/;
BEGIN
  IF time NOT BETWEEN 0 AND 1099511627775/*flax.time.max*/ THEN
    RAISE EXCEPTION 'flax_generate_at: % is outside 2015-01-01 00:00:00Z to 2049-11-03 19:53:47.775999Z', at
      USING ERRCODE = '22008';
  END IF;
  RETURN substring(int8send(time), 4) || substring(uuid_send(gen_random_uuid()), 10);
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_generate_many(n integer) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'flax_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.flax_generate() FROM generate_series(1, n);
END $$;

COMMENT ON FUNCTION snoflax.flax_generate() IS 'A new flax as bytea. No two are ordered within a millisecond.';
COMMENT ON FUNCTION snoflax.flax_generate_uuid() IS 'A new flax as uuid: the 16 characters as bytes.';
COMMENT ON FUNCTION snoflax.flax_generate_uuid8() IS 'A new flax as a UUID of version 8.';
COMMENT ON FUNCTION snoflax.flax_generate_text() IS 'A new flax as text.';
COMMENT ON FUNCTION snoflax.flax_generate_at(timestamptz) IS
  'A new flax of that moment, whose fraction of a millisecond is cut off.';
COMMENT ON FUNCTION snoflax.flax_generate_many(integer) IS
  'n new flaxes. For another storage: SELECT flax_generate_uuid() FROM generate_series(1, n).';
