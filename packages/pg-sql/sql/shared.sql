-- What the families share. Run this first, then clock.sql, lease.sql for sno and flake, and any of flax.sql, sno.sql,
-- flake.sql, and uid.sql with uid_local.sql. The installer puts another schema name in place of snoflax if asked.
-- Functions whose names start with _ are private and may change.
-- PostgreSQL has one precedence for << >> & |, below that of + -, so every term has parentheses.

SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA IF NOT EXISTS snoflax;

-- Time ----------------------------------------------------------------------------------------------------------------

-- Microseconds since the Unix epoch. The double holds them exactly until the year 2255, so rounding gives the exact
-- number. The one place where the clock is read: tests put a scripted clock here.
CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint;

-- Microseconds since 2000-01-01Z, exact; the infinities are the ends of bigint. extract() is only STABLE and rounds.
CREATE OR REPLACE FUNCTION snoflax._us_since_2000(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(timestamptz_send(at), 'hex'))::bit(64)::bigint;

-- Unix milliseconds of that, rounded up, as bounds need it. Division cuts towards zero, which before 2000 is up.
CREATE OR REPLACE FUNCTION snoflax._unix_ms(us bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN us / 1000 + (us % 1000 > 0)::integer + 946684800000;

-- The moment of a Unix millisecond. to_timestamp() rounds to microseconds; until the year 2242 the double's error is
-- below half of one and vanishes.
CREATE OR REPLACE FUNCTION snoflax._moment(unix_ms bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_timestamp(unix_ms / 1000.0::double precision);

-- The same, exact in every year. timestamp + interval is IMMUTABLE, timestamptz + interval is not.
CREATE OR REPLACE FUNCTION snoflax._far_moment(unix_ms bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (timestamp '1970-01-01' + make_interval(
  days => (unix_ms / 86400000)::integer, secs => (unix_ms % 86400000) / 1000.0::double precision)) AT TIME ZONE 'UTC';

-- Digits --------------------------------------------------------------------------------------------------------------

-- Text is made and read 8 characters at a time, as the 8 bytes of a bigint. These functions are inlined where their
-- arguments are plain variables, so the callers are PL/pgSQL.

-- 5, 6 or 8 bytes from `start` on as a number.
CREATE OR REPLACE FUNCTION snoflax._read40(bytes bytea, start integer) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (get_byte(bytes, start)::bigint << 32) | (get_byte(bytes, start + 1)::bigint << 24)
  | (get_byte(bytes, start + 2) << 16) | (get_byte(bytes, start + 3) << 8) | get_byte(bytes, start + 4);

CREATE OR REPLACE FUNCTION snoflax._read48(bytes bytea, start integer) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (get_byte(bytes, start)::bigint << 40) | (get_byte(bytes, start + 1)::bigint << 32)
  | (get_byte(bytes, start + 2)::bigint << 24) | (get_byte(bytes, start + 3) << 16)
  | (get_byte(bytes, start + 4) << 8) | get_byte(bytes, start + 5);

CREATE OR REPLACE FUNCTION snoflax._read64(bytes bytea, start integer) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (get_byte(bytes, start)::bigint << 56) | (get_byte(bytes, start + 1)::bigint << 48)
  | (get_byte(bytes, start + 2)::bigint << 40) | (get_byte(bytes, start + 3)::bigint << 32)
  | (get_byte(bytes, start + 4)::bigint << 24) | (get_byte(bytes, start + 5) << 16)
  | (get_byte(bytes, start + 6) << 8) | get_byte(bytes, start + 7);

-- 8 digits of 5 or 6 bits, one a byte, and back.
CREATE OR REPLACE FUNCTION snoflax._spread5(bits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (((bits >> 35) & 31) << 56) | (((bits >> 30) & 31) << 48) | (((bits >> 25) & 31) << 40)
  | (((bits >> 20) & 31) << 32) | (((bits >> 15) & 31) << 24) | (((bits >> 10) & 31) << 16)
  | (((bits >> 5) & 31) << 8) | (bits & 31);

CREATE OR REPLACE FUNCTION snoflax._gather5(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (((digits >> 56) & 31) << 35) | (((digits >> 48) & 31) << 30) | (((digits >> 40) & 31) << 25)
  | (((digits >> 32) & 31) << 20) | (((digits >> 24) & 31) << 15) | (((digits >> 16) & 31) << 10)
  | (((digits >> 8) & 31) << 5) | (digits & 31);

CREATE OR REPLACE FUNCTION snoflax._spread6(bits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (((bits >> 42) & 63) << 56) | (((bits >> 36) & 63) << 48) | (((bits >> 30) & 63) << 40)
  | (((bits >> 24) & 63) << 32) | (((bits >> 18) & 63) << 24) | (((bits >> 12) & 63) << 16)
  | (((bits >> 6) & 63) << 8) | (bits & 63);

CREATE OR REPLACE FUNCTION snoflax._gather6(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (((digits >> 56) & 63) << 42) | (((digits >> 48) & 63) << 36) | (((digits >> 40) & 63) << 30)
  | (((digits >> 32) & 63) << 24) | (((digits >> 24) & 63) << 18) | (((digits >> 16) & 63) << 12)
  | (((digits >> 8) & 63) << 6) | (digits & 63);

-- Reading ids ---------------------------------------------------------------------------------------------------------

-- What reads an id takes its caller's name, for messages. Without a name ('') a malformed id gives no bytes ('')
-- instead of an error; that is how *_is_valid and the domains ask.

CREATE OR REPLACE FUNCTION snoflax._read_bytes(id bytea, bytes integer, family text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(id) = bytes THEN
    RETURN id;
  ELSIF caller = '' THEN
    RETURN ''::bytea;
  END IF;
  RAISE EXCEPTION '%: % has % bytes, a % has %', caller, substring(id for 24), octet_length(id), family, bytes
    USING ERRCODE = '22P02';
END $$;

-- What is left to do with a text that is no id.
CREATE OR REPLACE FUNCTION snoflax._refuse_text(id text, characters integer, alphabet text, family text, caller text)
RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF caller = '' THEN
    RETURN ''::bytea;
  ELSIF char_length(id) <> characters THEN
    RAISE EXCEPTION '%: "%" has % characters, a % has %', caller, left(id, 48), char_length(id), family, characters
      USING ERRCODE = '22P02';
  END IF;
  RAISE EXCEPTION '%: "%" has a character that is not one of %', caller, id, alphabet USING ERRCODE = '22P02';
END $$;

-- Prefixes, as prefixed() in TypeScript has them.
CREATE OR REPLACE FUNCTION snoflax._check_prefix(prefix text, caller text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF prefix COLLATE "C" ~ '^[a-z]([a-z0-9_]{0,61}[a-z0-9])?$' THEN
    RETURN prefix || '_';
  END IF;
  RAISE EXCEPTION '%: a prefix must have 1 to 63 of a-z, 0-9 and _, begin with a letter and not end with _, not "%"', caller,
    left(prefix, 80) USING ERRCODE = '22023';
END $$;

-- `prefix` comes from _check_prefix() in the caller's body, where the planner evaluates it once if it is a constant.
CREATE OR REPLACE FUNCTION snoflax._without_prefix(prefix text, id text, caller text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF starts_with(id, prefix) THEN
    RETURN substr(id, char_length(prefix) + 1);
  END IF;
  RAISE EXCEPTION '%: an id must begin with "%", not "%"', caller, prefix, left(id, 80) USING ERRCODE = '22P02';
END $$;

-- The last characters, behind any prefix. A text that has none stays as it is, for the reader to accept or refuse.
CREATE OR REPLACE FUNCTION snoflax._without_any_prefix(id text, characters integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF left(id, -characters) COLLATE "C" ~ '^[a-z]([a-z0-9_]*[a-z0-9])?_$' AND char_length(id) - characters < 65 THEN
    RETURN right(id, characters);
  END IF;
  RETURN id;
END $$;

-- UUIDv8: the id's hex digits with an 8 put in as digits 12 and 16, zeros, and the family's tag.
CREATE OR REPLACE FUNCTION snoflax._write_uuid8(id bytea, tag text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  hex text := encode(id, 'hex');
BEGIN
  RETURN (rpad(left(hex, 12) || '8' || substr(hex, 13, 3) || '8' || substr(hex, 16), 30, '0') || tag)::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax._read_uuid8(id uuid, bytes integer, tag text, family text, caller text)
RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  hex text := encode(uuid_send(id), 'hex');
  digits text := left(hex, 12) || substr(hex, 14, 3) || substr(hex, 18);
  ending text := repeat('0', 28 - bytes * 2) || tag;
BEGIN
  IF substr(hex, 13, 1) = '8' AND substr(hex, 17, 1) = '8' AND substr(digits, bytes * 2 + 1) = ending THEN
    RETURN decode(left(digits, bytes * 2), 'hex');
  ELSIF caller = '' THEN
    RETURN ''::bytea;
  END IF;
  RAISE EXCEPTION '%: % is not a UUIDv8 of a %, which has an 8 as digits 12 and 16 and ends in %', caller, id, family,
    ending USING ERRCODE = '22P02';
END $$;

-- 8 bytes as a number. PostgreSQL's bigint has no place for the upper half, 2^63 and above.
CREATE OR REPLACE FUNCTION snoflax._write_bigint(id bytea, family text, caller text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  number bigint := snoflax._read64(id, 0);
BEGIN
  IF number >= 0 THEN
    RETURN number;
  END IF;
  RAISE EXCEPTION '%: the % % is 2^63 or more and does not fit a bigint', caller, family, id USING ERRCODE = '22003';
END $$;

CREATE OR REPLACE FUNCTION snoflax._read_bigint(id bigint, family text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF id >= 0 THEN
    RETURN int8send(id);
  ELSIF caller = '' THEN
    RETURN ''::bytea;
  END IF;
  RAISE EXCEPTION '%: % is negative, a % is not', caller, id, family USING ERRCODE = '22003';
END $$;

-- The largest bigint below that number of 64 bits, of which bigint has those of 2^63 and above as negative ones.
CREATE OR REPLACE FUNCTION snoflax._largest_before(bound bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF bound < 0 THEN
    RETURN 9223372036854775807;
  END IF;
  RETURN bound - 1;
END $$;

-- Fields for *_pack: all of them, or none for NULL.
CREATE OR REPLACE FUNCTION snoflax._check_field(field text, value bigint, smallest bigint, largest bigint, caller text)
RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF value BETWEEN smallest AND largest THEN
    RETURN value;
  ELSIF value IS NULL THEN
    RAISE EXCEPTION '%: % is NULL', caller, field USING ERRCODE = '22023';
  END IF;
  RAISE EXCEPTION '%: % % is not from % to %', caller, field, value, smallest, largest
    USING ERRCODE = CASE field WHEN 'time_ms' THEN '22008' ELSE '22003' END;
END $$;

-- uid and uid_local ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._uid_step(micro_seconds integer, caller text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  us integer := snoflax._check_field('micro_seconds'::text, micro_seconds::bigint, 0::bigint, {uid.microSeconds.max}::bigint, caller);
BEGIN
  IF us % {uid.stepUs} <> 0 THEN
    RAISE EXCEPTION '%: micro_seconds % is not a multiple of %', caller, us, {uid.stepUs} USING ERRCODE = '22003';
  END IF;
  RETURN us / {uid.stepUs};
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_bits(id bytea, caller text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._read_bytes(id, {uid_local.bytes}, 'uid_local', caller);
BEGIN
  RETURN snoflax._read64(bytes, 0);
END $$;

-- Fields that are known to be in range.
CREATE OR REPLACE FUNCTION snoflax._uid_local_compose(
  mega_seconds integer, seconds integer, step integer, sequence integer) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN int8send((mega_seconds::bigint << {uid_local.megaSeconds.shift})
  | (seconds::bigint << {uid_local.seconds.shift}) | (step << {uid_local.step.shift}) | sequence);

-- Aggregates ----------------------------------------------------------------------------------------------------------

-- min() and max() of ids, from the index where there is one. PostgreSQL has its own for bytea from version 18 on.
-- PL/pgSQL, because SQL functions cost four times as much where they cannot be inlined.
-- [each: uuid bytea]
CREATE OR REPLACE FUNCTION snoflax._smaller(a {form}, b {form}) RETURNS {form}
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ BEGIN RETURN least(a, b); END $$;
CREATE OR REPLACE FUNCTION snoflax._larger(a {form}, b {form}) RETURNS {form}
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ BEGIN RETURN greatest(a, b); END $$;
CREATE OR REPLACE AGGREGATE snoflax.min({form})
(SFUNC = snoflax._smaller, STYPE = {form}, COMBINEFUNC = snoflax._smaller,
 SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE snoflax.max({form})
(SFUNC = snoflax._larger, STYPE = {form}, COMBINEFUNC = snoflax._larger,
 SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE);
COMMENT ON AGGREGATE snoflax.min({form}) IS 'The smallest id.';
COMMENT ON AGGREGATE snoflax.max({form}) IS 'The largest id.';
