-- flake: 8 bytes, 42 bits of milliseconds, datacenter, worker, counter; its text is the decimal number.
-- See spec/flake.md. Storages: bigint, bytea, uuid8 (RFC 9562 version 8). Not text, which does not sort by time.
-- The time counts from 1970 unless you pass another epoch_ms. Ids do not contain it, so use one only.

SET LOCAL search_path = pg_catalog, pg_temp;

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

-- [bytes]

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
  ELSIF char_length(id) NOT BETWEEN 1 AND {maxCharacters} THEN
    RAISE EXCEPTION '%: "%" has % characters, a flake has 1 to %', caller, shown, char_length(id),
      {maxCharacters} USING ERRCODE = '22P02';
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

-- [number: bytea bigint text uuid]
-- [codec: bytea bigint text uuid]

-- [each: bytea bigint text]
CREATE OR REPLACE FUNCTION snoflax.flake_to_hex(id {form}) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._flake_bytes(id, 'flake_to_hex'), 'hex');
COMMENT ON FUNCTION snoflax.flake_to_hex({form}) IS 'A flake {in form} to 16 lower-case hex digits; {refusal}.';

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
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN snoflax._check_field('epoch_ms'::text, epoch_ms, -8640000000000000::bigint, {maxEpochMs}::bigint, caller);
END $$;

CREATE OR REPLACE FUNCTION snoflax._flake_time(bytes bytea, epoch_ms bigint) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ms bigint := ('x' || encode(bytes, 'hex'))::bit({time.bits})::bigint;
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
  ms bigint := ('x' || encode(bytes, 'hex'))::bit({time.bits})::bigint;
  low integer := ('x' || right(encode(bytes, 'hex'), 6))::bit(24)::integer;
BEGIN
  RETURN ROW(
    ms + snoflax._flake_epoch(epoch_ms, 'flake_unpack'),
    (low >> {datacenter.shift}) & {datacenter.max},
    (low >> {worker.shift}) & {worker.max},
    low & {counter.max})::snoflax.flake_fields;
END $$;

-- [time: bytea bigint text uuid]
-- [time by storage: binary bigint text uuid]
-- [unpack: bytea bigint text uuid]

CREATE OR REPLACE FUNCTION snoflax.flake_pack(fields snoflax.flake_fields, epoch_ms bigint DEFAULT 0) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  epoch bigint := snoflax._flake_epoch(epoch_ms, 'flake_pack');
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.time_ms := snoflax._check_field('time_ms'::text, fields.time_ms, epoch, epoch + {time.max}::bigint,
    'flake_pack'::text);
  RETURN int8send(
    ((fields.time_ms - epoch) << {time.shift})
    | (snoflax._check_field('datacenter'::text, fields.datacenter::bigint, 0::bigint, {datacenter.max}::bigint, 'flake_pack'::text)
      << {datacenter.shift})
    | (snoflax._check_field('worker'::text, fields.worker::bigint, 0::bigint, {worker.max}::bigint, 'flake_pack'::text)
      << {worker.shift})
    | snoflax._check_field('counter'::text, fields.counter::bigint, 0::bigint, {counter.max}::bigint, 'flake_pack'::text));
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
  ELSIF ms > {time.max} THEN
    RAISE EXCEPTION '%: % is after the last time of a flake, %', caller, at,
      snoflax._far_moment(epoch_ms + {time.max}) USING ERRCODE = '22008';
  END IF;
  RETURN ms << {time.shift};
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

-- [bounds: uuid8]

-- Checks --------------------------------------------------------------------------------------------------------------

-- [checks: bytea bigint text uuid]
-- [domains: binary bigint uuid8]
-- [between: binary bigint uuid8]

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flake_partman_decode(key text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flake_time(key::uuid);

-- [partman]

-- Generators ----------------------------------------------------------------------------------------------------------

-- A value of snoflax.flake_state is millisecond << 20 | counter. The milliseconds are Unix time, whatever the epoch of
-- the ids, and last until 2248.

-- [state]

-- The epoch, which is the first unit. flake_set_worker() replaces it, and running this file again does not.
DO $$ BEGIN
  IF to_regprocedure('snoflax._flake_epoch_ms()') IS NULL THEN
    PERFORM snoflax._clock_constant('_flake_epoch_ms',
      coalesce((SELECT first_unit FROM snoflax._generator WHERE family = 'flake'), 0));
  END IF;
END $$;

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('flake', 'snoflax.flake_state', 'snoflax._flake_timeline', 20, {counter.max}, 1000, 1000, 0,
  snoflax._flake_epoch_ms(), least(snoflax._flake_epoch_ms() + {time.max}, 8796093022207),
  'SELECT snoflax.flake_set_worker(<datacenter>, <worker>)')
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._lease_define('flake', {datacenter.max} * 32 + {worker.max}, 1);

SELECT snoflax._clock_mend('flake');

CREATE OR REPLACE FUNCTION snoflax.flake_set_worker(datacenter integer, worker integer, epoch_ms bigint DEFAULT 0)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint :=
    snoflax._check_field('datacenter'::text, datacenter::bigint, 0::bigint, {datacenter.max}::bigint, 'flake_set_worker'::text) * 32
    + snoflax._check_field('worker'::text, worker::bigint, 0::bigint, {worker.max}::bigint, 'flake_set_worker'::text);
  epoch bigint := snoflax._flake_epoch(epoch_ms, 'flake_set_worker');
  g snoflax._generator;
BEGIN
  -- One after another, so that none waits for another one's lock with a lock of its own.
  LOCK TABLE snoflax._generator IN SHARE UPDATE EXCLUSIVE MODE;
  -- The second look is under the lock. Generators wait for no change that is refused.
  FOR look IN 1..2 LOOP
    SELECT * INTO g FROM snoflax._generator WHERE family = 'flake';
    EXIT WHEN g.first_unit = epoch;
    IF (pg_sequence_last_value(g.state) >> g.shift) > 0 THEN
      RAISE EXCEPTION 'flake_set_worker: ids were generated with epoch_ms %, and ids with epoch_ms % could repeat them',
        g.first_unit, epoch USING ERRCODE = '55000',
        HINT = format('SELECT snoflax.flake_set_worker(%s, %s, %s)', datacenter, worker, g.first_unit);
    END IF;
    EXIT WHEN g.number IS NULL;
    -- No first id until the commit: _clock_advance() reads the table.
    LOCK TABLE snoflax._generator IN ACCESS EXCLUSIVE MODE;
  END LOOP;
  UPDATE snoflax._generator
     SET first_unit = epoch, last_unit = least(epoch + {time.max}, 8796093022207)
   WHERE family = 'flake';
  PERFORM snoflax._clock_constant('_flake_epoch_ms', epoch);
  PERFORM snoflax._clock_take_number('flake', number, epoch, 'flake_set_worker');
END $$;

REVOKE EXECUTE ON FUNCTION snoflax.flake_set_worker(integer, integer, bigint) FROM PUBLIC;

-- The 64 bits of an id. On the fast path the lead over the clock is up to 127 units, the 0.1 s of clock.sql, and the counter
-- has 12 bits.
-- [each: bytea bigint]
CREATE OR REPLACE FUNCTION snoflax.{flake generate}() RETURNS {type}
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.flake_state'::regclass);
BEGIN
  IF (((v >> 20) - snoflax._clock_us() / 1000) & (-128)::bigint) | (v & 1044480::bigint) <> 0
    OR NOT snoflax._clock_is_checked('flake'::text, 'snoflax._flake_timeline'::regclass)
  THEN
    v := snoflax._clock_advance('flake'::text);
  END IF;
  v := (((v >> 20) - snoflax._flake_epoch_ms()) << {time.shift})
    | (snoflax._flake_number() << {worker.shift}) | (v & {counter.max}::bigint);
{flake bits}
END $$;

-- [generators: uuid8]

COMMENT ON FUNCTION snoflax.flake_set_worker(integer, integer, bigint) IS
  'Sets datacenter and worker, 0 to 31 each, that the ids of this database carry, and their epoch, which stays after '
  'the first id. No other generator may have both. Needed before the first id, and again in a copy of the database. '
  'For the owner.';
COMMENT ON FUNCTION snoflax.flake_generate() IS
  'A new flake as bytea. Larger than all that this database generated before. Needs USAGE on sequence flake_state.';
COMMENT ON FUNCTION snoflax.flake_generate_bigint() IS
  'A new flake as bigint; with epoch 0 an error from 2039-09-07 on.';
