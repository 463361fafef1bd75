-- Made by scripts/fill.js from sql/uid.sql.
-- uid: 12 bytes, time in steps of 1.024 ms, node and sequence, 16 characters. See spec/uid.md.
-- Storages: bytea, uuid (the 16 characters as bytes), uuid8 (RFC 9562 version 8), text COLLATE "C".
-- Ids of a window of 2^neighbourhood seconds sort by node before time: 256 s unless functions get another
-- neighbourhood. Ids do not say which: keep to one.

SET LOCAL search_path = pg_catalog, pg_temp;

-- Alphabet, which is that of uid_local too: see flax.sql --------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._uid_codes(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN digits + 3327647950551526958/*uid.digit0*/
  + (((digits + 4557430888798830399/*uid.from1*/) >> 6) & 72340172838076673/*bit0*/)
  + (((digits + 3834029160418063669/*uid.from11*/) >> 6) & 72340172838076673/*bit0*/) * 7/*uid.skip11*/
  + (((digits + 1953184666628070171/*uid.from37*/) >> 6) & 72340172838076673/*bit0*/) * 4/*uid.skip37*/
  + (((digits + 1880844493789993498/*uid.from38*/) >> 6) & 72340172838076673/*bit0*/);

-- The inverse. The same trick on the low 6 bits of a code, put together with its bit 6: below 64 either decides
-- (digit 1), above 64 both (digits 37, 38); that bit alone decides on digit 11. Codes outside the alphabet return
-- arbitrary digits, so the caller encodes them again and compares, which makes decoding strict.
CREATE OR REPLACE FUNCTION snoflax._uid_digits(codes bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ((codes & 9187201950435737471/*low7*/) - 3327647950551526958/*uid.digit0*/
  - (((codes | ((codes & 4557430888798830399/*low6*/) + 1157442765409226768/*uid.code1*/)) >> 6) & 72340172838076673/*bit0*/)
  - ((codes >> 6) & 72340172838076673/*bit0*/) * 7/*uid.skip11*/
  - (((codes & ((codes & 4557430888798830399/*low6*/) + 2387225703656530209/*uid.code37*/)) >> 6) & 72340172838076673/*bit0*/) * 4/*uid.skip37*/
  - (((codes & ((codes & 4557430888798830399/*low6*/) + 2242545357980376863/*uid.code38*/)) >> 6) & 72340172838076673/*bit0*/)
) & 4557430888798830399/*low6*/;

CREATE OR REPLACE FUNCTION snoflax._uid_bytes(id bytea, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bytes(id, 12/*uid.bytes*/, 'uid', caller);

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

-- The bytes of 16 ASCII codes; NULL for other bytes.
CREATE OR REPLACE FUNCTION snoflax._uid_bytes_of_ascii(ascii bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  codes1 bigint;
  codes2 bigint;
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(ascii) <> 16/*uid.characters*/ THEN
    RETURN ''::bytea;
  END IF;
  codes1 := snoflax._read64(ascii, 0);
  codes2 := snoflax._read64(ascii, 8);
  digits1 := snoflax._uid_digits(codes1);
  digits2 := snoflax._uid_digits(codes2);
  IF snoflax._uid_codes(digits1) <> codes1 OR snoflax._uid_codes(digits2) <> codes2 THEN
    RETURN ''::bytea;
  END IF;
  RETURN substring(int8send(snoflax._gather6(digits1)) from 3)
    || substring(int8send(snoflax._gather6(digits2)) from 3);
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_bytes(id text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._uid_bytes_of_ascii(convert_to(id, 'UTF8'::name));
BEGIN
  IF bytes <> '' THEN
    RETURN bytes;
  END IF;
  RETURN snoflax._refuse_text(id, 16/*uid.characters*/, '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'/*uid.alphabet*/, 'uid', caller);
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_bytes_of_uuid(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._uid_bytes_of_ascii(uuid_send(id));
BEGIN
  IF bytes <> '' OR caller = '' THEN
    RETURN bytes;
  END IF;
  RAISE EXCEPTION '%: the bytes of % are not the 16 characters of a uid', caller, id USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_bytes_of_uuid8(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, 12/*uid.bytes*/, '04'/*uid.tag*/, 'uid', caller);

-- Octet 8 of a uuid8 is 128 or more, unlike any ASCII code.
CREATE OR REPLACE FUNCTION snoflax._uid_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF get_byte(uuid_send(id), 8) < 128 THEN
    RETURN snoflax._uid_bytes_of_uuid(id, caller);
  END IF;
  RETURN snoflax._uid_bytes_of_uuid8(id, caller);
END $$;

-- Text, bytes, uuid ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._uid_ascii(id bytea, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(id) <> 12/*uid.bytes*/ THEN
    RETURN snoflax._uid_bytes(id, caller); -- which refuses it
  END IF;
  digits1 := snoflax._read48(id, 0);
  digits2 := snoflax._read48(id, 6);
  digits1 := snoflax._spread6(digits1);
  digits2 := snoflax._spread6(digits2);
  RETURN int8send(snoflax._uid_codes(digits1)) || int8send(snoflax._uid_codes(digits2));
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._uid_ascii(id, 'uid_encode'), 'escape');

CREATE OR REPLACE FUNCTION snoflax.uid_encode(id text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._uid_bytes(id, 'uid_encode'); -- refuses a malformed id
BEGIN
  RETURN id;
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_encode(id uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._uid_bytes_of_ascii(uuid_send(id)) <> '' THEN
    RETURN encode(uuid_send(id), 'escape');
  END IF;
  RETURN snoflax.uid_encode(snoflax._uid_bytes(id, 'uid_encode'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_to_uuid(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._uid_ascii(id, 'uid_to_uuid'), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.uid_to_uuid(id text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._uid_bytes(id, 'uid_to_uuid'); -- refuses a malformed id
BEGIN
  RETURN encode(convert_to(id, 'UTF8'::name), 'hex')::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_from_uuid(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes_of_uuid(id, 'uid_from_uuid');

COMMENT ON FUNCTION snoflax.uid_to_uuid(bytea) IS
  'The 12 bytes of a uid to a uuid that holds its 16 characters; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.uid_to_uuid(text) IS
  'The 16 characters of a uid to a uuid that holds them; 22P02 if they are none.';
COMMENT ON FUNCTION snoflax.uid_from_uuid(uuid) IS
  'A uuid that holds 16 characters to the 12 bytes of a uid; 22P02 if they are none.';

CREATE OR REPLACE FUNCTION snoflax.uid_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes(id, 'uid_decode');

CREATE OR REPLACE FUNCTION snoflax.uid_to_uuid8(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._uid_bytes(id, 'uid_to_uuid8'), '04'/*uid.tag*/);

CREATE OR REPLACE FUNCTION snoflax.uid_to_uuid8(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._uid_bytes(id, 'uid_to_uuid8'), '04'/*uid.tag*/);

CREATE OR REPLACE FUNCTION snoflax.uid_from_uuid8(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes_of_uuid8(id, 'uid_from_uuid8');

COMMENT ON FUNCTION snoflax.uid_encode(bytea) IS
  'The text of a uid passed in 12 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_encode(text) IS
  'The text of a uid passed in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_encode(uuid) IS
  'The text of a uid passed in a uuid or uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.uid_prefixed_encode(prefix text, id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_prefixed_encode') || snoflax.uid_encode(id);

CREATE OR REPLACE FUNCTION snoflax.uid_prefixed_encode(prefix text, id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_prefixed_encode') || snoflax.uid_encode(id);

CREATE OR REPLACE FUNCTION snoflax.uid_prefixed_encode(prefix text, id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'uid_prefixed_encode') || snoflax.uid_encode(id);

COMMENT ON FUNCTION snoflax.uid_prefixed_encode(text, bytea) IS
  'The text of a uid passed in 12 bytes, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_prefixed_encode(text, text) IS
  'The text of a uid passed in text, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_prefixed_encode(text, uuid) IS
  'The text of a uid passed in a uuid or uuid8 column, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.uid_prefixed_decode(prefix text, id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes(
  snoflax._without_prefix(prefix, id, 'uid_prefixed_decode'), 'uid_prefixed_decode');

COMMENT ON FUNCTION snoflax.uid_prefixed_decode(text, text) IS
  'The text of a uid behind that prefix to its 12 bytes; 22P02 for any other prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.uid_decode(text) IS
  'The text of a uid to its 12 bytes; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.uid_to_uuid8(bytea) IS
  'The 12 bytes of a uid to a UUIDv8 that ends in 04; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.uid_to_uuid8(text) IS
  'The text of a uid to a UUIDv8 that ends in 04; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.uid_from_uuid8(uuid) IS
  'A uid in UUIDv8 form to its 12 bytes; 22P02 for any other uuid.';

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
  IF neighbourhood BETWEEN 5/*uid.neighbourhood.min*/ AND 10/*uid.neighbourhood.max*/ THEN
    RETURN neighbourhood;
  END IF;
  RAISE EXCEPTION '%: neighbourhood % is not from % to %', caller, neighbourhood,
    5/*uid.neighbourhood.min*/, 10/*uid.neighbourhood.max*/ USING ERRCODE = '22003';
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
    ((head & 15) << 16)::bigint | ((middle >> (32/*uid.node.bits*/ + n)) << n) | (middle & ((1::bigint << n) - 1)),
    (tail >> 14/*uid.sequence.bits*/) * 1024/*uid.stepUs*/,
    (middle >> n) & 4294967295/*uid.node.max*/,
    tail & 16383/*uid.sequence.max*/)::snoflax.uid_fields;
END $$;

-- Fields that are known to be in range.
CREATE OR REPLACE FUNCTION snoflax._uid_compose(
  mega_seconds integer, seconds integer, step integer, node bigint, sequence integer, neighbourhood integer)
RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(int8send((mega_seconds << 4) | (seconds >> 16)) from 6)
  || substring(int8send((((seconds & 65535) >> neighbourhood)::bigint << (32/*uid.node.bits*/ + neighbourhood))
    | (node << neighbourhood) | (seconds & ((1 << neighbourhood) - 1))) from 3)
  || substring(int8send((step << 14/*uid.sequence.bits*/) | sequence) from 6);

CREATE OR REPLACE FUNCTION snoflax._uid_time(bytes bytea, neighbourhood integer) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  fields snoflax.uid_fields := snoflax._uid_fields(bytes, neighbourhood, 'uid_time');
  ms bigint := (fields.mega_seconds * 1000000::bigint + fields.seconds) * 1000 + fields.micro_seconds / 1000;
BEGIN
  RETURN snoflax._far_moment(ms);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_time(id bytea, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_time(snoflax._uid_bytes(id, 'uid_time'), neighbourhood);

CREATE OR REPLACE FUNCTION snoflax.uid_time(id text, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_time(snoflax._uid_bytes(id, 'uid_time'), neighbourhood);

CREATE OR REPLACE FUNCTION snoflax.uid_time(id uuid, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_time(snoflax._uid_bytes(id, 'uid_time'), neighbourhood);

COMMENT ON FUNCTION snoflax.uid_time(bytea, integer) IS
  'When the uid in 12 bytes was made, to the millisecond; 22P02 if it is none, 22003 for a neighbourhood outside 5 to 10.';

COMMENT ON FUNCTION snoflax.uid_time(text, integer) IS
  'When the uid in text was made, to the millisecond; 22P02 if it is none, 22003 for a neighbourhood outside 5 to 10.';

COMMENT ON FUNCTION snoflax.uid_time(uuid, integer) IS
  'When the uid in a uuid or uuid8 column was made, to the millisecond; 22P02 if it is none, 22003 for a neighbourhood outside 5 to 10.';

CREATE OR REPLACE FUNCTION snoflax.uid_time_binary(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_time(id);

CREATE OR REPLACE FUNCTION snoflax.uid_time_text(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_time(id);

CREATE OR REPLACE FUNCTION snoflax.uid_time_uuid(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_time(id);

COMMENT ON FUNCTION snoflax.uid_time_binary(bytea) IS
  'The same as uid_time(bytea), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.uid_time_text(text) IS
  'The same as uid_time(text), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.uid_time_uuid(uuid) IS
  'The same as uid_time(uuid), for what finds a function by its name alone.';

CREATE OR REPLACE FUNCTION snoflax.uid_unpack(id bytea, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS snoflax.uid_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_fields(snoflax._uid_bytes(id, 'uid_unpack'), neighbourhood, 'uid_unpack');

CREATE OR REPLACE FUNCTION snoflax.uid_unpack(id text, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS snoflax.uid_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_fields(snoflax._uid_bytes(id, 'uid_unpack'), neighbourhood, 'uid_unpack');

CREATE OR REPLACE FUNCTION snoflax.uid_unpack(id uuid, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS snoflax.uid_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_fields(snoflax._uid_bytes(id, 'uid_unpack'), neighbourhood, 'uid_unpack');

COMMENT ON FUNCTION snoflax.uid_unpack(bytea, integer) IS
  'The fields of a uid in 12 bytes; 22P02 if it is none, 22003 for a neighbourhood outside 5 to 10.';

COMMENT ON FUNCTION snoflax.uid_unpack(text, integer) IS
  'The fields of a uid in text; 22P02 if it is none, 22003 for a neighbourhood outside 5 to 10.';

COMMENT ON FUNCTION snoflax.uid_unpack(uuid, integer) IS
  'The fields of a uid in a uuid or uuid8 column; 22P02 if it is none, 22003 for a neighbourhood outside 5 to 10.';

CREATE OR REPLACE FUNCTION snoflax.uid_pack(
  fields snoflax.uid_fields, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  n integer := snoflax._uid_neighbourhood(neighbourhood, 'uid_pack');
  step integer;
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.mega_seconds := snoflax._check_field('mega_seconds', fields.mega_seconds,
    0, 1048575/*uid.megaSeconds.max*/, 'uid_pack');
  fields.seconds := snoflax._check_field('seconds', fields.seconds, 0, 1048575/*uid.seconds.max*/, 'uid_pack');
  step := snoflax._uid_step(fields.micro_seconds, 'uid_pack');
  fields.node := snoflax._check_field('node', fields.node, 0, 4294967295/*uid.node.max*/, 'uid_pack');
  fields.sequence := snoflax._check_field('sequence', fields.sequence, 0, 16383/*uid.sequence.max*/, 'uid_pack');
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
    hash := ((hash << 4) + byte) & 4294967295/*uid.node.max*/;
    hash := (hash # ((hash & 4026531840) >> 24)) & 268435455::bigint;
  END LOOP;
  RETURN hash;
END $$;

COMMENT ON FUNCTION snoflax.uid_fingerprint(text) IS
  'The number, 0 to 268435455, that stands for a node''s name in ids; 22023 for none.';

CREATE OR REPLACE FUNCTION snoflax.uid_from_local(
  id bytea, node bigint, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bits bigint := snoflax._uid_local_bits(id, 'uid_from_local');
  number bigint := snoflax._check_field('node', node, 0, 4294967295/*uid.node.max*/, 'uid_from_local');
  n integer := snoflax._uid_neighbourhood(neighbourhood, 'uid_from_local');
  mega_seconds integer := (bits >> 44/*uid_local.megaSeconds.shift*/) & 1048575/*uid_local.megaSeconds.max*/::bigint;
  seconds integer := (bits >> 24/*uid_local.seconds.shift*/) & 1048575/*uid_local.seconds.max*/::bigint;
  step integer := (bits >> 14/*uid_local.step.shift*/) & 1023/*uid_local.step.max*/::bigint;
  sequence integer := bits & 16383/*uid_local.sequence.max*/::bigint;
BEGIN
  RETURN snoflax._uid_compose(mega_seconds, seconds, step, number, sequence, n);
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_to_local(fields snoflax.uid_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN snoflax._uid_local_compose(fields.mega_seconds, fields.seconds, fields.micro_seconds / 1024/*uid.stepUs*/,
    fields.sequence);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_to_local(
  id bytea, node bigint, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  fields snoflax.uid_fields := snoflax._uid_fields(
    snoflax._uid_bytes(id, 'uid_to_local'), neighbourhood, 'uid_to_local');
  number bigint := snoflax._check_field('node', node, 0, 4294967295/*uid.node.max*/, 'uid_to_local');
BEGIN
  IF fields.node <> number THEN
    RAISE EXCEPTION 'uid_to_local: % is of node %, not of %', id, fields.node, number USING ERRCODE = '22023';
  END IF;
  RETURN snoflax._uid_to_local(fields);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_force_local(id bytea, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/)
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
  us bigint := snoflax._us_since_2000(at);
  ms bigint := snoflax._unix_ms(us);
  mega_seconds integer;
  seconds integer;
  step integer;
BEGIN
  IF ms <= 0 THEN
    RETURN decode('000000000000000000000000'/*uid.zero*/, 'hex');
  ELSIF ms > 1048575999999999/*uid.lastMs*/ THEN
    RAISE EXCEPTION '%: % is after the last time of a uid, %', caller, at,
      snoflax._far_moment(1048575999999999/*uid.lastMs*/) USING ERRCODE = '22008';
  END IF;
  mega_seconds := ms / 1000000000;
  seconds := ms / 1000 % 1000000::bigint;
  step := (ms % 1000::bigint * 1000 + 1023) / 1024/*uid.stepUs*/;
  IF upper AND (step > 0 OR seconds % (1 << n) > 0) THEN
    -- Any node may have made an earlier id of this window, so only the next window lies above them all.
    seconds := ((seconds >> n) + 1) << n;
    step := 0;
  END IF;
  RETURN snoflax._uid_compose(mega_seconds, seconds, step, 0, 0, n);
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_lower_bound(
  at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bound(at, false, neighbourhood, 'uid_lower_bound');

CREATE OR REPLACE FUNCTION snoflax.uid_upper_bound(
  at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bound(at, true, neighbourhood, 'uid_upper_bound');

CREATE OR REPLACE FUNCTION snoflax.uid_upper_bound_uuid(at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_to_uuid(snoflax._uid_bound(at, true, neighbourhood, 'uid_upper_bound_uuid'));
COMMENT ON FUNCTION snoflax.uid_upper_bound_uuid(timestamptz, integer) IS
  'A uid above all generated before this time, up to a window higher, for uuid columns; 22008 after the last time.';


CREATE OR REPLACE FUNCTION snoflax.uid_upper_bound_uuid8(at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_to_uuid8(snoflax._uid_bound(at, true, neighbourhood, 'uid_upper_bound_uuid8'));
COMMENT ON FUNCTION snoflax.uid_upper_bound_uuid8(timestamptz, integer) IS
  'A uid above all generated before this time, up to a window higher, for uuid8 columns; 22008 after the last time.';


CREATE OR REPLACE FUNCTION snoflax.uid_upper_bound_text(at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_encode(snoflax._uid_bound(at, true, neighbourhood, 'uid_upper_bound_text'));
COMMENT ON FUNCTION snoflax.uid_upper_bound_text(timestamptz, integer) IS
  'A uid above all generated before this time, up to a window higher, for text columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.uid_lower_bound(timestamptz, integer) IS
  'The smallest uid that a clock can generate at or after this time, as 12 bytes; 22008 after the last time.';
COMMENT ON FUNCTION snoflax.uid_upper_bound(timestamptz, integer) IS
  'A uid above all generated before this time, up to a window higher, as 12 bytes; 22008 after the last time.';

CREATE OR REPLACE FUNCTION snoflax.uid_lower_bound_uuid(at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_to_uuid(snoflax._uid_bound(at, false, neighbourhood, 'uid_lower_bound_uuid'));

CREATE OR REPLACE FUNCTION snoflax.uid_lower_bound_uuid8(at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_to_uuid8(snoflax._uid_bound(at, false, neighbourhood, 'uid_lower_bound_uuid8'));

CREATE OR REPLACE FUNCTION snoflax.uid_lower_bound_text(at timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_encode(snoflax._uid_bound(at, false, neighbourhood, 'uid_lower_bound_text'));

COMMENT ON FUNCTION snoflax.uid_lower_bound_uuid(timestamptz, integer) IS
  'The smallest uid that a clock can generate at or after this time, for uuid columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.uid_lower_bound_uuid8(timestamptz, integer) IS
  'The smallest uid that a clock can generate at or after this time, for uuid8 columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.uid_lower_bound_text(timestamptz, integer) IS
  'The smallest uid that a clock can generate at or after this time, for text columns; 22008 after the last time.';

-- Checks --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.uid_is_valid(id bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.uid_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.uid_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._uid_bytes(id, '') <> '';

COMMENT ON FUNCTION snoflax.uid_is_valid(bytea) IS 'Whether it is a uid in 12 bytes.';

COMMENT ON FUNCTION snoflax.uid_is_valid(text) IS 'Whether it is a uid in text.';

COMMENT ON FUNCTION snoflax.uid_is_valid(uuid) IS 'Whether it is a uid in a uuid or uuid8 column.';

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_binary AS bytea CHECK (octet_length(VALUE) = 12/*uid.bytes*/);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_uuid AS uuid CHECK (snoflax._uid_bytes_of_uuid(VALUE, '') <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_uuid8 AS uuid CHECK (snoflax._uid_bytes_of_uuid8(VALUE, '') <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.uid_text AS text COLLATE "C" CHECK (snoflax.uid_is_valid(VALUE));
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON DOMAIN snoflax.uid_binary IS 'A uid as its 12 bytes.';

COMMENT ON DOMAIN snoflax.uid_uuid IS 'A uid as a uuid that holds its 16 characters.';

COMMENT ON DOMAIN snoflax.uid_uuid8 IS 'A uid as a UUIDv8.';

COMMENT ON DOMAIN snoflax.uid_text IS 'A uid as text.';

-- Ranges of time. The planner replaces the call by the comparisons, so the function must not be STRICT. Each time occurs
-- only once, except for uid's recheck, since the planner does not copy slow or volatile expressions. After the last time
-- a range has no upper end, or is empty: its end is then above all ids. Nothing is above the last bigint, so the ends
-- of numbers are the largest one before the range and the largest one in it.

CREATE OR REPLACE FUNCTION snoflax._uid_end_binary(at timestamptz, upper boolean, neighbourhood integer) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid.lastUs2000*/ THEN
    RETURN decode(repeat('ff', 12/*uid.bytes*/ + 1), 'hex');
  END IF;
  RETURN snoflax._uid_bound(at, upper, neighbourhood, 'uid_between');
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_end_uuid(at timestamptz, upper boolean, neighbourhood integer) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid.lastUs2000*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.uid_to_uuid(snoflax._uid_bound(at, upper, neighbourhood, 'uid_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_end_uuid8(at timestamptz, upper boolean, neighbourhood integer) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid.lastUs2000*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.uid_to_uuid8(snoflax._uid_bound(at, upper, neighbourhood, 'uid_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax._uid_end_text(at timestamptz, upper boolean, neighbourhood integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._us_since_2000(at) > 1047629315199999000/*uid.lastUs2000*/ THEN
    RETURN '~';
  END IF;
  RETURN snoflax.uid_encode(snoflax._uid_bound(at, upper, neighbourhood, 'uid_between'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.uid_between(
  id bytea, from_time timestamptz, until_time timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._uid_end_binary(from_time, false, neighbourhood)
  AND id < snoflax._uid_end_binary(until_time, true, neighbourhood)
  AND snoflax.uid_time(id, neighbourhood) >= from_time AND snoflax.uid_time(id, neighbourhood) < until_time;
COMMENT ON FUNCTION snoflax.uid_between(bytea, timestamptz, timestamptz, integer) IS
  'Whether a uid, stored as its 12 bytes, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL, 22003 for a neighbourhood outside 5 to 10.';

CREATE OR REPLACE FUNCTION snoflax.uid_between(
  id uuid, from_time timestamptz, until_time timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._uid_end_uuid(from_time, false, neighbourhood)
  AND id < snoflax._uid_end_uuid(until_time, true, neighbourhood)
  AND snoflax.uid_time(id, neighbourhood) >= from_time AND snoflax.uid_time(id, neighbourhood) < until_time;
COMMENT ON FUNCTION snoflax.uid_between(uuid, timestamptz, timestamptz, integer) IS
  'Whether a uid, stored as a uuid that holds its 16 characters, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL, 22003 for a neighbourhood outside 5 to 10.';

CREATE OR REPLACE FUNCTION snoflax.uid_between_uuid8(
  id uuid, from_time timestamptz, until_time timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._uid_end_uuid8(from_time, false, neighbourhood)
  AND id < snoflax._uid_end_uuid8(until_time, true, neighbourhood)
  AND snoflax.uid_time(id, neighbourhood) >= from_time AND snoflax.uid_time(id, neighbourhood) < until_time;
COMMENT ON FUNCTION snoflax.uid_between_uuid8(uuid, timestamptz, timestamptz, integer) IS
  'Whether a uid, stored as a UUIDv8, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL, 22003 for a neighbourhood outside 5 to 10.';

CREATE OR REPLACE FUNCTION snoflax.uid_between(
  id text, from_time timestamptz, until_time timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._uid_end_text(from_time, false, neighbourhood)
  AND id COLLATE "C" < snoflax._uid_end_text(until_time, true, neighbourhood)
  AND snoflax.uid_time(id, neighbourhood) >= from_time AND snoflax.uid_time(id, neighbourhood) < until_time;
COMMENT ON FUNCTION snoflax.uid_between(text, timestamptz, timestamptz, integer) IS
  'Whether a uid, stored as text, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL, 22003 for a neighbourhood outside 5 to 10.';

-- The domain of a column says which form its uuids have.
CREATE OR REPLACE FUNCTION snoflax.uid_between(
  id snoflax.uid_uuid8, from_time timestamptz, until_time timestamptz, neighbourhood integer DEFAULT 8/*uid.neighbourhood*/) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.uid_between_uuid8(id, from_time, until_time, neighbourhood);

COMMENT ON FUNCTION snoflax.uid_between(snoflax.uid_uuid8, timestamptz, timestamptz, integer) IS
  'The same as uid_between_uuid8, for a column of the domain.';

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.uid_partman_decode(key text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF char_length(key) = 16/*uid.characters*/ THEN
    RETURN snoflax.uid_time(key);
  END IF;
  RETURN snoflax.uid_time(key::uuid);
END $$;

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.uid_partman_encode_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_lower_bound_uuid(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.uid_partman_encode_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_lower_bound_uuid8(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.uid_partman_encode_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.uid_lower_bound_text(at);

COMMENT ON FUNCTION snoflax.uid_partman_encode_uuid(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid key.';

COMMENT ON FUNCTION snoflax.uid_partman_encode_uuid8(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid8 key.';

COMMENT ON FUNCTION snoflax.uid_partman_encode_text(timestamptz) IS
  'p_time_encoder of pg_partman for a text key.';

COMMENT ON FUNCTION snoflax.uid_partman_decode(text) IS
  'p_time_decoder of pg_partman for keys of each p_time_encoder; 22P02 for others.';

-- Generators ----------------------------------------------------------------------------------------------------------

-- Units are the steps of 1.024 ms, of which each second has 977, numbered through: second * 977 + step. A value of
-- snoflax.uid_state is unit << 20 | counter and lasts until 2255.

-- It starts in the guard zone of unit 0, so that the first call takes the slow path, _clock_advance().
CREATE SEQUENCE IF NOT EXISTS snoflax.uid_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._uid_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;
COMMENT ON SEQUENCE snoflax.uid_state IS 'Time and number of the last uid.';

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
  v bigint := nextval('snoflax.uid_state'::regclass);
  us bigint := snoflax._clock_us();
  second bigint;
BEGIN
  IF (v >> 20) - (us / 1000000 * 977/*uid.stepsPerSecond*/ + us % 1000000::bigint / 1024/*uid.stepUs*/)
      NOT BETWEEN 0 AND 97
    OR (v & 1048575::bigint) > 16383/*uid.sequence.max*/
    OR NOT snoflax._clock_is_checked('uid')
  THEN
    v := snoflax._clock_advance('uid');
  END IF;
  second := (v >> 20) / 977/*uid.stepsPerSecond*/;
  RETURN int8send(((second / 1000000) << 44/*uid_local.megaSeconds.shift*/)
      | (((second % 1000000::bigint) >> 8/*uid.neighbourhood*/) << 32/*uid.node.bits*/) | snoflax._uid_number())
    || substring(int8send(((second % 1000000::bigint) << 24/*uid_local.seconds.shift*/)
      | (((v >> 20) % 977/*uid.stepsPerSecond*/::bigint) << 14/*uid_local.step.shift*/) | (v & 16383/*uid.sequence.max*/::bigint)), 5);
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

COMMENT ON FUNCTION snoflax.uid_generate_uuid() IS 'A new uid as a uuid that holds its 16 characters.';

COMMENT ON FUNCTION snoflax.uid_generate_uuid8() IS 'A new uid as a UUIDv8.';

COMMENT ON FUNCTION snoflax.uid_generate_text() IS 'A new uid as text.';

COMMENT ON FUNCTION snoflax.uid_generate_many(integer) IS
  'n new uids, in order. For another storage: SELECT uid_generate_uuid() FROM generate_series(1, n).';

COMMENT ON FUNCTION snoflax.uid_set_node(text) IS
  'Sets the node, by its name, that the ids of this database carry. No other generator may have its fingerprint. '
  'Needed before the first id, and again in a copy of the database. For the owner.';
COMMENT ON FUNCTION snoflax.uid_set_node(bigint) IS 'The same by the fingerprint, 0 to 4294967295.';
COMMENT ON FUNCTION snoflax.uid_generate() IS
  'A new uid as bytea, of neighbourhood 8. Larger than all that this database generated before, as long as the '
  'node stays. Needs USAGE on sequence uid_state.';
