-- Generators of sno. After shared.sql, clock.sql, lease.sql and sno.sql.
-- A value of snoflax.sno_state is unit << 24 | counter, the units being those of sno. 24 is what 63 bits leave.

-- It starts in the guard zone of unit 0, so that nobody gets an id before _clock_advance() has let it.
CREATE SEQUENCE IF NOT EXISTS snoflax.sno_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._sno_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('sno', 'snoflax.sno_state', 'snoflax._sno_timeline', 24, 65535/*sno.sequence.max*/, 250/*sno.unitsPerSecond*/,
  4000/*sno.unitUs*/, 315576000000/*sno.epochUnits*/, 0, 549755813887/*sno.time.max*/,
  'SELECT snoflax.sno_set_partition(<partition>)')
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._lease_define('sno', 65535/*sno.partition.max*/, 1024);

SELECT snoflax._clock_mend('sno');

CREATE OR REPLACE FUNCTION snoflax.sno_set_partition(partition integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM snoflax._clock_take_number('sno',
    snoflax._check_field('partition', partition, 0, 65535/*sno.partition.max*/, 'sno_set_partition'),
    315576000000/*sno.epochUnits*/ * 4/*sno.unitMs*/, 'sno_set_partition');
END $$;

REVOKE EXECUTE ON FUNCTION snoflax.sno_set_partition(integer) FROM PUBLIC;

-- 25 units are the 0.1 s that clock.sql speaks of.
CREATE OR REPLACE FUNCTION snoflax.sno_generate(meta integer DEFAULT 0) RETURNS bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.sno_state');
  now_unit bigint := snoflax._clock_us() / 4000/*sno.unitUs*/ - 315576000000/*sno.epochUnits*/;
BEGIN
  IF meta NOT BETWEEN 0 AND 255/*sno.meta.max*/ THEN
    RAISE EXCEPTION 'sno_generate: meta % is not from 0 to 255', meta USING ERRCODE = '22003';
  END IF;
  IF (v >> 24) - now_unit NOT BETWEEN 0 AND 25
    OR (v & 16777215) > 65535/*sno.sequence.max*/
  THEN
    v := snoflax._clock_advance('sno');
  END IF;
  RETURN substring(int8send(((v >> 24) << 9) | meta), 3)
    || substring(int8send((snoflax._sno_number() << 16/*sno.sequence.bits*/) | (v & 65535/*sno.sequence.max*/)), 5);
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_generate_uuid(meta integer DEFAULT 0) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.sno_to_uuid(snoflax.sno_generate(meta));

CREATE OR REPLACE FUNCTION snoflax.sno_generate_uuid8(meta integer DEFAULT 0) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.sno_to_uuid8(snoflax.sno_generate(meta));

CREATE OR REPLACE FUNCTION snoflax.sno_generate_text(meta integer DEFAULT 0) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.sno_encode(snoflax.sno_generate(meta));

CREATE OR REPLACE FUNCTION snoflax.sno_generate_many(n integer, meta integer DEFAULT 0) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'sno_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.sno_generate(meta) FROM generate_series(1, n);
END $$;

COMMENT ON SEQUENCE snoflax.sno_state IS 'Time and number of the last sno.';
COMMENT ON FUNCTION snoflax.sno_set_partition(integer) IS
  'Sets the partition, 0 to 65535, that the ids of this database carry. No other generator may have it. Needed before '
  'the first id, and again in a copy of the database. For the owner.';
COMMENT ON FUNCTION snoflax.sno_generate(integer) IS
  'A new sno as bytea, with a metabyte of 0 to 255. Larger than any that this database made with the same metabyte '
  'before the call. Needs USAGE on sequence sno_state.';
COMMENT ON FUNCTION snoflax.sno_generate_uuid(integer) IS 'A new sno as uuid: the 16 characters as bytes.';
COMMENT ON FUNCTION snoflax.sno_generate_uuid8(integer) IS 'A new sno as a UUID of version 8.';
COMMENT ON FUNCTION snoflax.sno_generate_text(integer) IS 'A new sno as text.';
COMMENT ON FUNCTION snoflax.sno_generate_many(integer, integer) IS
  'n new snos, in order. For another storage: SELECT sno_generate_uuid() FROM generate_series(1, n).';
