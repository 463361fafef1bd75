-- Made by scripts/fill.js from sql/uid_local.sql.
-- uid_local: 8 bytes, time in steps of 1.024 ms and sequence, 11 characters. Unique on one node only; uid_from_local()
-- of uid.sql gives such ids their node. See spec/uid.md.
-- Storages: bigint, bytea, text COLLATE "C", uuid8 (RFC 9562 version 8).

SET LOCAL search_path = pg_catalog, pg_temp;

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._uid_local_bytes(id bytea, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bytes(id, 8/*uid_local.bytes*/, 'uid_local', caller);

-- 11 characters are read like the first of 16: the 8 bytes and 2 bits that are 0.
CREATE OR REPLACE FUNCTION snoflax._uid_local_bytes(id text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := convert_to(id, 'UTF8'::name);
  codes1 bigint;
  codes2 bigint;
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(ascii) = 11/*uid_local.characters*/ THEN
    ascii := ascii || decode('2e2e2e2e2e'/*uid_local.padding*/, 'hex');
    codes1 := snoflax._read64(ascii, 0);
    codes2 := snoflax._read64(ascii, 8);
    digits1 := snoflax._uid_digits(codes1);
    digits2 := snoflax._uid_digits(codes2);
    IF snoflax._uid_codes(digits1) = codes1 AND snoflax._uid_codes(digits2) = codes2 THEN
      digits2 := snoflax._gather6(digits2);
      IF digits2 & 4294967295 = 0 THEN
        RETURN substring(int8send(snoflax._gather6(digits1)) from 3) || substring(int8send(digits2) from 3 for 2);
      ELSIF caller <> '' THEN
        RAISE EXCEPTION '%: the last character of "%" sets bits beyond the 64th', caller, id USING ERRCODE = '22P02';
      END IF;
    END IF;
  END IF;
  RETURN snoflax._refuse_text(id, 11/*uid_local.characters*/,
    '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'/*uid_local.alphabet*/, 'uid_local', caller);
END $$;

-- Text, bytes, numbers, uuid ------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._uid_local_text(bytes bytea) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint := snoflax._read48(bytes, 0);
  digits2 bigint := ((get_byte(bytes, 6) << 8) | get_byte(bytes, 7))::bigint << 32;
BEGIN
  digits1 := snoflax._spread6(digits1);
  digits2 := snoflax._spread6(digits2);
  RETURN left(encode(int8send(snoflax._uid_codes(digits1)) || int8send(snoflax._uid_codes(digits2)), 'escape'),
    11/*uid_local.characters*/);
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_bytes(id bigint, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bigint(id, 'uid_local', caller);

CREATE OR REPLACE FUNCTION snoflax._uid_local_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, 8/*uid_local.bytes*/, '05'/*uid_local.tag*/, 'uid_local', caller);

CREATE OR REPLACE FUNCTION snoflax.uid_local_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_text(snoflax._uid_local_bytes(id, 'uid_local_encode'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_encode(id bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_text(snoflax._uid_local_bytes(id, 'uid_local_encode'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_encode(id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_text(snoflax._uid_local_bytes(id, 'uid_local_encode'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_encode(id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_text(snoflax._uid_local_bytes(id, 'uid_local_encode'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_to_bigint(id bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(snoflax._uid_local_bytes(id, 'uid_local_to_bigint'), 'uid_local', 'uid_local_to_bigint');

CREATE OR REPLACE FUNCTION snoflax.uid_local_to_bigint(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(snoflax._uid_local_bytes(id, 'uid_local_to_bigint'), 'uid_local', 'uid_local_to_bigint');

CREATE OR REPLACE FUNCTION snoflax.uid_local_from_bigint(id bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(id, 'uid_local_from_bigint');

COMMENT ON FUNCTION snoflax.uid_local_to_bigint(bytea) IS
  'The 8 bytes of a uid_local to a number; 22003 from 2^63 on, 22P02 for another length.';
COMMENT ON FUNCTION snoflax.uid_local_to_bigint(text) IS
  'The text of a uid_local to a number; 22003 from 2^63 on, 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.uid_local_from_bigint(bigint) IS
  'A number to the 8 bytes of a uid_local; 22003 if negative.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(id, 'uid_local_decode');

CREATE OR REPLACE FUNCTION snoflax.uid_local_to_uuid8(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._uid_local_bytes(id, 'uid_local_to_uuid8'), '05'/*uid_local.tag*/);

CREATE OR REPLACE FUNCTION snoflax.uid_local_to_uuid8(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._uid_local_bytes(id, 'uid_local_to_uuid8'), '05'/*uid_local.tag*/);

CREATE OR REPLACE FUNCTION snoflax.uid_local_from_uuid8(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(id, 'uid_local_from_uuid8');

COMMENT ON FUNCTION snoflax.uid_local_encode(bytea) IS
  'The text of a uid_local passed in 8 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_encode(bigint) IS
  'The text of a uid_local passed in a bigint column; 22003 if negative.';

COMMENT ON FUNCTION snoflax.uid_local_encode(text) IS
  'The text of a uid_local passed in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_encode(uuid) IS
  'The text of a uid_local passed in a uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_prefixed_encode(prefix text, id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_local_prefixed_encode') || snoflax.uid_local_encode(id);

CREATE OR REPLACE FUNCTION snoflax.uid_local_prefixed_encode(prefix text, id bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_local_prefixed_encode') || snoflax.uid_local_encode(id);

CREATE OR REPLACE FUNCTION snoflax.uid_local_prefixed_encode(prefix text, id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_local_prefixed_encode') || snoflax.uid_local_encode(id);

CREATE OR REPLACE FUNCTION snoflax.uid_local_prefixed_encode(prefix text, id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_local_prefixed_encode') || snoflax.uid_local_encode(id);

COMMENT ON FUNCTION snoflax.uid_local_prefixed_encode(text, bytea) IS
  'The text of a uid_local passed in 8 bytes, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_prefixed_encode(text, bigint) IS
  'The text of a uid_local passed in a bigint column, after a prefix: cus_…; 22023 for a malformed prefix, 22003 if negative.';

COMMENT ON FUNCTION snoflax.uid_local_prefixed_encode(text, text) IS
  'The text of a uid_local passed in text, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_prefixed_encode(text, uuid) IS
  'The text of a uid_local passed in a uuid8 column, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_prefixed_decode(prefix text, id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(
  snoflax._without_prefix(prefix, id, 'uid_local_prefixed_decode'), 'uid_local_prefixed_decode');

COMMENT ON FUNCTION snoflax.uid_local_prefixed_decode(text, text) IS
  'The text of a uid_local behind that prefix to its 8 bytes; 22P02 for any other prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_decode(text) IS
  'The text of a uid_local to its 8 bytes; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.uid_local_to_uuid8(bytea) IS
  'The 8 bytes of a uid_local to a UUIDv8 that ends in 05; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.uid_local_to_uuid8(text) IS
  'The text of a uid_local to a UUIDv8 that ends in 05; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.uid_local_from_uuid8(uuid) IS
  'A uid_local in UUIDv8 form to its 8 bytes; 22P02 for any other uuid.';

-- Time and fields -----------------------------------------------------------------------------------------------------

DO $$ BEGIN
  CREATE TYPE snoflax.uid_local_fields AS (
    mega_seconds integer, seconds integer, micro_seconds integer, sequence integer);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON TYPE snoflax.uid_local_fields IS
  'The parts of a uid_local: twice 0 to 1048575, a multiple of 1024 below 1048576, and 0 to 16383.';

CREATE OR REPLACE FUNCTION snoflax._uid_local_fields(bytes bytea) RETURNS snoflax.uid_local_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bits bigint := snoflax._read64(bytes, 0);
BEGIN
  RETURN ROW(
    (bits >> 44/*uid_local.megaSeconds.shift*/) & 1048575/*uid_local.megaSeconds.max*/::bigint,
    (bits >> 24/*uid_local.seconds.shift*/) & 1048575/*uid_local.seconds.max*/::bigint,
    ((bits >> 14/*uid_local.step.shift*/) & 1023/*uid_local.step.max*/::bigint) * 1024/*uid.stepUs*/,
    bits & 16383/*uid_local.sequence.max*/::bigint)::snoflax.uid_local_fields;
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_time(bytes bytea) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  fields snoflax.uid_local_fields := snoflax._uid_local_fields(bytes);
  ms bigint := (fields.mega_seconds * 1000000::bigint + fields.seconds) * 1000 + fields.micro_seconds / 1000;
BEGIN
  RETURN snoflax._far_moment(ms);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_local_time(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_time(snoflax._uid_local_bytes(id, 'uid_local_time'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_time(id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_time(snoflax._uid_local_bytes(id, 'uid_local_time'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_time(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_time(snoflax._uid_local_bytes(id, 'uid_local_time'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_time(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_time(snoflax._uid_local_bytes(id, 'uid_local_time'));

COMMENT ON FUNCTION snoflax.uid_local_time(bytea) IS
  'When the uid_local in 8 bytes was made, to the millisecond; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_time(bigint) IS
  'When the uid_local in a bigint column was made, to the millisecond; 22003 if negative.';

COMMENT ON FUNCTION snoflax.uid_local_time(text) IS
  'When the uid_local in text was made, to the millisecond; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_time(uuid) IS
  'When the uid_local in a uuid8 column was made, to the millisecond; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_time_binary(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_time(id);

CREATE OR REPLACE FUNCTION snoflax.uid_local_time_bigint(id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_time(id);

CREATE OR REPLACE FUNCTION snoflax.uid_local_time_text(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_time(id);

CREATE OR REPLACE FUNCTION snoflax.uid_local_time_uuid(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_time(id);

COMMENT ON FUNCTION snoflax.uid_local_time_binary(bytea) IS
  'The same as uid_local_time(bytea), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.uid_local_time_bigint(bigint) IS
  'The same as uid_local_time(bigint), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.uid_local_time_text(text) IS
  'The same as uid_local_time(text), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.uid_local_time_uuid(uuid) IS
  'The same as uid_local_time(uuid), for what finds a function by its name alone.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_unpack(id bytea) RETURNS snoflax.uid_local_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_fields(snoflax._uid_local_bytes(id, 'uid_local_unpack'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_unpack(id bigint) RETURNS snoflax.uid_local_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_fields(snoflax._uid_local_bytes(id, 'uid_local_unpack'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_unpack(id text) RETURNS snoflax.uid_local_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_fields(snoflax._uid_local_bytes(id, 'uid_local_unpack'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_unpack(id uuid) RETURNS snoflax.uid_local_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_fields(snoflax._uid_local_bytes(id, 'uid_local_unpack'));

COMMENT ON FUNCTION snoflax.uid_local_unpack(bytea) IS
  'The fields of a uid_local in 8 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_unpack(bigint) IS
  'The fields of a uid_local in a bigint column; 22003 if negative.';

COMMENT ON FUNCTION snoflax.uid_local_unpack(text) IS
  'The fields of a uid_local in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_local_unpack(uuid) IS
  'The fields of a uid_local in a uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_pack(fields snoflax.uid_local_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  step integer;
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.mega_seconds := snoflax._check_field('mega_seconds', fields.mega_seconds,
    0, 1048575/*uid_local.megaSeconds.max*/, 'uid_local_pack');
  fields.seconds := snoflax._check_field('seconds', fields.seconds,
    0, 1048575/*uid_local.seconds.max*/, 'uid_local_pack');
  step := snoflax._uid_step(fields.micro_seconds, 'uid_local_pack');
  fields.sequence := snoflax._check_field('sequence', fields.sequence,
    0, 16383/*uid_local.sequence.max*/, 'uid_local_pack');
  RETURN snoflax._uid_local_compose(fields.mega_seconds, fields.seconds, step, fields.sequence);
END $$;

COMMENT ON FUNCTION snoflax.uid_local_pack(snoflax.uid_local_fields) IS
  'Fields to 8 bytes; 22003 for a field out of range, 22023 for NULL.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Every id with from <= time < until lies in lower_bound(from) <= id < lower_bound(until), and no other does.
CREATE OR REPLACE FUNCTION snoflax._uid_local_lower_bound(at timestamptz, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
  ms bigint := snoflax._unix_ms(us);
  mega_seconds integer;
  seconds integer;
  step integer;
BEGIN
  IF ms <= 0 THEN
    RETURN decode('0000000000000000'/*uid_local.zero*/, 'hex');
  ELSIF ms > 1048575999999999/*uid_local.lastMs*/ THEN
    RAISE EXCEPTION '%: % is after the last time of a uid_local, %', caller, at,
      snoflax._far_moment(1048575999999999/*uid_local.lastMs*/) USING ERRCODE = '22008';
  END IF;
  mega_seconds := ms / 1000000000;
  seconds := ms / 1000 % 1000000::bigint;
  step := (ms % 1000::bigint * 1000 + 1023) / 1024/*uid.stepUs*/;
  RETURN snoflax._uid_local_compose(mega_seconds, seconds, step, 0);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_local_lower_bound(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_lower_bound(at, 'uid_local_lower_bound');

CREATE OR REPLACE FUNCTION snoflax.uid_local_lower_bound_bigint(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(
  snoflax._uid_local_lower_bound(at, 'uid_local_lower_bound_bigint'), 'uid_local', 'uid_local_lower_bound_bigint');

COMMENT ON FUNCTION snoflax.uid_local_lower_bound(timestamptz) IS
  'The smallest uid_local that a clock can generate at or after this time, as 8 bytes; 22008 after the last time.';
COMMENT ON FUNCTION snoflax.uid_local_lower_bound_bigint(timestamptz) IS
  'The smallest uid_local that a clock can generate at or after this time, for bigint columns; 22003 from 2^63, 22008 later.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_lower_bound_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_to_uuid8(snoflax._uid_local_lower_bound(at, 'uid_local_lower_bound_uuid8'));

CREATE OR REPLACE FUNCTION snoflax.uid_local_lower_bound_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_encode(snoflax._uid_local_lower_bound(at, 'uid_local_lower_bound_text'));

COMMENT ON FUNCTION snoflax.uid_local_lower_bound_uuid8(timestamptz) IS
  'The smallest uid_local that a clock can generate at or after this time, for uuid8 columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.uid_local_lower_bound_text(timestamptz) IS
  'The smallest uid_local that a clock can generate at or after this time, for text columns; 22008 after the last time.';

-- Checks --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.uid_local_is_valid(id bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.uid_local_is_valid(id bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id >= 0;

CREATE OR REPLACE FUNCTION snoflax.uid_local_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.uid_local_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_local_bytes(id, '') <> '';

COMMENT ON FUNCTION snoflax.uid_local_is_valid(bytea) IS 'Whether it is a uid_local in 8 bytes.';

COMMENT ON FUNCTION snoflax.uid_local_is_valid(bigint) IS 'Whether it is a uid_local in a bigint column.';

COMMENT ON FUNCTION snoflax.uid_local_is_valid(text) IS 'Whether it is a uid_local in text.';

COMMENT ON FUNCTION snoflax.uid_local_is_valid(uuid) IS 'Whether it is a uid_local in a uuid8 column.';

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_local_binary AS bytea CHECK (octet_length(VALUE) = 8/*uid_local.bytes*/);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_local_bigint AS bigint CHECK (VALUE >= 0);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_local_uuid8 AS uuid CHECK (snoflax.uid_local_is_valid(VALUE));
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_local_text AS text COLLATE "C" CHECK (snoflax.uid_local_is_valid(VALUE));
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON DOMAIN snoflax.uid_local_binary IS 'A uid_local as its 8 bytes.';

COMMENT ON DOMAIN snoflax.uid_local_bigint IS 'A uid_local as a number below 2^63.';

COMMENT ON DOMAIN snoflax.uid_local_uuid8 IS 'A uid_local as a UUIDv8.';

COMMENT ON DOMAIN snoflax.uid_local_text IS 'A uid_local as text.';

-- Ranges of time. The planner replaces the call by the comparisons, so the function must not be STRICT. Each time occurs
-- only once, except for uid's recheck, since the planner does not copy slow or volatile expressions. After the last time
-- a range has no upper end, or is empty: its end is then above all ids. Nothing is above the last bigint, so the ends
-- of numbers are the largest one before the range and the largest one in it.

CREATE OR REPLACE FUNCTION snoflax._uid_local_end_binary(at timestamptz) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid_local.lastUs2000*/ THEN
    RETURN decode(repeat('ff', 8/*uid_local.bytes*/ + 1), 'hex');
  END IF;
  RETURN snoflax._uid_local_lower_bound(at, 'uid_local_between');
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_end_bigint(at timestamptz) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid_local.lastUs2000*/ THEN
    RETURN 9223372036854775807;
  END IF;
  RETURN snoflax._largest_before(snoflax._uid_local_bits(snoflax._uid_local_lower_bound(at, 'uid_local_between'), 'uid_local_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_end_uuid8(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid_local.lastUs2000*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.uid_local_to_uuid8(snoflax._uid_local_lower_bound(at, 'uid_local_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_end_text(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid_local.lastUs2000*/ THEN
    RETURN '~';
  END IF;
  RETURN snoflax.uid_local_encode(snoflax._uid_local_lower_bound(at, 'uid_local_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_local_between(
  id bytea, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._uid_local_end_binary(from_time)
  AND id < snoflax._uid_local_end_binary(until_time);
COMMENT ON FUNCTION snoflax.uid_local_between(bytea, timestamptz, timestamptz) IS
  'Whether a uid_local, stored as its 8 bytes, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_between(
  id bigint, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id > snoflax._uid_local_end_bigint(from_time)
  AND id <= snoflax._uid_local_end_bigint(until_time);
COMMENT ON FUNCTION snoflax.uid_local_between(bigint, timestamptz, timestamptz) IS
  'Whether a uid_local, stored as a number below 2^63, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_between(
  id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._uid_local_end_uuid8(from_time)
  AND id < snoflax._uid_local_end_uuid8(until_time);
COMMENT ON FUNCTION snoflax.uid_local_between(uuid, timestamptz, timestamptz) IS
  'Whether a uid_local, stored as a UUIDv8, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.uid_local_between(
  id text, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._uid_local_end_text(from_time)
  AND id COLLATE "C" < snoflax._uid_local_end_text(until_time);
COMMENT ON FUNCTION snoflax.uid_local_between(text, timestamptz, timestamptz) IS
  'Whether a uid_local, stored as text, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.uid_local_partman_decode(key text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF char_length(key) = 11/*uid_local.characters*/ THEN
    RETURN snoflax.uid_local_time(key);
  END IF;
  RETURN snoflax.uid_local_time(key::uuid);
END $$;

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.uid_local_partman_encode_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_lower_bound_uuid8(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.uid_local_partman_encode_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_local_lower_bound_text(at);

COMMENT ON FUNCTION snoflax.uid_local_partman_encode_uuid8(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid8 key.';

COMMENT ON FUNCTION snoflax.uid_local_partman_encode_text(timestamptz) IS
  'p_time_encoder of pg_partman for a text key.';

COMMENT ON FUNCTION snoflax.uid_local_partman_decode(text) IS
  'p_time_decoder of pg_partman for keys of each p_time_encoder; 22P02 for others.';

-- Generators ----------------------------------------------------------------------------------------------------------

-- Units are the steps of 1.024 ms, of which each second has 977, numbered through: second * 977 + step. A value of
-- snoflax.uid_local_state is unit << 20 | counter and lasts until 2255.

-- It starts in the guard zone of unit 0, so that the first call takes the slow path, _clock_advance().
CREATE SEQUENCE IF NOT EXISTS snoflax.uid_local_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._uid_local_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;
COMMENT ON SEQUENCE snoflax.uid_local_state IS 'Time and number of the last uid_local.';

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('uid_local', 'snoflax.uid_local_state', 'snoflax._uid_local_timeline', 20, 16383/*uid.sequence.max*/,
  977/*uid.stepsPerSecond*/, 1024/*uid.stepUs*/, 0, 0, 8796093022207, NULL)
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._clock_mend('uid_local');

-- Below 2^63 until long after the state's last moment.
CREATE OR REPLACE FUNCTION snoflax.uid_local_generate_bigint() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.uid_local_state'::regclass);
  us bigint := snoflax._clock_us();
  second bigint;
BEGIN
  IF (v >> 20) - (us / 1000000 * 977/*uid.stepsPerSecond*/ + us % 1000000::bigint / 1024/*uid.stepUs*/)
      NOT BETWEEN 0 AND 97
    OR (v & 1048575::bigint) > 16383/*uid.sequence.max*/
    OR NOT snoflax._clock_is_checked('uid_local')
  THEN
    v := snoflax._clock_advance('uid_local');
  END IF;
  second := (v >> 20) / 977/*uid.stepsPerSecond*/;
  RETURN ((second / 1000000) << 44/*uid_local.megaSeconds.shift*/)
    | ((second % 1000000::bigint) << 24/*uid_local.seconds.shift*/)
    | (((v >> 20) % 977/*uid.stepsPerSecond*/::bigint) << 14/*uid_local.step.shift*/) | (v & 16383/*uid.sequence.max*/::bigint);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_local_generate() RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(snoflax.uid_local_generate_bigint());

CREATE OR REPLACE FUNCTION snoflax.uid_local_generate_uuid8() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.uid_local_to_uuid8(snoflax.uid_local_generate());

CREATE OR REPLACE FUNCTION snoflax.uid_local_generate_text() RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.uid_local_encode(snoflax.uid_local_generate());

CREATE OR REPLACE FUNCTION snoflax.uid_local_generate_many(n integer) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'uid_local_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.uid_local_generate() FROM generate_series(1, n);
END $$;

COMMENT ON FUNCTION snoflax.uid_local_generate_uuid8() IS 'A new uid_local as a UUIDv8.';

COMMENT ON FUNCTION snoflax.uid_local_generate_text() IS 'A new uid_local as text.';

COMMENT ON FUNCTION snoflax.uid_local_generate_many(integer) IS
  'n new uid_locals, in order. For another storage: SELECT uid_local_generate_bigint() FROM generate_series(1, n).';

COMMENT ON FUNCTION snoflax.uid_local_generate() IS
  'A new uid_local as bytea. Unique only in this database: a copy may generate the same ids. If you convert them to uids, '
  'use another node than uid_generate(). Larger than all that this database generated before. Needs USAGE on sequence '
  'uid_local_state.';
COMMENT ON FUNCTION snoflax.uid_local_generate_bigint() IS 'A new uid_local as bigint.';
