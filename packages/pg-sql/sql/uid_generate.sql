-- Generators of uid, with the default neighbourhood of 8 bits. After shared.sql, clock.sql and uid.sql.
-- Units are the steps of 1.024 ms, of which each second has 977, numbered through: second * 977 + step. A value of
-- snoflax.uid_state is unit << 20 | counter and lasts until 2255.

-- It starts in the guard zone of unit 0, so that nobody gets an id before _clock_advance() has let it.
CREATE SEQUENCE IF NOT EXISTS snoflax.uid_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._uid_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('uid', 'snoflax.uid_state', 'snoflax._uid_timeline', 20, 16383/*uid.sequence.max*/,
  977/*uid.stepsPerSecond*/, 1024/*uid.stepUs*/, 0, 0, 8796093022207, 'SELECT snoflax.uid_set_node(<name>)')
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._clock_mend('uid');

CREATE OR REPLACE FUNCTION snoflax.uid_set_node(fingerprint bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM snoflax._clock_set_number('uid',
    snoflax._check_field('fingerprint', fingerprint, 0, 4294967295/*uid.node.max*/, 'uid_set_node'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_set_node(name text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF name IS NULL OR name = '' THEN
    RAISE EXCEPTION 'uid_set_node: name is NULL or empty' USING ERRCODE = '22023';
  END IF;
  PERFORM snoflax._clock_set_number('uid', snoflax.uid_fingerprint(name));
END $$;

REVOKE EXECUTE ON FUNCTION snoflax.uid_set_node(bigint), snoflax.uid_set_node(text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION snoflax.uid_generate() RETURNS bytea
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.uid_state');
  us bigint := snoflax._clock_us();
  second bigint;
BEGIN
  IF (v >> 20) - (us / 1000000 * 977/*uid.stepsPerSecond*/ + us % 1000000 / 1024/*uid.stepUs*/)
      NOT BETWEEN 0 AND 97
    OR (v & 1048575) > 16383/*uid.sequence.max*/
  THEN
    v := snoflax._clock_advance('uid');
  END IF;
  second := (v >> 20) / 977/*uid.stepsPerSecond*/;
  RETURN int8send(((second / 1000000) << 44/*uidLocal.megaSeconds.shift*/)
      | (((second % 1000000) >> 8/*uid.neighbourhood*/) << 32/*uid.node.bits*/) | snoflax._uid_number())
    || substring(int8send(((second % 1000000) << 24/*uidLocal.seconds.shift*/)
      | (((v >> 20) % 977/*uid.stepsPerSecond*/) << 14/*uidLocal.step.shift*/) | (v & 16383/*uid.sequence.max*/)), 5);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_generate_uuid() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.uid_to_uuid(snoflax.uid_generate());

CREATE OR REPLACE FUNCTION snoflax.uid_generate_uuid8() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.uid_to_uuid8(snoflax.uid_generate());

CREATE OR REPLACE FUNCTION snoflax.uid_generate_text() RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.uid_encode(snoflax.uid_generate());

CREATE OR REPLACE FUNCTION snoflax.uid_generate_many(n integer) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'uid_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.uid_generate() FROM generate_series(1, n);
END $$;

COMMENT ON SEQUENCE snoflax.uid_state IS 'Time and number of the last uid.';
COMMENT ON FUNCTION snoflax.uid_set_node(text) IS
  'Sets the node, by its name, that the ids of this database carry. No other generator may have its fingerprint. '
  'Needed before the first id, and again in a copy of the database. For the owner.';
COMMENT ON FUNCTION snoflax.uid_set_node(bigint) IS 'The same by the fingerprint, 0 to 4294967295.';
COMMENT ON FUNCTION snoflax.uid_generate() IS
  'A new uid as bytea, of neighbourhood 8. Larger than any that this database made before the call, as long as the '
  'node stays. Needs USAGE on sequence uid_state.';
COMMENT ON FUNCTION snoflax.uid_generate_uuid() IS 'A new uid as uuid: the 16 characters as bytes.';
COMMENT ON FUNCTION snoflax.uid_generate_uuid8() IS 'A new uid as a UUID of version 8.';
COMMENT ON FUNCTION snoflax.uid_generate_text() IS 'A new uid as text.';
COMMENT ON FUNCTION snoflax.uid_generate_many(integer) IS
  'n new uids, in order. For another storage: SELECT uid_generate_uuid() FROM generate_series(1, n).';
