-- sno: 10 bytes, 39 bits of 4 ms units since 2010, tick-tock, metabyte, partition, sequence, 16 characters.
-- See spec/sno.md. Storages: bytea, uuid (the 16 characters as bytes), uuid8 (RFC 9562 version 8), text COLLATE "C".

SET LOCAL search_path = pg_catalog, pg_temp;

-- Alphabet ------------------------------------------------------------------------------------------------------------

-- 8 digits, one in each byte of a bigint, become ASCII codes all at once: the code of digit 0, plus what the alphabet
-- skips before digit 8. Adding 32 - 8 to a byte sets its bit 5 exactly if the digit is at least 8.
CREATE OR REPLACE FUNCTION snoflax._sno_codes(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN digits + {digit0}
  + (((digits + {from8}) >> 5) & {bit0}) * {skip8};

-- The inverse: bit 6 of a code tells digit 8 and up. Other codes than the alphabet's give any digits, so the caller
-- makes codes again and compares, which is what makes decoding strict.
CREATE OR REPLACE FUNCTION snoflax._sno_digits(codes bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ((codes & {low7}) - {digit0}
  - ((codes >> 6) & {bit0}) * {skip8}) & {low5};

-- [bytes]
-- [sixteen characters]
-- [codec: bytea text uuid]

-- Time and fields -----------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._sno_time_ms(bytes bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(bytes, 'hex'))::bit({time.bits})::bigint * {unitMs} + {epochMs};

DO $$ BEGIN
  CREATE TYPE snoflax.sno_fields AS (
    time_ms bigint, tick_tock integer, meta integer, partition integer, sequence integer);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON TYPE snoflax.sno_fields IS
  'The parts of a sno: Unix milliseconds at which its 4 ms unit starts, 0 or 1, 0 to 255, and twice 0 to 65535.';

CREATE OR REPLACE FUNCTION snoflax._sno_fields(bytes bytea) RETURNS snoflax.sno_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ROW(
    snoflax._sno_time_ms(bytes),
    get_byte(bytes, 4) & 1,
    get_byte(bytes, {meta.at}),
    (get_byte(bytes, {partition.at}) << 8) | get_byte(bytes, 7),
    (get_byte(bytes, {sequence.at}) << 8) | get_byte(bytes, 9))::snoflax.sno_fields;
END $$;

-- Fields that are known to be in range; `units` counts from the epoch.
CREATE OR REPLACE FUNCTION snoflax._sno_compose(
  units bigint, tick_tock integer, meta integer, partition integer, sequence integer) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(int8send((units << {time.headShift}) | (tick_tock << {tickTock.headShift}) | meta) from 3)
  || substring(int8send((partition::bigint << {sequence.bits}) | sequence) from 5);

-- [time: bytea]
-- [time of text]
-- [time of uuid]
-- [time by storage: binary text uuid]
-- [unpack: bytea text uuid]

CREATE OR REPLACE FUNCTION snoflax.sno_pack(fields snoflax.sno_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ms bigint;
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  ms := snoflax._check_field('time_ms'::text, fields.time_ms, {epochMs}::bigint, {lastMs}::bigint,
    'sno_pack'::text) - {epochMs};
  IF ms % {unitMs}::bigint <> 0 THEN
    RAISE EXCEPTION 'sno_pack: time_ms % does not start a unit of % ms', fields.time_ms, {unitMs}
      USING ERRCODE = '22003';
  END IF;
  RETURN snoflax._sno_compose(
    ms / {unitMs},
    snoflax._check_field('tick_tock'::text, fields.tick_tock::bigint, 0::bigint, {tickTock.max}::bigint, 'sno_pack'::text)::integer,
    snoflax._check_field('meta'::text, fields.meta::bigint, 0::bigint, {meta.max}::bigint, 'sno_pack'::text)::integer,
    snoflax._check_field('partition'::text, fields.partition::bigint, 0::bigint, {partition.max}::bigint, 'sno_pack'::text)::integer,
    snoflax._check_field('sequence'::text, fields.sequence::bigint, 0::bigint, {sequence.max}::bigint, 'sno_pack'::text)::integer);
END $$;

COMMENT ON FUNCTION snoflax.sno_pack(snoflax.sno_fields) IS
  'Fields to 10 bytes; 22008 for a time outside its span, 22003 for others and inside a 4 ms unit, 22023 for NULL.';

-- Metabyte ------------------------------------------------------------------------------------------------------------

-- [each: bytea text uuid]
CREATE OR REPLACE FUNCTION snoflax.sno_meta(id {form}) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN get_byte({checked: meta}, {meta.at});
COMMENT ON FUNCTION snoflax.sno_meta({form}) IS 'The metabyte of a sno {in form}, 0 to 255; {refusal}.';

CREATE OR REPLACE FUNCTION snoflax.sno_with_meta(id bytea, meta integer) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN set_byte(snoflax._sno_bytes(id, 'sno_with_meta'), {meta.at},
    snoflax._check_field('meta'::text, meta::bigint, 0::bigint, {meta.max}::bigint, 'sno_with_meta'::text)::integer);
END $$;
COMMENT ON FUNCTION snoflax.sno_with_meta(bytea, integer) IS
  'The same sno with another metabyte, as 10 bytes; 22003 outside 0 to 255, 22P02 if it is no sno.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Every id with from <= time < until lies in lower_bound(from) <= id < lower_bound(until), and no other does.
CREATE OR REPLACE FUNCTION snoflax._sno_lower_unit(at timestamptz) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
  units bigint;
BEGIN
  IF us <= {epochUs2000} THEN
    RETURN 0::bigint;
  END IF;
  units := (us - {epochUs2000} + 3999) / {unitUs};
  IF units > {time.max} THEN
    RAISE EXCEPTION 'sno_lower_bound: % is after the last time of a sno, %', at,
      snoflax._moment({lastMs}) USING ERRCODE = '22008';
  END IF;
  RETURN units;
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_lower_bound(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_compose(snoflax._sno_lower_unit(at), 0, 0, 0, 0);

COMMENT ON FUNCTION snoflax.sno_lower_bound(timestamptz) IS
  'The smallest sno whose time is at or after this time, as 10 bytes; 22008 after the last time.';

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

-- A value of snoflax.sno_state is unit << 24 | counter, the units being those of sno. 24 is what 63 bits leave.

-- [state]

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('sno', 'snoflax.sno_state', 'snoflax._sno_timeline', 24, {sequence.max}, {unitsPerSecond},
  {unitUs}, {epochUnits}, 0, {time.max},
  'SELECT snoflax.sno_set_partition(<partition>)')
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._lease_define('sno', {partition.max}, 1024);

SELECT snoflax._clock_mend('sno');

CREATE OR REPLACE FUNCTION snoflax.sno_set_partition(partition integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM snoflax._clock_take_number('sno',
    snoflax._check_field('partition'::text, partition::bigint, 0::bigint, {partition.max}::bigint, 'sno_set_partition'::text),
    {epochUnits} * {unitMs}, 'sno_set_partition');
END $$;

REVOKE EXECUTE ON FUNCTION snoflax.sno_set_partition(integer) FROM PUBLIC;

-- On the fast path the lead over the clock is up to 31 units, the 0.1 s of clock.sql, and the counter has 16 bits.
CREATE OR REPLACE FUNCTION snoflax.sno_generate(meta integer DEFAULT 0) RETURNS bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.sno_state'::regclass);
BEGIN
  IF (((v >> 24) - (snoflax._clock_us() / {unitUs} - {epochUnits})) & (-32)::bigint) | (v & 16711680::bigint) <> 0
    OR NOT snoflax._clock_is_checked('sno'::text, 'snoflax._sno_timeline'::regclass) OR meta NOT BETWEEN 0 AND {meta.max}
  THEN
    IF meta NOT BETWEEN 0 AND {meta.max} THEN
      RAISE EXCEPTION 'sno_generate: meta % is not from 0 to 255', meta USING ERRCODE = '22003';
    END IF;
    v := snoflax._clock_advance('sno'::text);
  END IF;
  RETURN substring(int8send(((v >> 24) << 9) | meta::bigint), 3)
    || substring(int8send((snoflax._sno_number() << {sequence.bits}) | (v & {sequence.max}::bigint)), 5);
END $$;

-- The characters without the bytes in between. The number of the server is worked out when planned; the state has 0 for
-- the tick-tock bit. Three steps spread 40 bits in a third of the time of _spread5(): 20, 10, and 5 bits at a time.
-- [each: uuid text]
CREATE OR REPLACE FUNCTION snoflax.sno_generate_{form}(meta integer DEFAULT 0) RETURNS {type}
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.sno_state'::regclass);
  last_digits bigint;
BEGIN
  IF (((v >> 24) - (snoflax._clock_us() / {unitUs} - {epochUnits})) & (-32)::bigint) | (v & 16711680::bigint) <> 0
    OR NOT snoflax._clock_is_checked('sno'::text, 'snoflax._sno_timeline'::regclass) OR meta NOT BETWEEN 0 AND {meta.max}
  THEN
    IF meta NOT BETWEEN 0 AND {meta.max} THEN
      RAISE EXCEPTION 'sno_generate_{form}: meta % is not from 0 to 255', meta USING ERRCODE = '22003';
    END IF;
    v := snoflax._clock_advance('sno'::text);
  END IF;
  last_digits := snoflax._spread5(snoflax._sno_number() << {sequence.bits})
    | ((meta >> 3)::bigint << 56) | ((meta & 7)::bigint << 50)
    | ((v & 32768::bigint) << 9) | ((v & 31744::bigint) << 6) | ((v & 992::bigint) << 3) | (v & 31::bigint);
  v := (v >> 23) + (v >> 43) * 4293918720;
  v := v + ((v >> 10) & 4393751544831) * 64512;
  v := v + ((v >> 5) & 8725857424048159) * 224;
  RETURN {sno digits};
END $$;
COMMENT ON FUNCTION snoflax.sno_generate_{form}(integer) IS 'A new sno as {stored}.';

-- [generators: uuid8]

COMMENT ON FUNCTION snoflax.sno_set_partition(integer) IS
  'Sets the partition, 0 to 65535, that the ids of this database carry. No other generator may have it. Needed before '
  'the first id, and again in a copy of the database. For the owner.';
COMMENT ON FUNCTION snoflax.sno_generate(integer) IS
  'A new sno as bytea, with a metabyte of 0 to 255. Larger than any that this database made with the same metabyte '
  'before the call. Needs USAGE on sequence sno_state.';
