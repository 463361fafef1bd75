-- Made by scripts/fill.js from sql/flake.sql.
-- flake: 8 bytes, 42 bits of milliseconds, datacenter, worker, counter; its text is the decimal number.
-- See spec/flake.md. Storages: bigint, bytea, uuid8 (RFC 9562 version 8). Not text, which does not sort by time.
-- The time counts from 1970 unless you pass another epoch_ms. Ids do not contain it, so use one only.

SET LOCAL search_path = pg_catalog, pg_temp;

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._flake_bytes(id bytea, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bytes(id, 8/*flake.bytes*/, 'flake', caller);

CREATE OR REPLACE FUNCTION snoflax._flake_bytes(id text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  shown text := left(id, 48);
  number numeric;
BEGIN
  IF id COLLATE "C" ~ '^(0|[1-9][0-9]{0,19})$' THEN
    IF octet_length(id) < 19 THEN
      RETURN int8send(id::bigint);
    END IF;
    number := id::numeric;
    IF number < 18446744073709551616 THEN
      -- From 2^63 on, a bigint is negative.
      RETURN int8send((number - CASE WHEN number < 9223372036854775808 THEN 0 ELSE 18446744073709551616 END)::bigint);
    ELSIF caller = '' THEN
      RETURN ''::bytea;
    END IF;
    RAISE EXCEPTION '%: % is 2^64 or more, but a flake is less', caller, id USING ERRCODE = '22003';
  ELSIF caller = '' THEN
    RETURN ''::bytea;
  ELSIF char_length(id) NOT BETWEEN 1 AND 20/*flake.maxCharacters*/ THEN
    RAISE EXCEPTION '%: "%" has % characters, a flake has 1 to %', caller, shown, char_length(id),
      20/*flake.maxCharacters*/ USING ERRCODE = '22P02';
  ELSIF id COLLATE "C" ~ '[^0-9]' THEN
    RAISE EXCEPTION '%: "%" has a character that is not a decimal digit', caller, shown USING ERRCODE = '22P02';
  END IF;
  RAISE EXCEPTION '%: "%" has leading zeros', caller, shown USING ERRCODE = '22P02';
END $$;

-- Text, bytes, numbers, uuid ------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._flake_text(bytes bytea) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  number bigint := snoflax._read64(bytes, 0);
BEGIN
  IF number < 0 THEN
    RETURN number::numeric + 18446744073709551616;
  END IF;
  RETURN number;
END $$;

CREATE OR REPLACE FUNCTION snoflax._flake_bytes(id bigint, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bigint(id, 'flake', caller);

CREATE OR REPLACE FUNCTION snoflax._flake_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, 8/*flake.bytes*/, '03'/*flake.tag*/, 'flake', caller);

CREATE OR REPLACE FUNCTION snoflax.flake_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_text(snoflax._flake_bytes(id, 'flake_encode'));

CREATE OR REPLACE FUNCTION snoflax.flake_encode(id bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_text(snoflax._flake_bytes(id, 'flake_encode'));

CREATE OR REPLACE FUNCTION snoflax.flake_encode(id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_text(snoflax._flake_bytes(id, 'flake_encode'));

CREATE OR REPLACE FUNCTION snoflax.flake_encode(id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_text(snoflax._flake_bytes(id, 'flake_encode'));

CREATE OR REPLACE FUNCTION snoflax.flake_to_bigint(id bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(snoflax._flake_bytes(id, 'flake_to_bigint'), 'flake', 'flake_to_bigint');

CREATE OR REPLACE FUNCTION snoflax.flake_to_bigint(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(snoflax._flake_bytes(id, 'flake_to_bigint'), 'flake', 'flake_to_bigint');

CREATE OR REPLACE FUNCTION snoflax.flake_from_bigint(id bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(id, 'flake_from_bigint');

COMMENT ON FUNCTION snoflax.flake_to_bigint(bytea) IS
  'The 8 bytes of a flake to a number; 22003 from 2^63 on, 22P02 for another length.';
COMMENT ON FUNCTION snoflax.flake_to_bigint(text) IS
  'The text of a flake to a number; 22003 from 2^63 on, 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.flake_from_bigint(bigint) IS
  'A number to the 8 bytes of a flake; 22003 if negative.';

CREATE OR REPLACE FUNCTION snoflax.flake_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(id, 'flake_decode');

CREATE OR REPLACE FUNCTION snoflax.flake_to_uuid8(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._flake_bytes(id, 'flake_to_uuid8'), '03'/*flake.tag*/);

CREATE OR REPLACE FUNCTION snoflax.flake_to_uuid8(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._flake_bytes(id, 'flake_to_uuid8'), '03'/*flake.tag*/);

CREATE OR REPLACE FUNCTION snoflax.flake_from_uuid8(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(id, 'flake_from_uuid8');

COMMENT ON FUNCTION snoflax.flake_encode(bytea) IS
  'The text of a flake passed in 8 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flake_encode(bigint) IS
  'The text of a flake passed in a bigint column; 22003 if negative.';

COMMENT ON FUNCTION snoflax.flake_encode(text) IS
  'The text of a flake passed in text; 22P02 if it is none, 22003 from 2^64 on.';

COMMENT ON FUNCTION snoflax.flake_encode(uuid) IS
  'The text of a flake passed in a uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flake_prefixed_encode(prefix text, id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flake_prefixed_encode') || snoflax.flake_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flake_prefixed_encode(prefix text, id bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flake_prefixed_encode') || snoflax.flake_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flake_prefixed_encode(prefix text, id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flake_prefixed_encode') || snoflax.flake_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flake_prefixed_encode(prefix text, id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flake_prefixed_encode') || snoflax.flake_encode(id);

COMMENT ON FUNCTION snoflax.flake_prefixed_encode(text, bytea) IS
  'The text of a flake passed in 8 bytes, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flake_prefixed_encode(text, bigint) IS
  'The text of a flake passed in a bigint column, after a prefix: cus_…; 22023 for a malformed prefix, 22003 if negative.';

COMMENT ON FUNCTION snoflax.flake_prefixed_encode(text, text) IS
  'The text of a flake passed in text, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none, 22003 from 2^64 on.';

COMMENT ON FUNCTION snoflax.flake_prefixed_encode(text, uuid) IS
  'The text of a flake passed in a uuid8 column, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flake_prefixed_decode(prefix text, id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(
  snoflax._without_prefix(prefix, id, 'flake_prefixed_decode'), 'flake_prefixed_decode');

COMMENT ON FUNCTION snoflax.flake_prefixed_decode(text, text) IS
  'The text of a flake behind that prefix to its 8 bytes; 22P02 for any other prefix, 22P02 if it is none, 22003 from 2^64 on.';

COMMENT ON FUNCTION snoflax.flake_decode(text) IS
  'The text of a flake to its 8 bytes; 22P02 if it is none, 22003 from 2^64 on.';
COMMENT ON FUNCTION snoflax.flake_to_uuid8(bytea) IS
  'The 8 bytes of a flake to a UUIDv8 that ends in 03; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.flake_to_uuid8(text) IS
  'The text of a flake to a UUIDv8 that ends in 03; 22P02 if it is none, 22003 from 2^64 on.';
COMMENT ON FUNCTION snoflax.flake_from_uuid8(uuid) IS
  'A flake in UUIDv8 form to its 8 bytes; 22P02 for any other uuid.';

CREATE OR REPLACE FUNCTION snoflax.flake_to_hex(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._flake_bytes(id, 'flake_to_hex'), 'hex');
COMMENT ON FUNCTION snoflax.flake_to_hex(bytea) IS 'A flake in 8 bytes to 16 lower-case hex digits; 22P02 if it is none.';


CREATE OR REPLACE FUNCTION snoflax.flake_to_hex(id bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._flake_bytes(id, 'flake_to_hex'), 'hex');
COMMENT ON FUNCTION snoflax.flake_to_hex(bigint) IS 'A flake in a bigint column to 16 lower-case hex digits; 22003 if negative.';


CREATE OR REPLACE FUNCTION snoflax.flake_to_hex(id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._flake_bytes(id, 'flake_to_hex'), 'hex');
COMMENT ON FUNCTION snoflax.flake_to_hex(text) IS 'A flake in text to 16 lower-case hex digits; 22P02 if it is none, 22003 from 2^64 on.';

CREATE OR REPLACE FUNCTION snoflax.flake_from_hex(hex text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits text := CASE WHEN left(hex, 2) = '0x' THEN substr(hex, 3) ELSE hex END;
BEGIN
  IF char_length(digits) NOT BETWEEN 1 AND 16 THEN
    RAISE EXCEPTION 'flake_from_hex: "%" has % hex digits, a flake has 1 to 16', left(hex, 48), char_length(digits)
      USING ERRCODE = '22P02';
  ELSIF digits COLLATE "C" ~ '[^0-9a-f]' THEN
    RAISE EXCEPTION 'flake_from_hex: "%" has a character that is not a lower-case hex digit', hex USING ERRCODE = '22P02';
  END IF;
  RETURN decode(lpad(digits, 16, '0'), 'hex');
END $$;

COMMENT ON FUNCTION snoflax.flake_from_hex(text) IS
  '1 to 16 lower-case hex digits, with or without 0x, to the 8 bytes of a flake; 22P02 for all else.';

-- Time and fields -----------------------------------------------------------------------------------------------------

-- The epoch, if all times of its ids are also valid dates of JavaScript.
CREATE OR REPLACE FUNCTION snoflax._flake_epoch(epoch_ms bigint, caller text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN snoflax._check_field('epoch_ms', epoch_ms, -8640000000000000, 8635601953488897/*flake.maxEpochMs*/, caller);
END $$;

CREATE OR REPLACE FUNCTION snoflax._flake_time(bytes bytea, epoch_ms bigint) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ms bigint := ('x' || encode(bytes, 'hex'))::bit(42/*flake.time.bits*/)::bigint;
BEGIN
  IF epoch_ms = 0 THEN
    RETURN snoflax._far_moment(ms);
  END IF;
  ms := ms + snoflax._flake_epoch(epoch_ms, 'flake_time');
  RETURN snoflax._far_moment(ms);
END $$;

DO $$ BEGIN
  CREATE TYPE snoflax.flake_fields AS (time_ms bigint, datacenter integer, worker integer, counter integer);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON TYPE snoflax.flake_fields IS
  'The parts of a flake: Unix milliseconds within 2^42 from the epoch, 0 to 31, 0 to 31, and 0 to 4095.';

CREATE OR REPLACE FUNCTION snoflax._flake_fields(bytes bytea, epoch_ms bigint) RETURNS snoflax.flake_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ms bigint := ('x' || encode(bytes, 'hex'))::bit(42/*flake.time.bits*/)::bigint;
  low integer := ('x' || right(encode(bytes, 'hex'), 6))::bit(24)::integer;
BEGIN
  RETURN ROW(
    ms + snoflax._flake_epoch(epoch_ms, 'flake_unpack'),
    (low >> 17/*flake.datacenter.shift*/) & 31/*flake.datacenter.max*/,
    (low >> 12/*flake.worker.shift*/) & 31/*flake.worker.max*/,
    low & 4095/*flake.counter.max*/)::snoflax.flake_fields;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flake_time(id bytea, epoch_ms bigint DEFAULT 0) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_time(snoflax._flake_bytes(id, 'flake_time'), epoch_ms);

CREATE OR REPLACE FUNCTION snoflax.flake_time(id bigint, epoch_ms bigint DEFAULT 0) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_time(snoflax._flake_bytes(id, 'flake_time'), epoch_ms);

CREATE OR REPLACE FUNCTION snoflax.flake_time(id text, epoch_ms bigint DEFAULT 0) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_time(snoflax._flake_bytes(id, 'flake_time'), epoch_ms);

CREATE OR REPLACE FUNCTION snoflax.flake_time(id uuid, epoch_ms bigint DEFAULT 0) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_time(snoflax._flake_bytes(id, 'flake_time'), epoch_ms);

COMMENT ON FUNCTION snoflax.flake_time(bytea, bigint) IS
  'When the flake in 8 bytes was made, to the millisecond; 22P02 if it is none, 22008 if timestamptz has no such year.';

COMMENT ON FUNCTION snoflax.flake_time(bigint, bigint) IS
  'When the flake in a bigint column was made, to the millisecond; 22003 if negative, 22008 if timestamptz has no such year.';

COMMENT ON FUNCTION snoflax.flake_time(text, bigint) IS
  'When the flake in text was made, to the millisecond; 22P02 if it is none, 22003 from 2^64 on, 22008 if timestamptz has no such year.';

COMMENT ON FUNCTION snoflax.flake_time(uuid, bigint) IS
  'When the flake in a uuid8 column was made, to the millisecond; 22P02 if it is none, 22008 if timestamptz has no such year.';

CREATE OR REPLACE FUNCTION snoflax.flake_time_binary(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_time(id);

CREATE OR REPLACE FUNCTION snoflax.flake_time_bigint(id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_time(id);

CREATE OR REPLACE FUNCTION snoflax.flake_time_text(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_time(id);

CREATE OR REPLACE FUNCTION snoflax.flake_time_uuid(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_time(id);

COMMENT ON FUNCTION snoflax.flake_time_binary(bytea) IS
  'The same as flake_time(bytea), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.flake_time_bigint(bigint) IS
  'The same as flake_time(bigint), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.flake_time_text(text) IS
  'The same as flake_time(text), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.flake_time_uuid(uuid) IS
  'The same as flake_time(uuid), for what finds a function by its name alone.';

CREATE OR REPLACE FUNCTION snoflax.flake_unpack(id bytea, epoch_ms bigint DEFAULT 0) RETURNS snoflax.flake_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_fields(snoflax._flake_bytes(id, 'flake_unpack'), epoch_ms);

CREATE OR REPLACE FUNCTION snoflax.flake_unpack(id bigint, epoch_ms bigint DEFAULT 0) RETURNS snoflax.flake_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_fields(snoflax._flake_bytes(id, 'flake_unpack'), epoch_ms);

CREATE OR REPLACE FUNCTION snoflax.flake_unpack(id text, epoch_ms bigint DEFAULT 0) RETURNS snoflax.flake_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_fields(snoflax._flake_bytes(id, 'flake_unpack'), epoch_ms);

CREATE OR REPLACE FUNCTION snoflax.flake_unpack(id uuid, epoch_ms bigint DEFAULT 0) RETURNS snoflax.flake_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_fields(snoflax._flake_bytes(id, 'flake_unpack'), epoch_ms);

COMMENT ON FUNCTION snoflax.flake_unpack(bytea, bigint) IS
  'The fields of a flake in 8 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flake_unpack(bigint, bigint) IS
  'The fields of a flake in a bigint column; 22003 if negative.';

COMMENT ON FUNCTION snoflax.flake_unpack(text, bigint) IS
  'The fields of a flake in text; 22P02 if it is none, 22003 from 2^64 on.';

COMMENT ON FUNCTION snoflax.flake_unpack(uuid, bigint) IS
  'The fields of a flake in a uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flake_pack(fields snoflax.flake_fields, epoch_ms bigint DEFAULT 0) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  epoch bigint := snoflax._flake_epoch(epoch_ms, 'flake_pack');
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.time_ms := snoflax._check_field('time_ms', fields.time_ms, epoch, epoch + 4398046511103/*flake.time.max*/,
    'flake_pack');
  RETURN int8send(
    ((fields.time_ms - epoch) << 22/*flake.time.shift*/)
    | (snoflax._check_field('datacenter', fields.datacenter, 0, 31/*flake.datacenter.max*/, 'flake_pack')
      << 17/*flake.datacenter.shift*/)
    | (snoflax._check_field('worker', fields.worker, 0, 31/*flake.worker.max*/, 'flake_pack')
      << 12/*flake.worker.shift*/)
    | snoflax._check_field('counter', fields.counter, 0, 4095/*flake.counter.max*/, 'flake_pack'));
END $$;

COMMENT ON FUNCTION snoflax.flake_pack(snoflax.flake_fields, bigint) IS
  'Fields to 8 bytes; 22008 for a time outside its span, 22003 for another field out of range, 22023 for NULL.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Exactly the ids with from <= time < until have lower_bound(from) <= id < lower_bound(until).
-- There is no bound for text, which does not sort by time.
CREATE OR REPLACE FUNCTION snoflax._flake_lower_bound(at timestamptz, epoch_ms bigint, caller text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
  ms bigint := snoflax._unix_ms(us);
BEGIN
  IF epoch_ms <> 0 THEN
    ms := ms - snoflax._flake_epoch(epoch_ms, caller);
  END IF;
  IF ms <= 0 THEN
    RETURN 0;
  ELSIF ms > 4398046511103/*flake.time.max*/ THEN
    RAISE EXCEPTION '%: % is after the last time of a flake, %', caller, at,
      snoflax._far_moment(epoch_ms + 4398046511103/*flake.time.max*/) USING ERRCODE = '22008';
  END IF;
  RETURN ms << 22/*flake.time.shift*/;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flake_lower_bound(at timestamptz, epoch_ms bigint DEFAULT 0) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN int8send(snoflax._flake_lower_bound(at, epoch_ms, 'flake_lower_bound'));

CREATE OR REPLACE FUNCTION snoflax.flake_lower_bound_bigint(at timestamptz, epoch_ms bigint DEFAULT 0) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bound bigint := snoflax._flake_lower_bound(at, epoch_ms, 'flake_lower_bound_bigint');
BEGIN
  IF bound < 0 THEN
    RAISE EXCEPTION 'flake_lower_bound_bigint: the bound of % is 2^63 or more and does not fit a bigint', at
      USING ERRCODE = '22003';
  END IF;
  RETURN bound;
END $$;

COMMENT ON FUNCTION snoflax.flake_lower_bound(timestamptz, bigint) IS
  'The smallest flake whose time is at or after this time, as 8 bytes; 22008 after the last time.';
COMMENT ON FUNCTION snoflax.flake_lower_bound_bigint(timestamptz, bigint) IS
  'The smallest flake whose time is at or after this time, for bigint columns; 22003 from 2^63, 22008 later.';

CREATE OR REPLACE FUNCTION snoflax.flake_lower_bound_uuid8(at timestamptz, epoch_ms bigint DEFAULT 0) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_to_uuid8(int8send(snoflax._flake_lower_bound(at, epoch_ms, 'flake_lower_bound_uuid8')));

COMMENT ON FUNCTION snoflax.flake_lower_bound_uuid8(timestamptz, bigint) IS
  'The smallest flake whose time is at or after this time, for uuid8 columns; 22008 after the last time.';

-- Checks --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flake_is_valid(id bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.flake_is_valid(id bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id >= 0;

CREATE OR REPLACE FUNCTION snoflax.flake_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.flake_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flake_bytes(id, '') <> '';

COMMENT ON FUNCTION snoflax.flake_is_valid(bytea) IS 'Whether it is a flake in 8 bytes.';

COMMENT ON FUNCTION snoflax.flake_is_valid(bigint) IS 'Whether it is a flake in a bigint column.';

COMMENT ON FUNCTION snoflax.flake_is_valid(text) IS 'Whether it is a flake in text.';

COMMENT ON FUNCTION snoflax.flake_is_valid(uuid) IS 'Whether it is a flake in a uuid8 column.';

DO $$ BEGIN
  CREATE DOMAIN snoflax.flake_binary AS bytea CHECK (octet_length(VALUE) = 8/*flake.bytes*/);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.flake_bigint AS bigint CHECK (VALUE >= 0);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.flake_uuid8 AS uuid CHECK (snoflax.flake_is_valid(VALUE));
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON DOMAIN snoflax.flake_binary IS 'A flake as its 8 bytes.';

COMMENT ON DOMAIN snoflax.flake_bigint IS 'A flake as a number below 2^63.';

COMMENT ON DOMAIN snoflax.flake_uuid8 IS 'A flake as a UUIDv8.';

-- Ranges of time. The planner replaces the call by the comparisons, so the function must not be STRICT. Each time occurs
-- only once, except for uid's recheck, since the planner does not copy slow or volatile expressions. After the last time
-- a range has no upper end, or is empty: its end is then above all ids. Nothing is above the last bigint, so the ends
-- of numbers are the largest one before the range and the largest one in it.

CREATE OR REPLACE FUNCTION snoflax._flake_end_binary(at timestamptz, epoch_ms bigint) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > (snoflax._flake_epoch(epoch_ms, 'flake_between') + 4398046511103/*flake.time.max*/) * 1000 - 946684800000000/*us2000*/ THEN
    RETURN decode(repeat('ff', 8/*flake.bytes*/ + 1), 'hex');
  END IF;
  RETURN int8send(snoflax._flake_lower_bound(at, epoch_ms, 'flake_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax._flake_end_bigint(at timestamptz, epoch_ms bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > (snoflax._flake_epoch(epoch_ms, 'flake_between') + 4398046511103/*flake.time.max*/) * 1000 - 946684800000000/*us2000*/ THEN
    RETURN 9223372036854775807;
  END IF;
  RETURN snoflax._largest_before(snoflax._flake_lower_bound(at, epoch_ms, 'flake_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax._flake_end_uuid8(at timestamptz, epoch_ms bigint) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > (snoflax._flake_epoch(epoch_ms, 'flake_between') + 4398046511103/*flake.time.max*/) * 1000 - 946684800000000/*us2000*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.flake_to_uuid8(int8send(snoflax._flake_lower_bound(at, epoch_ms, 'flake_between')));
END $$;

CREATE OR REPLACE FUNCTION snoflax.flake_between(
  id bytea, from_time timestamptz, until_time timestamptz, epoch_ms bigint DEFAULT 0) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flake_end_binary(from_time, epoch_ms)
  AND id < snoflax._flake_end_binary(until_time, epoch_ms);
COMMENT ON FUNCTION snoflax.flake_between(bytea, timestamptz, timestamptz, bigint) IS
  'Whether a flake, stored as its 8 bytes, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.flake_between(
  id bigint, from_time timestamptz, until_time timestamptz, epoch_ms bigint DEFAULT 0) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id > snoflax._flake_end_bigint(from_time, epoch_ms)
  AND id <= snoflax._flake_end_bigint(until_time, epoch_ms);
COMMENT ON FUNCTION snoflax.flake_between(bigint, timestamptz, timestamptz, bigint) IS
  'Whether a flake, stored as a number below 2^63, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.flake_between(
  id uuid, from_time timestamptz, until_time timestamptz, epoch_ms bigint DEFAULT 0) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flake_end_uuid8(from_time, epoch_ms)
  AND id < snoflax._flake_end_uuid8(until_time, epoch_ms);
COMMENT ON FUNCTION snoflax.flake_between(uuid, timestamptz, timestamptz, bigint) IS
  'Whether a flake, stored as a UUIDv8, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flake_partman_decode(key text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_time(key::uuid);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.flake_partman_encode_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_lower_bound_uuid8(at);

COMMENT ON FUNCTION snoflax.flake_partman_encode_uuid8(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid8 key.';

COMMENT ON FUNCTION snoflax.flake_partman_decode(text) IS
  'p_time_decoder of pg_partman for keys of each p_time_encoder; 22P02 for others.';

-- Generators ----------------------------------------------------------------------------------------------------------

-- A value of snoflax.flake_state is millisecond << 20 | counter. The milliseconds are Unix time, whatever the epoch of
-- the ids, and last until 2248.

-- It starts in the guard zone of unit 0, so that the first call takes the slow path, _clock_advance().
CREATE SEQUENCE IF NOT EXISTS snoflax.flake_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._flake_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;
COMMENT ON SEQUENCE snoflax.flake_state IS 'Time and number of the last flake.';

-- The epoch, which is the first unit. flake_set_worker() replaces it, and running this file again does not.
DO $$ BEGIN
  IF to_regprocedure('snoflax._flake_epoch_ms()') IS NULL THEN
    PERFORM snoflax._clock_constant('_flake_epoch_ms',
      coalesce((SELECT first_unit FROM snoflax._generator WHERE family = 'flake'), 0));
  END IF;
END $$;

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('flake', 'snoflax.flake_state', 'snoflax._flake_timeline', 20, 4095/*flake.counter.max*/, 1000, 1000, 0,
  snoflax._flake_epoch_ms(), least(snoflax._flake_epoch_ms() + 4398046511103/*flake.time.max*/, 8796093022207),
  'SELECT snoflax.flake_set_worker(<datacenter>, <worker>)')
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._lease_define('flake', 31/*flake.datacenter.max*/ * 32 + 31/*flake.worker.max*/, 1);

SELECT snoflax._clock_mend('flake');

CREATE OR REPLACE FUNCTION snoflax.flake_set_worker(datacenter integer, worker integer, epoch_ms bigint DEFAULT 0)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint :=
    snoflax._check_field('datacenter', datacenter, 0, 31/*flake.datacenter.max*/, 'flake_set_worker') * 32
    + snoflax._check_field('worker', worker, 0, 31/*flake.worker.max*/, 'flake_set_worker');
  epoch bigint := snoflax._flake_epoch(epoch_ms, 'flake_set_worker');
  g snoflax._generator;
BEGIN
  SELECT * INTO g FROM snoflax._generator WHERE family = 'flake' FOR UPDATE;
  IF g.first_unit <> epoch AND (pg_sequence_last_value(g.state) >> g.shift) > 0 THEN
    RAISE EXCEPTION 'flake_set_worker: ids were generated with epoch_ms %, and ids with epoch_ms % could repeat them',
      g.first_unit, epoch USING ERRCODE = '55000',
      HINT = format('SELECT snoflax.flake_set_worker(%s, %s, %s)', datacenter, worker, g.first_unit);
  END IF;
  UPDATE snoflax._generator
     SET first_unit = epoch, last_unit = least(epoch + 4398046511103/*flake.time.max*/, 8796093022207)
   WHERE family = 'flake';
  PERFORM snoflax._clock_constant('_flake_epoch_ms', epoch);
  PERFORM snoflax._clock_take_number('flake', number, epoch, 'flake_set_worker');
END $$;

REVOKE EXECUTE ON FUNCTION snoflax.flake_set_worker(integer, integer, bigint) FROM PUBLIC;

-- The 64 bits of an id. 100 units are the 0.1 s of clock.sql.
CREATE OR REPLACE FUNCTION snoflax._flake_next(fits_bigint boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.flake_state'::regclass);
  now_ms bigint := snoflax._clock_us() / 1000;
BEGIN
  IF (v >> 20) - now_ms NOT BETWEEN 0 AND 100 OR (v & 1048575::bigint) > 4095/*flake.counter.max*/
    OR NOT snoflax._clock_is_checked('flake')
  THEN
    v := snoflax._clock_advance('flake');
  END IF;
  v := (((v >> 20) - snoflax._flake_epoch_ms()) << 22/*flake.time.shift*/)
    | (snoflax._flake_number() << 12/*flake.worker.shift*/) | (v & 4095/*flake.counter.max*/::bigint);
  IF fits_bigint AND v < 0 THEN
    RAISE EXCEPTION 'flake_generate_bigint: the flake % is 2^63 or more and does not fit a bigint', int8send(v)
      USING ERRCODE = '22003';
  END IF;
  RETURN v;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flake_generate() RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(snoflax._flake_next(false));

CREATE OR REPLACE FUNCTION snoflax.flake_generate_bigint() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax._flake_next(true);

CREATE OR REPLACE FUNCTION snoflax.flake_generate_uuid8() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.flake_to_uuid8(snoflax.flake_generate());

CREATE OR REPLACE FUNCTION snoflax.flake_generate_many(n integer) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'flake_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.flake_generate() FROM generate_series(1, n);
END $$;

COMMENT ON FUNCTION snoflax.flake_generate_uuid8() IS 'A new flake as a UUIDv8.';

COMMENT ON FUNCTION snoflax.flake_generate_many(integer) IS
  'n new flakes, in order. For another storage: SELECT flake_generate_bigint() FROM generate_series(1, n).';

COMMENT ON FUNCTION snoflax.flake_set_worker(integer, integer, bigint) IS
  'Sets datacenter and worker, 0 to 31 each, that the ids of this database carry, and their epoch, which stays after '
  'the first id. No other generator may have both. Needed before the first id, and again in a copy of the database. '
  'For the owner.';
COMMENT ON FUNCTION snoflax.flake_generate() IS
  'A new flake as bytea. Larger than all that this database generated before. Needs USAGE on sequence flake_state.';
COMMENT ON FUNCTION snoflax.flake_generate_bigint() IS
  'A new flake as bigint; with epoch 0 an error from 2039-09-07 on.';
