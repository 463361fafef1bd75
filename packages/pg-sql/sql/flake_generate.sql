-- Generators of flake. After shared.sql, clock.sql, lease.sql and flake.sql.
-- A value of snoflax.flake_state is millisecond << 20 | counter. The milliseconds are Unix time, whatever the epoch of
-- the ids, and last until 2248.

-- It starts in the guard zone of unit 0, so that nobody gets an id before _clock_advance() has let it.
CREATE SEQUENCE IF NOT EXISTS snoflax.flake_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._flake_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;

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
    RAISE EXCEPTION 'flake_set_worker: ids were made with epoch_ms %, and those with epoch_ms % could repeat them',
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

-- The 64 bits of an id. 100 units are the 0.1 s that clock.sql speaks of.
CREATE OR REPLACE FUNCTION snoflax._flake_next(fits_bigint boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.flake_state');
  now_ms bigint := snoflax._clock_us() / 1000;
BEGIN
  IF (v >> 20) - now_ms NOT BETWEEN 0 AND 100 OR (v & 1048575) > 4095/*flake.counter.max*/ THEN
    v := snoflax._clock_advance('flake');
  END IF;
  v := (((v >> 20) - snoflax._flake_epoch_ms()) << 22/*flake.time.shift*/)
    | (snoflax._flake_number() << 12/*flake.worker.shift*/) | (v & 4095/*flake.counter.max*/);
  IF fits_bigint AND v < 0 THEN
    RAISE EXCEPTION 'flake_generate_bigint: the flake % is 2^63 or more, which a bigint cannot hold', int8send(v)
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

COMMENT ON SEQUENCE snoflax.flake_state IS 'Time and number of the last flake.';
COMMENT ON FUNCTION snoflax.flake_set_worker(integer, integer, bigint) IS
  'Sets datacenter and worker, 0 to 31 each, that the ids of this database carry, and their epoch, which stays after '
  'the first id. No other generator may have both. Needed before the first id, and again in a copy of the database. '
  'For the owner.';
COMMENT ON FUNCTION snoflax.flake_generate() IS
  'A new flake as bytea. Larger than any that this database made before the call. Needs USAGE on sequence flake_state.';
COMMENT ON FUNCTION snoflax.flake_generate_bigint() IS
  'A new flake as bigint; with epoch 0 an error from 2039-09-07 on.';
COMMENT ON FUNCTION snoflax.flake_generate_uuid8() IS 'A new flake as a UUID of version 8.';
COMMENT ON FUNCTION snoflax.flake_generate_many(integer) IS
  'n new flakes, in order. For another storage: SELECT flake_generate_bigint() FROM generate_series(1, n).';
