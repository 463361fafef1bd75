-- uid_local: 8 bytes, time in steps of 1.024 ms and sequence, 11 characters. Unique on one node only; uid_from_local()
-- of uid.sql gives such ids their node. See spec/uid.md.
-- Storages: bigint, bytea, text COLLATE "C", uuid8 (RFC 9562 version 8).

SET LOCAL search_path = pg_catalog, pg_temp;

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

-- [bytes]

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
  IF octet_length(ascii) = {characters} THEN
    ascii := ascii || decode({padding}, 'hex');
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
  RETURN snoflax._refuse_text(id, {characters},
    {alphabet}, 'uid_local', caller);
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
    {characters});
END $$;

-- [number: bytea bigint text uuid]
-- [codec: bytea bigint text uuid]

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
    (bits >> {megaSeconds.shift}) & {megaSeconds.max}::bigint,
    (bits >> {seconds.shift}) & {seconds.max}::bigint,
    ((bits >> {step.shift}) & {step.max}::bigint) * {uid.stepUs},
    bits & {sequence.max}::bigint)::snoflax.uid_local_fields;
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_local_time(bytes bytea) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  fields snoflax.uid_local_fields := snoflax._uid_local_fields(bytes);
  ms bigint := (fields.mega_seconds * 1000000::bigint + fields.seconds) * 1000 + fields.micro_seconds / 1000;
BEGIN
  RETURN snoflax._far_moment(ms);
END $$;

-- [time: bytea bigint text uuid]
-- [time by storage: binary bigint text uuid]
-- [unpack: bytea bigint text uuid]

CREATE OR REPLACE FUNCTION snoflax.uid_local_pack(fields snoflax.uid_local_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  step integer;
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.mega_seconds := snoflax._check_field('mega_seconds'::text, fields.mega_seconds::bigint,
    0::bigint, {megaSeconds.max}::bigint, 'uid_local_pack'::text);
  fields.seconds := snoflax._check_field('seconds'::text, fields.seconds::bigint,
    0::bigint, {seconds.max}::bigint, 'uid_local_pack'::text);
  step := snoflax._uid_step(fields.micro_seconds, 'uid_local_pack');
  fields.sequence := snoflax._check_field('sequence'::text, fields.sequence::bigint,
    0::bigint, {sequence.max}::bigint, 'uid_local_pack'::text);
  RETURN snoflax._uid_local_compose(fields.mega_seconds, fields.seconds, step, fields.sequence);
END $$;

COMMENT ON FUNCTION snoflax.uid_local_pack(snoflax.uid_local_fields) IS
  'Fields to 8 bytes; 22003 for a field out of range, 22023 for NULL.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Every id with from <= time < until lies in lower_bound(from) <= id < lower_bound(until), and no other does.
CREATE OR REPLACE FUNCTION snoflax._uid_local_lower_bound(at timestamptz, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
-- [parts of a bound]
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

-- [bounds: uuid8 text]

-- Checks --------------------------------------------------------------------------------------------------------------

-- [checks: bytea bigint text uuid]
-- [domains: binary bigint uuid8 text]
-- [between: binary bigint uuid8 text]
-- [prefixed texts]

-- pg_partman ----------------------------------------------------------------------------------------------------------

-- [partman of text too]
-- [partman]

-- Generators ----------------------------------------------------------------------------------------------------------

-- Units are the steps of 1.024 ms, of which each second has 977, numbered through: second * 977 + step. A value of
-- snoflax.uid_local_state is unit << 20 | counter and lasts until 2255.

-- [state]

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('uid_local', 'snoflax.uid_local_state', 'snoflax._uid_local_timeline', 20, {uid.sequence.max},
  {uid.stepsPerSecond}, {uid.stepUs}, 0, 0, 8796093022207, NULL)
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
  IF (((v >> 20) - (us / 1000000 * {uid.stepsPerSecond} + us % 1000000::bigint / {uid.stepUs})) & (-128)::bigint)
      | (v & 1032192::bigint) <> 0
    OR NOT snoflax._clock_is_checked('uid_local'::text, 'snoflax._uid_local_timeline'::regclass)
  THEN
    v := snoflax._clock_advance('uid_local'::text);
  END IF;
  second := (v >> 20) / {uid.stepsPerSecond};
  RETURN ((second / 1000000) << {megaSeconds.shift})
    | ((second % 1000000::bigint) << {seconds.shift})
    | (((v >> 20) % {uid.stepsPerSecond}::bigint) << {step.shift}) | (v & {uid.sequence.max}::bigint);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_local_generate() RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(snoflax.uid_local_generate_bigint());

-- [generators: uuid8 text]

COMMENT ON FUNCTION snoflax.uid_local_generate() IS
  'A new uid_local as bytea. Unique only in this database: a copy may generate the same ids. If you convert them to uids, '
  'use another node than uid_generate(). Larger than all that this database generated before. Needs USAGE on sequence '
  'uid_local_state.';
COMMENT ON FUNCTION snoflax.uid_local_generate_bigint() IS 'A new uid_local as bigint.';
