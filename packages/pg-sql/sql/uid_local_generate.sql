-- Generators of uid_local. After shared.sql, clock.sql and uid_local.sql.
-- Units are the steps of 1.024 ms, of which each second has 977, numbered through: second * 977 + step. A value of
-- snoflax.uid_local_state is unit << 20 | counter and lasts until 2255.

-- It starts in the guard zone of unit 0, so that nobody gets an id before _clock_advance() has let it.
CREATE SEQUENCE IF NOT EXISTS snoflax.uid_local_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._uid_local_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;

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
  v bigint := nextval('snoflax.uid_local_state');
  us bigint := snoflax._clock_us();
  second bigint;
BEGIN
  IF (v >> 20) - (us / 1000000 * 977/*uid.stepsPerSecond*/ + us % 1000000 / 1024/*uid.stepUs*/)
      NOT BETWEEN 0 AND 97
    OR (v & 1048575) > 16383/*uid.sequence.max*/
  THEN
    v := snoflax._clock_advance('uid_local');
  END IF;
  second := (v >> 20) / 977/*uid.stepsPerSecond*/;
  RETURN ((second / 1000000) << 44/*uidLocal.megaSeconds.shift*/)
    | ((second % 1000000) << 24/*uidLocal.seconds.shift*/)
    | (((v >> 20) % 977/*uid.stepsPerSecond*/) << 14/*uidLocal.step.shift*/) | (v & 16383/*uid.sequence.max*/);
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

COMMENT ON SEQUENCE snoflax.uid_local_state IS 'Time and number of the last uid_local.';
COMMENT ON FUNCTION snoflax.uid_local_generate() IS
  'A new uid_local as bytea. Unique among those that this database makes, no more: a copy of the database may make the '
  'same ones, and if they are given a node, then not the one that uid_generate() has. Larger than any that this '
  'database made before the call. Needs USAGE on sequence uid_local_state.';
COMMENT ON FUNCTION snoflax.uid_local_generate_bigint() IS 'A new uid_local as bigint.';
COMMENT ON FUNCTION snoflax.uid_local_generate_uuid8() IS 'A new uid_local as a UUID of version 8.';
COMMENT ON FUNCTION snoflax.uid_local_generate_text() IS 'A new uid_local as text.';
COMMENT ON FUNCTION snoflax.uid_local_generate_many(integer) IS
  'n new uid_locals, in order. For another storage: SELECT uid_local_generate_bigint() FROM generate_series(1, n).';
