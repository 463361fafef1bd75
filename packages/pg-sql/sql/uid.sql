-- uid: 12 bytes, time in steps of 1.024 ms, node and sequence, 16 characters. See spec/uid.md.
-- Storages: bytea, uuid (the 16 characters as bytes), uuid8 (RFC 9562 version 8), text COLLATE "C".
-- Ids of a window of 2^neighbourhood seconds sort by node before time: 256 s unless functions get another
-- neighbourhood. Ids do not say which: keep to one.

SET LOCAL search_path = pg_catalog, pg_temp;

-- Alphabet, which is that of uid_local too: see flax.sql --------------------------------------------------------------

-- [alphabet of 64]

-- [bytes]
-- [sixteen characters]
-- [codec: bytea text uuid]

-- Time and fields -----------------------------------------------------------------------------------------------------

DO $$ BEGIN
  CREATE TYPE snoflax.uid_fields AS (
    mega_seconds integer, seconds integer, micro_seconds integer, node bigint, sequence integer);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON TYPE snoflax.uid_fields IS
  'The parts of a uid: twice 0 to 1048575, a multiple of 1024 below 1048576, a 32-bit fingerprint, and 0 to 16383.';

CREATE OR REPLACE FUNCTION snoflax._uid_neighbourhood(neighbourhood integer, caller text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF neighbourhood BETWEEN {neighbourhood.min} AND {neighbourhood.max} THEN
    RETURN neighbourhood;
  END IF;
  RAISE EXCEPTION '%: neighbourhood % is not from % to %', caller, neighbourhood,
    {neighbourhood.min}, {neighbourhood.max} USING ERRCODE = '22003';
END $$;

-- The 96 bits in three numbers: 24 (megaSeconds, the upper 4 bits of the seconds), 48 (the other bits of the seconds,
-- the last of them behind the node), 24 (step, sequence).
CREATE OR REPLACE FUNCTION snoflax._uid_fields(bytes bytea, neighbourhood integer, caller text)
RETURNS snoflax.uid_fields LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  n integer := snoflax._uid_neighbourhood(neighbourhood, caller);
  head integer := snoflax._read48(bytes, 0) >> 24;
  middle bigint := snoflax._read48(bytes, 3);
  tail integer := snoflax._read48(bytes, 6) & 16777215::bigint;
BEGIN
  RETURN ROW(
    head >> 4,
    ((head & 15) << 16)::bigint | ((middle >> ({node.bits} + n)) << n) | (middle & ((1::bigint << n) - 1)),
    (tail >> {sequence.bits}) * {stepUs},
    (middle >> n) & {node.max},
    tail & {sequence.max})::snoflax.uid_fields;
END $$;

-- Fields that are known to be in range.
CREATE OR REPLACE FUNCTION snoflax._uid_compose(
  mega_seconds integer, seconds integer, step integer, node bigint, sequence integer, neighbourhood integer)
RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(int8send((mega_seconds << 4) | (seconds >> 16)) from 6)
  || substring(int8send((((seconds & 65535) >> neighbourhood)::bigint << ({node.bits} + neighbourhood))
    | (node << neighbourhood) | (seconds & ((1 << neighbourhood) - 1))) from 3)
  || substring(int8send((step << {sequence.bits}) | sequence) from 6);

CREATE OR REPLACE FUNCTION snoflax._uid_time(bytes bytea, neighbourhood integer) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  fields snoflax.uid_fields := snoflax._uid_fields(bytes, neighbourhood, 'uid_time');
  ms bigint := (fields.mega_seconds * 1000000::bigint + fields.seconds) * 1000 + fields.micro_seconds / 1000;
BEGIN
  RETURN snoflax._far_moment(ms);
END $$;

-- [time: bytea text uuid]
-- [time by storage: binary text uuid]
-- [unpack: bytea text uuid]

CREATE OR REPLACE FUNCTION snoflax.uid_pack(
  fields snoflax.uid_fields, neighbourhood integer DEFAULT {neighbourhood}) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  n integer := snoflax._uid_neighbourhood(neighbourhood, 'uid_pack');
  step integer;
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.mega_seconds := snoflax._check_field('mega_seconds'::text, fields.mega_seconds::bigint,
    0::bigint, {megaSeconds.max}::bigint, 'uid_pack'::text);
  fields.seconds := snoflax._check_field('seconds'::text, fields.seconds::bigint, 0::bigint, {seconds.max}::bigint, 'uid_pack'::text);
  step := snoflax._uid_step(fields.micro_seconds, 'uid_pack');
  fields.node := snoflax._check_field('node'::text, fields.node, 0::bigint, {node.max}::bigint, 'uid_pack'::text);
  fields.sequence := snoflax._check_field('sequence'::text, fields.sequence::bigint, 0::bigint, {sequence.max}::bigint, 'uid_pack'::text);
  RETURN snoflax._uid_compose(fields.mega_seconds, fields.seconds, step, fields.node, fields.sequence, n);
END $$;

COMMENT ON FUNCTION snoflax.uid_pack(snoflax.uid_fields, integer) IS
  'Fields to 12 bytes; 22003 for a field or a neighbourhood out of range, 22023 for NULL.';

-- Nodes and local ids -------------------------------------------------------------------------------------------------

-- Erlang's phash2 of the atom: characters up to U+00FF count as one byte, others as their UTF-8.
CREATE OR REPLACE FUNCTION snoflax.uid_fingerprint(node text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  utf8 bytea := convert_to(node, 'UTF8'::name);
  last integer := octet_length(utf8) - 1;
  i integer := 0;
  byte integer;
  hash bigint := 0;
BEGIN
  IF node = '' THEN
    RAISE EXCEPTION 'uid_fingerprint: the name of a node must not be empty' USING ERRCODE = '22023';
  END IF;
  WHILE i <= last LOOP
    byte := get_byte(utf8, i);
    i := i + 1;
    IF byte IN (194, 195) THEN
      byte := ((byte & 3) << 6) | (get_byte(utf8, i) & 63);
      i := i + 1;
    END IF;
    hash := ((hash << 4) + byte) & {node.max};
    hash := (hash # ((hash & 4026531840) >> 24)) & 268435455::bigint;
  END LOOP;
  RETURN hash;
END $$;

COMMENT ON FUNCTION snoflax.uid_fingerprint(text) IS
  'The number, 0 to 268435455, that stands for a node''s name in ids; 22023 for none.';

CREATE OR REPLACE FUNCTION snoflax.uid_from_local(
  id bytea, node bigint, neighbourhood integer DEFAULT {neighbourhood}) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bits bigint := snoflax._uid_local_bits(id, 'uid_from_local');
  number bigint := snoflax._check_field('node'::text, node, 0::bigint, {node.max}::bigint, 'uid_from_local'::text);
  n integer := snoflax._uid_neighbourhood(neighbourhood, 'uid_from_local');
  mega_seconds integer := (bits >> {uid_local.megaSeconds.shift}) & {uid_local.megaSeconds.max}::bigint;
  seconds integer := (bits >> {uid_local.seconds.shift}) & {uid_local.seconds.max}::bigint;
  step integer := (bits >> {uid_local.step.shift}) & {uid_local.step.max}::bigint;
  sequence integer := bits & {uid_local.sequence.max}::bigint;
BEGIN
  RETURN snoflax._uid_compose(mega_seconds, seconds, step, number, sequence, n);
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_to_local(fields snoflax.uid_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN snoflax._uid_local_compose(fields.mega_seconds, fields.seconds, fields.micro_seconds / {stepUs},
    fields.sequence);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_to_local(
  id bytea, node bigint, neighbourhood integer DEFAULT {neighbourhood}) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  fields snoflax.uid_fields := snoflax._uid_fields(
    snoflax._uid_bytes(id, 'uid_to_local'), neighbourhood, 'uid_to_local');
  number bigint := snoflax._check_field('node'::text, node, 0::bigint, {node.max}::bigint, 'uid_to_local'::text);
BEGIN
  IF fields.node <> number THEN
    RAISE EXCEPTION 'uid_to_local: % is of node %, not of %', id, fields.node, number USING ERRCODE = '22023';
  END IF;
  RETURN snoflax._uid_to_local(fields);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_force_local(id bytea, neighbourhood integer DEFAULT {neighbourhood})
RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_to_local(
  snoflax._uid_fields(snoflax._uid_bytes(id, 'uid_force_local'), neighbourhood, 'uid_force_local'));

COMMENT ON FUNCTION snoflax.uid_from_local(bytea, bigint, integer) IS
  'The 12 bytes of a local id that this node made; 22P02 unless it has 8 bytes, 22003 for a node out of 32 bits.';
COMMENT ON FUNCTION snoflax.uid_to_local(bytea, bigint, integer) IS
  'The 8 bytes of a uid of this node; 22023 for another node''s, 22P02 if it is no uid.';
COMMENT ON FUNCTION snoflax.uid_force_local(bytea, integer) IS
  'The 8 bytes of any uid, unique no more among nodes; 22P02 if it is none.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Every id with from <= time < until lies in lower_bound(from) <= id < upper_bound(until), and so do others of the
-- first and the last window: recheck with uid_time. Other families have no upper_bound, as theirs is lower_bound.
CREATE OR REPLACE FUNCTION snoflax._uid_bound(at timestamptz, upper boolean, neighbourhood integer, caller text)
RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  n integer := snoflax._uid_neighbourhood(neighbourhood, caller);
-- [parts of a bound]
  IF upper AND (step > 0 OR seconds % (1 << n) > 0) THEN
    -- Any node may have made an earlier id of this window, so only the next window lies above them all.
    seconds := ((seconds >> n) + 1) << n;
    step := 0;
  END IF;
  RETURN snoflax._uid_compose(mega_seconds, seconds, step, 0::bigint, 0, n);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_lower_bound(
  at timestamptz, neighbourhood integer DEFAULT {neighbourhood}) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bound(at, false, neighbourhood, 'uid_lower_bound');

CREATE OR REPLACE FUNCTION snoflax.uid_upper_bound(
  at timestamptz, neighbourhood integer DEFAULT {neighbourhood}) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bound(at, true, neighbourhood, 'uid_upper_bound');

-- [each: uuid uuid8 text]
CREATE OR REPLACE FUNCTION snoflax.uid_upper_bound_{form}(at timestamptz{option}) RETURNS {type}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.{written}(snoflax._uid_bound(at, true, neighbourhood, 'uid_upper_bound_{form}'));
COMMENT ON FUNCTION snoflax.uid_upper_bound_{form}(timestamptz, integer) IS
  'A uid above all generated before this time, up to a window higher, for {form} columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.uid_lower_bound(timestamptz, integer) IS
  'The smallest uid that a clock can generate at or after this time, as 12 bytes; 22008 after the last time.';
COMMENT ON FUNCTION snoflax.uid_upper_bound(timestamptz, integer) IS
  'A uid above all generated before this time, up to a window higher, as 12 bytes; 22008 after the last time.';

-- [bounds: uuid uuid8 text]

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

-- Units are the steps of 1.024 ms, of which each second has 977, numbered through: second * 977 + step. A value of
-- snoflax.uid_state is unit << 20 | counter and lasts until 2255.

-- [state]

INSERT INTO snoflax._generator
  (family, state, timeline, shift, last_counter, units_per_second, unit_us, origin, first_unit, last_unit, setup)
VALUES ('uid', 'snoflax.uid_state', 'snoflax._uid_timeline', 20, {sequence.max},
  {stepsPerSecond}, {stepUs}, 0, 0, 8796093022207, 'SELECT snoflax.uid_set_node(<name>)')
ON CONFLICT (family) DO NOTHING;

SELECT snoflax._clock_mend('uid');

CREATE OR REPLACE FUNCTION snoflax.uid_set_node(fingerprint bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM snoflax._clock_set_number('uid',
    snoflax._check_field('fingerprint'::text, fingerprint, 0::bigint, {node.max}::bigint, 'uid_set_node'::text));
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
  v bigint := nextval('snoflax.uid_state'::regclass);
  us bigint := snoflax._clock_us();
  second bigint;
BEGIN
  IF (((v >> 20) - (us / 1000000 * {stepsPerSecond} + us % 1000000::bigint / {stepUs})) & (-128)::bigint)
      | (v & 1032192::bigint) <> 0
    OR NOT snoflax._clock_is_checked('uid'::text, 'snoflax._uid_timeline'::regclass)
  THEN
    v := snoflax._clock_advance('uid'::text);
  END IF;
  second := (v >> 20) / {stepsPerSecond};
  RETURN int8send(((second / 1000000) << {uid_local.megaSeconds.shift})
      | (((second % 1000000::bigint) >> {neighbourhood}) << {node.bits}) | snoflax._uid_number())
    || substring(int8send(((second % 1000000::bigint) << {uid_local.seconds.shift})
      | (((v >> 20) % {stepsPerSecond}::bigint) << {uid_local.step.shift}) | (v & {sequence.max}::bigint)), 5);
END $$;

-- [generators: uuid uuid8 text]

COMMENT ON FUNCTION snoflax.uid_set_node(text) IS
  'Sets the node, by its name, that the ids of this database carry. No other generator may have its fingerprint. '
  'Needed before the first id, and again in a copy of the database. For the owner.';
COMMENT ON FUNCTION snoflax.uid_set_node(bigint) IS 'The same by the fingerprint, 0 to 4294967295.';
COMMENT ON FUNCTION snoflax.uid_generate() IS
  'A new uid as bytea, of neighbourhood 8. Larger than all that this database generated before, as long as the '
  'node stays. Needs USAGE on sequence uid_state.';
