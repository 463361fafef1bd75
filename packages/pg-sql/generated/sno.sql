-- Made by scripts/fill.js from sql/sno.sql.
-- sno: 10 bytes, 39 bits of 4 ms units since 2010, tick-tock, metabyte, partition, sequence, 16 characters.
-- See spec/sno.md. Storages: bytea, uuid (the 16 characters as bytes), uuid8 (RFC 9562 version 8), text COLLATE "C".

SET LOCAL search_path = pg_catalog, pg_temp;

-- Alphabet ------------------------------------------------------------------------------------------------------------

-- 8 digits, one in each byte of a bigint, become ASCII codes all at once: the code of digit 0, plus what the alphabet
-- skips before digit 8. Adding 32 - 8 to a byte sets its bit 5 exactly if the digit is at least 8.
CREATE OR REPLACE FUNCTION snoflax._sno_codes(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN digits + 3617008641903833650/*sno.digit0*/
  + (((digits + 1736164148113840152/*sno.from8*/) >> 5) & 72340172838076673/*bit0*/) * 39/*sno.skip8*/;

-- The inverse: bit 6 of a code tells digit 8 and up. Other codes than the alphabet's give any digits, so the caller
-- makes codes again and compares, which is what makes decoding strict.
CREATE OR REPLACE FUNCTION snoflax._sno_digits(codes bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ((codes & 9187201950435737471/*low7*/) - 3617008641903833650/*sno.digit0*/
  - ((codes >> 6) & 72340172838076673/*bit0*/) * 39/*sno.skip8*/) & 2242545357980376863/*low5*/;

CREATE OR REPLACE FUNCTION snoflax._sno_bytes(id bytea, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bytes(id, 10/*sno.bytes*/, 'sno', caller);

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

-- The bytes of 16 ASCII codes; NULL for other bytes.
CREATE OR REPLACE FUNCTION snoflax._sno_bytes_of_ascii(ascii bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  codes1 bigint;
  codes2 bigint;
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(ascii) <> 16/*sno.characters*/ THEN
    RETURN ''::bytea;
  END IF;
  codes1 := snoflax._read64(ascii, 0);
  codes2 := snoflax._read64(ascii, 8);
  digits1 := snoflax._sno_digits(codes1);
  digits2 := snoflax._sno_digits(codes2);
  IF snoflax._sno_codes(digits1) <> codes1 OR snoflax._sno_codes(digits2) <> codes2 THEN
    RETURN ''::bytea;
  END IF;
  RETURN substring(int8send(snoflax._gather5(digits1)) from 4)
    || substring(int8send(snoflax._gather5(digits2)) from 4);
END $$;

CREATE OR REPLACE FUNCTION snoflax._sno_bytes(id text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._sno_bytes_of_ascii(convert_to(id, 'UTF8'::name));
BEGIN
  IF bytes <> '' THEN
    RETURN bytes;
  END IF;
  RETURN snoflax._refuse_text(id, 16/*sno.characters*/, '23456789abcdefghijklmnopqrstuvwx'/*sno.alphabet*/, 'sno', caller);
END $$;

CREATE OR REPLACE FUNCTION snoflax._sno_bytes_of_uuid(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._sno_bytes_of_ascii(uuid_send(id));
BEGIN
  IF bytes <> '' OR caller = '' THEN
    RETURN bytes;
  END IF;
  RAISE EXCEPTION '%: the bytes of % are not the 16 characters of a sno', caller, id USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax._sno_bytes_of_uuid8(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, 10/*sno.bytes*/, '02'/*sno.tag*/, 'sno', caller);

-- Octet 8 of a uuid8 is 128 or more, unlike any ASCII code.
CREATE OR REPLACE FUNCTION snoflax._sno_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF get_byte(uuid_send(id), 8) < 128 THEN
    RETURN snoflax._sno_bytes_of_uuid(id, caller);
  END IF;
  RETURN snoflax._sno_bytes_of_uuid8(id, caller);
END $$;

-- Text, bytes, uuid ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._sno_ascii(id bytea, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(id) <> 10/*sno.bytes*/ THEN
    RETURN snoflax._sno_bytes(id, caller); -- which refuses it
  END IF;
  digits1 := snoflax._read40(id, 0);
  digits2 := snoflax._read40(id, 5);
  digits1 := snoflax._spread5(digits1);
  digits2 := snoflax._spread5(digits2);
  RETURN int8send(snoflax._sno_codes(digits1)) || int8send(snoflax._sno_codes(digits2));
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._sno_ascii(id, 'sno_encode'), 'escape');

CREATE OR REPLACE FUNCTION snoflax.sno_encode(id text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._sno_bytes(id, 'sno_encode'); -- refuses a malformed id
BEGIN
  RETURN id;
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_encode(id uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._sno_bytes_of_ascii(uuid_send(id)) <> '' THEN
    RETURN encode(uuid_send(id), 'escape');
  END IF;
  RETURN snoflax.sno_encode(snoflax._sno_bytes(id, 'sno_encode'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_to_uuid(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._sno_ascii(id, 'sno_to_uuid'), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.sno_to_uuid(id text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._sno_bytes(id, 'sno_to_uuid'); -- refuses a malformed id
BEGIN
  RETURN encode(convert_to(id, 'UTF8'::name), 'hex')::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_from_uuid(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes_of_uuid(id, 'sno_from_uuid');

COMMENT ON FUNCTION snoflax.sno_to_uuid(bytea) IS
  'The 10 bytes of a sno to a uuid that holds its 16 characters; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.sno_to_uuid(text) IS
  'The 16 characters of a sno to a uuid that holds them; 22P02 if they are none.';
COMMENT ON FUNCTION snoflax.sno_from_uuid(uuid) IS
  'A uuid that holds 16 characters to the 10 bytes of a sno; 22P02 if they are none.';

CREATE OR REPLACE FUNCTION snoflax.sno_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes(id, 'sno_decode');

CREATE OR REPLACE FUNCTION snoflax.sno_to_uuid8(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._sno_bytes(id, 'sno_to_uuid8'), '02'/*sno.tag*/);

CREATE OR REPLACE FUNCTION snoflax.sno_to_uuid8(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._sno_bytes(id, 'sno_to_uuid8'), '02'/*sno.tag*/);

CREATE OR REPLACE FUNCTION snoflax.sno_from_uuid8(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes_of_uuid8(id, 'sno_from_uuid8');

COMMENT ON FUNCTION snoflax.sno_encode(bytea) IS
  'The text of a sno passed in 10 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_encode(text) IS
  'The text of a sno passed in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_encode(uuid) IS
  'The text of a sno passed in a uuid or uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.sno_prefixed_encode(prefix text, id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'sno_prefixed_encode') || snoflax.sno_encode(id);

CREATE OR REPLACE FUNCTION snoflax.sno_prefixed_encode(prefix text, id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'sno_prefixed_encode') || snoflax.sno_encode(id);

CREATE OR REPLACE FUNCTION snoflax.sno_prefixed_encode(prefix text, id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'sno_prefixed_encode') || snoflax.sno_encode(id);

COMMENT ON FUNCTION snoflax.sno_prefixed_encode(text, bytea) IS
  'The text of a sno passed in 10 bytes, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_prefixed_encode(text, text) IS
  'The text of a sno passed in text, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_prefixed_encode(text, uuid) IS
  'The text of a sno passed in a uuid or uuid8 column, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.sno_prefixed_decode(prefix text, id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes(
  snoflax._without_prefix(prefix, id, 'sno_prefixed_decode'), 'sno_prefixed_decode');

COMMENT ON FUNCTION snoflax.sno_prefixed_decode(text, text) IS
  'The text of a sno behind that prefix to its 10 bytes; 22P02 for any other prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_decode(text) IS
  'The text of a sno to its 10 bytes; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.sno_to_uuid8(bytea) IS
  'The 10 bytes of a sno to a UUIDv8 that ends in 02; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.sno_to_uuid8(text) IS
  'The text of a sno to a UUIDv8 that ends in 02; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.sno_from_uuid8(uuid) IS
  'A sno in UUIDv8 form to its 10 bytes; 22P02 for any other uuid.';

-- Time and fields -----------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._sno_time_ms(bytes bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(bytes, 'hex'))::bit(39/*sno.time.bits*/)::bigint * 4/*sno.unitMs*/ + 1262304000000/*sno.epochMs*/;

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
    get_byte(bytes, 5/*sno.meta.at*/),
    (get_byte(bytes, 6/*sno.partition.at*/) << 8) | get_byte(bytes, 7),
    (get_byte(bytes, 8/*sno.sequence.at*/) << 8) | get_byte(bytes, 9))::snoflax.sno_fields;
END $$;

-- Fields that are known to be in range; `units` counts from the epoch.
CREATE OR REPLACE FUNCTION snoflax._sno_compose(
  units bigint, tick_tock integer, meta integer, partition integer, sequence integer) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(int8send((units << 9/*sno.time.headShift*/) | (tick_tock << 8/*sno.tickTock.headShift*/) | meta) from 3)
  || substring(int8send((partition::bigint << 16/*sno.sequence.bits*/) | sequence) from 5);

CREATE OR REPLACE FUNCTION snoflax.sno_time(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._moment(snoflax._sno_time_ms(snoflax._sno_bytes(id, 'sno_time')));

COMMENT ON FUNCTION snoflax.sno_time(bytea) IS
  'When the sno in 10 bytes was made, as the start of its 4 ms unit; 22P02 if it is none.';

-- The first characters contain the whole time, so no bytes are needed: each is looked up in a table of digits by code.
-- Values without 16 characters take the other way: a uuid8, and malformed ids.

CREATE OR REPLACE FUNCTION snoflax.sno_time(id text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := convert_to(id, 'UTF8'::name);
  digits CONSTANT bytea := decode('0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000102030405060700000000000000000000000000000000000000000000000000000000000000000000000000000008090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000000000'/*sno.digitsByCode*/, 'hex');
BEGIN
  IF octet_length(ascii) <> 16/*sno.characters*/ OR id COLLATE "C" ~ '[^23456789abcdefghijklmnopqrstuvwx]'/*sno.foreign*/ THEN
    RETURN snoflax._moment(snoflax._sno_time_ms(snoflax._sno_bytes(id, 'sno_time')));
  END IF;
  RETURN snoflax._moment(((get_byte(digits, get_byte(ascii, 0))::bigint << 34)
    | (get_byte(digits, get_byte(ascii, 1))::bigint << 29)
    | (get_byte(digits, get_byte(ascii, 2))::bigint << 24)
    | (get_byte(digits, get_byte(ascii, 3))::bigint << 19)
    | (get_byte(digits, get_byte(ascii, 4))::bigint << 14)
    | (get_byte(digits, get_byte(ascii, 5))::bigint << 9)
    | (get_byte(digits, get_byte(ascii, 6))::bigint << 4)
    | (get_byte(digits, get_byte(ascii, 7))::bigint >> 1)) * 4/*sno.unitMs*/ + 1262304000000/*sno.epochMs*/);
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_time(id uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := uuid_send(id);
  digits CONSTANT bytea := decode('0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000102030405060700000000000000000000000000000000000000000000000000000000000000000000000000000008090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000000000'/*sno.digitsByCode*/, 'hex');
BEGIN
  IF encode(ascii, 'escape') COLLATE "C" ~ '[^23456789abcdefghijklmnopqrstuvwx]'/*sno.foreign*/ THEN
    RETURN snoflax._moment(snoflax._sno_time_ms(snoflax._sno_bytes(id, 'sno_time')));
  END IF;
  RETURN snoflax._moment(((get_byte(digits, get_byte(ascii, 0))::bigint << 34)
    | (get_byte(digits, get_byte(ascii, 1))::bigint << 29)
    | (get_byte(digits, get_byte(ascii, 2))::bigint << 24)
    | (get_byte(digits, get_byte(ascii, 3))::bigint << 19)
    | (get_byte(digits, get_byte(ascii, 4))::bigint << 14)
    | (get_byte(digits, get_byte(ascii, 5))::bigint << 9)
    | (get_byte(digits, get_byte(ascii, 6))::bigint << 4)
    | (get_byte(digits, get_byte(ascii, 7))::bigint >> 1)) * 4/*sno.unitMs*/ + 1262304000000/*sno.epochMs*/);
END $$;

COMMENT ON FUNCTION snoflax.sno_time(text) IS
  'When the sno in text was made, as the start of its 4 ms unit; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_time(uuid) IS
  'When the sno in a uuid or uuid8 column was made, as the start of its 4 ms unit; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.sno_time_binary(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_time(id);

CREATE OR REPLACE FUNCTION snoflax.sno_time_text(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_time(id);

CREATE OR REPLACE FUNCTION snoflax.sno_time_uuid(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_time(id);

COMMENT ON FUNCTION snoflax.sno_time_binary(bytea) IS
  'The same as sno_time(bytea), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.sno_time_text(text) IS
  'The same as sno_time(text), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.sno_time_uuid(uuid) IS
  'The same as sno_time(uuid), for what finds a function by its name alone.';

CREATE OR REPLACE FUNCTION snoflax.sno_unpack(id bytea) RETURNS snoflax.sno_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_fields(snoflax._sno_bytes(id, 'sno_unpack'));

CREATE OR REPLACE FUNCTION snoflax.sno_unpack(id text) RETURNS snoflax.sno_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_fields(snoflax._sno_bytes(id, 'sno_unpack'));

CREATE OR REPLACE FUNCTION snoflax.sno_unpack(id uuid) RETURNS snoflax.sno_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_fields(snoflax._sno_bytes(id, 'sno_unpack'));

COMMENT ON FUNCTION snoflax.sno_unpack(bytea) IS
  'The fields of a sno in 10 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_unpack(text) IS
  'The fields of a sno in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.sno_unpack(uuid) IS
  'The fields of a sno in a uuid or uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.sno_pack(fields snoflax.sno_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ms bigint;
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  ms := snoflax._check_field('time_ms', fields.time_ms, 1262304000000/*sno.epochMs*/, 3461327255548/*sno.lastMs*/,
    'sno_pack') - 1262304000000/*sno.epochMs*/;
  IF ms % 4/*sno.unitMs*/::bigint <> 0 THEN
    RAISE EXCEPTION 'sno_pack: time_ms % does not start a unit of % ms', fields.time_ms, 4/*sno.unitMs*/
      USING ERRCODE = '22003';
  END IF;
  RETURN snoflax._sno_compose(
    ms / 4/*sno.unitMs*/,
    snoflax._check_field('tick_tock', fields.tick_tock, 0, 1/*sno.tickTock.max*/, 'sno_pack')::integer,
    snoflax._check_field('meta', fields.meta, 0, 255/*sno.meta.max*/, 'sno_pack')::integer,
    snoflax._check_field('partition', fields.partition, 0, 65535/*sno.partition.max*/, 'sno_pack')::integer,
    snoflax._check_field('sequence', fields.sequence, 0, 65535/*sno.sequence.max*/, 'sno_pack')::integer);
END $$;

COMMENT ON FUNCTION snoflax.sno_pack(snoflax.sno_fields) IS
  'Fields to 10 bytes; 22008 for a time outside its span, 22003 for others and inside a 4 ms unit, 22023 for NULL.';

-- Metabyte ------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.sno_meta(id bytea) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN get_byte(snoflax._sno_bytes(id, 'sno_meta'), 5/*sno.meta.at*/);
COMMENT ON FUNCTION snoflax.sno_meta(bytea) IS 'The metabyte of a sno in 10 bytes, 0 to 255; 22P02 if it is none.';


CREATE OR REPLACE FUNCTION snoflax.sno_meta(id text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN get_byte(snoflax._sno_bytes(id, 'sno_meta'), 5/*sno.meta.at*/);
COMMENT ON FUNCTION snoflax.sno_meta(text) IS 'The metabyte of a sno in text, 0 to 255; 22P02 if it is none.';


CREATE OR REPLACE FUNCTION snoflax.sno_meta(id uuid) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN get_byte(snoflax._sno_bytes(id, 'sno_meta'), 5/*sno.meta.at*/);
COMMENT ON FUNCTION snoflax.sno_meta(uuid) IS 'The metabyte of a sno in a uuid or uuid8 column, 0 to 255; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.sno_with_meta(id bytea, meta integer) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN set_byte(snoflax._sno_bytes(id, 'sno_with_meta'), 5/*sno.meta.at*/,
    snoflax._check_field('meta', meta, 0, 255/*sno.meta.max*/, 'sno_with_meta')::integer);
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
  IF us <= 315619200000000/*sno.epochUs2000*/ THEN
    RETURN 0::bigint;
  END IF;
  units := (us - 315619200000000/*sno.epochUs2000*/ + 3999) / 4000/*sno.unitUs*/;
  IF units > 549755813887/*sno.time.max*/ THEN
    RAISE EXCEPTION 'sno_lower_bound: % is after the last time of a sno, %', at,
      snoflax._moment(3461327255548/*sno.lastMs*/) USING ERRCODE = '22008';
  END IF;
  RETURN units;
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_lower_bound(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_compose(snoflax._sno_lower_unit(at), 0, 0, 0, 0);

COMMENT ON FUNCTION snoflax.sno_lower_bound(timestamptz) IS
  'The smallest sno whose time is at or after this time, as 10 bytes; 22008 after the last time.';

-- The first 8 characters contain all bits of the bound; the others are the alphabet's first.

CREATE OR REPLACE FUNCTION snoflax.sno_lower_bound_uuid(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits bigint := snoflax._sno_lower_unit(at) << (5 * 8 - 39/*sno.time.bits*/);
BEGIN
  digits := snoflax._spread5(digits);
  RETURN (to_hex(snoflax._sno_codes(digits)) || to_hex(3617008641903833650/*sno.digit0*/))::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_lower_bound_text(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits bigint := snoflax._sno_lower_unit(at) << (5 * 8 - 39/*sno.time.bits*/);
BEGIN
  digits := snoflax._spread5(digits);
  RETURN encode(int8send(snoflax._sno_codes(digits)) || int8send(3617008641903833650/*sno.digit0*/), 'escape');
END $$;

COMMENT ON FUNCTION snoflax.sno_lower_bound_uuid(timestamptz) IS
  'The smallest sno whose time is at or after this time, for uuid columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.sno_lower_bound_text(timestamptz) IS
  'The smallest sno whose time is at or after this time, for text columns; 22008 after the last time.';

CREATE OR REPLACE FUNCTION snoflax.sno_lower_bound_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_to_uuid8(snoflax.sno_lower_bound(at));

COMMENT ON FUNCTION snoflax.sno_lower_bound_uuid8(timestamptz) IS
  'The smallest sno whose time is at or after this time, for uuid8 columns; 22008 after the last time.';

-- Checks --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.sno_is_valid(id bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.sno_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.sno_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._sno_bytes(id, '') <> '';

COMMENT ON FUNCTION snoflax.sno_is_valid(bytea) IS 'Whether it is a sno in 10 bytes.';

COMMENT ON FUNCTION snoflax.sno_is_valid(text) IS 'Whether it is a sno in text.';

COMMENT ON FUNCTION snoflax.sno_is_valid(uuid) IS 'Whether it is a sno in a uuid or uuid8 column.';

DO $$ BEGIN
  CREATE DOMAIN snoflax.sno_binary AS bytea CHECK (octet_length(VALUE) = 10/*sno.bytes*/);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.sno_uuid AS uuid CHECK (snoflax._sno_bytes_of_uuid(VALUE, '') <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.sno_uuid8 AS uuid CHECK (snoflax._sno_bytes_of_uuid8(VALUE, '') <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.sno_text AS text COLLATE "C" CHECK (snoflax.sno_is_valid(VALUE));
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON DOMAIN snoflax.sno_binary IS 'A sno as its 10 bytes.';

COMMENT ON DOMAIN snoflax.sno_uuid IS 'A sno as a uuid that holds its 16 characters.';

COMMENT ON DOMAIN snoflax.sno_uuid8 IS 'A sno as a UUIDv8.';

COMMENT ON DOMAIN snoflax.sno_text IS 'A sno as text.';

-- Ranges of time. The planner replaces the call by the comparisons, so the function must not be STRICT. Each time occurs
-- only once, except for uid's recheck, since the planner does not copy slow or volatile expressions. After the last time
-- a range has no upper end, or is empty: its end is then above all ids. Nothing is above the last bigint, so the ends
-- of numbers are the largest one before the range and the largest one in it.

CREATE OR REPLACE FUNCTION snoflax._sno_end_binary(at timestamptz) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2079-09-07T15:47:35.548Z'/*sno.lastMoment*/ THEN
    RETURN decode(repeat('ff', 10/*sno.bytes*/ + 1), 'hex');
  END IF;
  RETURN snoflax.sno_lower_bound(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax._sno_end_uuid(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2079-09-07T15:47:35.548Z'/*sno.lastMoment*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.sno_lower_bound_uuid(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax._sno_end_uuid8(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2079-09-07T15:47:35.548Z'/*sno.lastMoment*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.sno_to_uuid8(snoflax.sno_lower_bound(at));
END $$;

CREATE OR REPLACE FUNCTION snoflax._sno_end_text(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2079-09-07T15:47:35.548Z'/*sno.lastMoment*/ THEN
    RETURN '~';
  END IF;
  RETURN snoflax.sno_lower_bound_text(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax.sno_between(
  id bytea, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._sno_end_binary(from_time)
  AND id < snoflax._sno_end_binary(until_time);
COMMENT ON FUNCTION snoflax.sno_between(bytea, timestamptz, timestamptz) IS
  'Whether a sno, stored as its 10 bytes, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.sno_between(
  id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._sno_end_uuid(from_time)
  AND id < snoflax._sno_end_uuid(until_time);
COMMENT ON FUNCTION snoflax.sno_between(uuid, timestamptz, timestamptz) IS
  'Whether a sno, stored as a uuid that holds its 16 characters, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.sno_between_uuid8(
  id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._sno_end_uuid8(from_time)
  AND id < snoflax._sno_end_uuid8(until_time);
COMMENT ON FUNCTION snoflax.sno_between_uuid8(uuid, timestamptz, timestamptz) IS
  'Whether a sno, stored as a UUIDv8, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.sno_between(
  id text, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._sno_end_text(from_time)
  AND id COLLATE "C" < snoflax._sno_end_text(until_time);
COMMENT ON FUNCTION snoflax.sno_between(text, timestamptz, timestamptz) IS
  'Whether a sno, stored as text, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

-- The domain of a column says which form its uuids have.
CREATE OR REPLACE FUNCTION snoflax.sno_between(
  id snoflax.sno_uuid8, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.sno_between_uuid8(id, from_time, until_time);

COMMENT ON FUNCTION snoflax.sno_between(snoflax.sno_uuid8, timestamptz, timestamptz) IS
  'The same as sno_between_uuid8, for a column of the domain.';

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.sno_partman_decode(key text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF char_length(key) = 16/*sno.characters*/ THEN
    RETURN snoflax.sno_time(key);
  END IF;
  RETURN snoflax.sno_time(key::uuid);
END $$;

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.sno_partman_encode_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_lower_bound_uuid(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.sno_partman_encode_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_lower_bound_uuid8(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.sno_partman_encode_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.sno_lower_bound_text(at);

COMMENT ON FUNCTION snoflax.sno_partman_encode_uuid(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid key.';

COMMENT ON FUNCTION snoflax.sno_partman_encode_uuid8(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid8 key.';

COMMENT ON FUNCTION snoflax.sno_partman_encode_text(timestamptz) IS
  'p_time_encoder of pg_partman for a text key.';

COMMENT ON FUNCTION snoflax.sno_partman_decode(text) IS
  'p_time_decoder of pg_partman for keys of each p_time_encoder; 22P02 for others.';

-- Generators ----------------------------------------------------------------------------------------------------------

-- A value of snoflax.sno_state is unit << 24 | counter, the units being those of sno. 24 is what 63 bits leave.

-- It starts in the guard zone of unit 0, so that the first call takes the slow path, _clock_advance().
CREATE SEQUENCE IF NOT EXISTS snoflax.sno_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._sno_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;
COMMENT ON SEQUENCE snoflax.sno_state IS 'Time and number of the last sno.';

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
  v bigint := nextval('snoflax.sno_state'::regclass);
  now_unit bigint := snoflax._clock_us() / 4000/*sno.unitUs*/ - 315576000000/*sno.epochUnits*/;
BEGIN
  IF meta NOT BETWEEN 0 AND 255/*sno.meta.max*/ THEN
    RAISE EXCEPTION 'sno_generate: meta % is not from 0 to 255', meta USING ERRCODE = '22003';
  END IF;
  IF (v >> 24) - now_unit NOT BETWEEN 0 AND 25
    OR (v & 16777215::bigint) > 65535/*sno.sequence.max*/
    OR NOT snoflax._clock_is_checked('sno')
  THEN
    v := snoflax._clock_advance('sno');
  END IF;
  RETURN substring(int8send(((v >> 24) << 9) | meta::bigint), 3)
    || substring(int8send((snoflax._sno_number() << 16/*sno.sequence.bits*/) | (v & 65535/*sno.sequence.max*/::bigint)), 5);
END $$;

-- The characters without the bytes in between. The number of the server is worked out when planned; the state has 0 for
-- the tick-tock bit. Three steps spread 40 bits in a third of the time of _spread5(): 20, 10, and 5 bits at a time.
CREATE OR REPLACE FUNCTION snoflax.sno_generate_uuid(meta integer DEFAULT 0) RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.sno_state'::regclass);
  now_unit bigint := snoflax._clock_us() / 4000/*sno.unitUs*/ - 315576000000/*sno.epochUnits*/;
  last_digits bigint;
BEGIN
  IF meta NOT BETWEEN 0 AND 255/*sno.meta.max*/ THEN
    RAISE EXCEPTION 'sno_generate_uuid: meta % is not from 0 to 255', meta USING ERRCODE = '22003';
  END IF;
  IF (v >> 24) - now_unit NOT BETWEEN 0 AND 25
    OR (v & 16777215::bigint) > 65535/*sno.sequence.max*/
    OR NOT snoflax._clock_is_checked('sno')
  THEN
    v := snoflax._clock_advance('sno');
  END IF;
  last_digits := snoflax._spread5(snoflax._sno_number() << 16/*sno.sequence.bits*/)
    | ((meta >> 3)::bigint << 56) | ((meta & 7)::bigint << 50)
    | ((v & 32768::bigint) << 9) | ((v & 31744::bigint) << 6) | ((v & 992::bigint) << 3) | (v & 31::bigint);
  v := (v >> 23) + (v >> 43) * 4293918720;
  v := v + ((v >> 10) & 4393751544831) * 64512;
  v := v + ((v >> 5) & 8725857424048159) * 224;
  RETURN (to_hex(snoflax._sno_codes(v)) || to_hex(snoflax._sno_codes(last_digits)))::uuid;
END $$;
COMMENT ON FUNCTION snoflax.sno_generate_uuid(integer) IS 'A new sno as a uuid that holds its 16 characters.';


CREATE OR REPLACE FUNCTION snoflax.sno_generate_text(meta integer DEFAULT 0) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  v bigint := nextval('snoflax.sno_state'::regclass);
  now_unit bigint := snoflax._clock_us() / 4000/*sno.unitUs*/ - 315576000000/*sno.epochUnits*/;
  last_digits bigint;
BEGIN
  IF meta NOT BETWEEN 0 AND 255/*sno.meta.max*/ THEN
    RAISE EXCEPTION 'sno_generate_text: meta % is not from 0 to 255', meta USING ERRCODE = '22003';
  END IF;
  IF (v >> 24) - now_unit NOT BETWEEN 0 AND 25
    OR (v & 16777215::bigint) > 65535/*sno.sequence.max*/
    OR NOT snoflax._clock_is_checked('sno')
  THEN
    v := snoflax._clock_advance('sno');
  END IF;
  last_digits := snoflax._spread5(snoflax._sno_number() << 16/*sno.sequence.bits*/)
    | ((meta >> 3)::bigint << 56) | ((meta & 7)::bigint << 50)
    | ((v & 32768::bigint) << 9) | ((v & 31744::bigint) << 6) | ((v & 992::bigint) << 3) | (v & 31::bigint);
  v := (v >> 23) + (v >> 43) * 4293918720;
  v := v + ((v >> 10) & 4393751544831) * 64512;
  v := v + ((v >> 5) & 8725857424048159) * 224;
  RETURN encode(int8send(snoflax._sno_codes(v)) || int8send(snoflax._sno_codes(last_digits)), 'escape');
END $$;
COMMENT ON FUNCTION snoflax.sno_generate_text(integer) IS 'A new sno as text.';

CREATE OR REPLACE FUNCTION snoflax.sno_generate_uuid8(meta integer DEFAULT 0) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.sno_to_uuid8(snoflax.sno_generate(meta));

CREATE OR REPLACE FUNCTION snoflax.sno_generate_many(n integer, meta integer DEFAULT 0) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'sno_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.sno_generate(meta) FROM generate_series(1, n);
END $$;

COMMENT ON FUNCTION snoflax.sno_generate_uuid8(integer) IS 'A new sno as a UUIDv8.';

COMMENT ON FUNCTION snoflax.sno_generate_many(integer, integer) IS
  'n new snos, in order. For another storage: SELECT sno_generate_uuid() FROM generate_series(1, n).';

COMMENT ON FUNCTION snoflax.sno_set_partition(integer) IS
  'Sets the partition, 0 to 65535, that the ids of this database carry. No other generator may have it. Needed before '
  'the first id, and again in a copy of the database. For the owner.';
COMMENT ON FUNCTION snoflax.sno_generate(integer) IS
  'A new sno as bytea, with a metabyte of 0 to 255. Larger than any that this database made with the same metabyte '
  'before the call. Needs USAGE on sequence sno_state.';
