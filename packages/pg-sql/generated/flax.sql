-- Made by scripts/fill.js from sql/flax.sql.
-- flax: 12 bytes, 40 bits of milliseconds since 2015 and 56 random bits, 16 characters. See spec/flax.md.
-- Storages: bytea, uuid (the 16 characters as bytes), uuid8 (RFC 9562 version 8), text COLLATE "C".

SET LOCAL search_path = pg_catalog, pg_temp;

-- Alphabet ------------------------------------------------------------------------------------------------------------

-- 8 digits, one in each byte of a bigint, become ASCII codes all at once: the code of digit 0, plus what the alphabet
-- skips before digits 1, 11, 37 and 38. Adding 64 - k to a byte sets its bit 6 exactly if the digit is at least k.
-- translate() of base64 gives the same text in three times the time.

CREATE OR REPLACE FUNCTION snoflax._flax_codes(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN digits + 3255307777713450285/*flax.digit0*/
  + (((digits + 4557430888798830399/*flax.from1*/) >> 6) & 72340172838076673/*bit0*/) * 2/*flax.skip1*/
  + (((digits + 3834029160418063669/*flax.from11*/) >> 6) & 72340172838076673/*bit0*/) * 7/*flax.skip11*/
  + (((digits + 1953184666628070171/*flax.from37*/) >> 6) & 72340172838076673/*bit0*/) * 4/*flax.skip37*/
  + (((digits + 1880844493789993498/*flax.from38*/) >> 6) & 72340172838076673/*bit0*/);

-- The inverse. The same trick on the low 6 bits of a code, put together with its bit 6: below 64 either decides
-- (digit 1), above 64 both (digits 37, 38); that bit alone decides on digit 11. Codes outside the alphabet return
-- arbitrary digits, so the caller encodes them again and compares, which makes decoding strict.
CREATE OR REPLACE FUNCTION snoflax._flax_digits(codes bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ((codes & 9187201950435737471/*low7*/) - 3255307777713450285/*flax.digit0*/
  - (((codes | ((codes & 4557430888798830399/*low6*/) + 1157442765409226768/*flax.code1*/)) >> 6) & 72340172838076673/*bit0*/) * 2/*flax.skip1*/
  - ((codes >> 6) & 72340172838076673/*bit0*/) * 7/*flax.skip11*/
  - (((codes & ((codes & 4557430888798830399/*low6*/) + 2387225703656530209/*flax.code37*/)) >> 6) & 72340172838076673/*bit0*/) * 4/*flax.skip37*/
  - (((codes & ((codes & 4557430888798830399/*low6*/) + 2242545357980376863/*flax.code38*/)) >> 6) & 72340172838076673/*bit0*/)
) & 4557430888798830399/*low6*/;

CREATE OR REPLACE FUNCTION snoflax._flax_bytes(id bytea, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bytes(id, 12/*flax.bytes*/, 'flax', caller);

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

-- The bytes of 16 ASCII codes; NULL for other bytes.
CREATE OR REPLACE FUNCTION snoflax._flax_bytes_of_ascii(ascii bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  codes1 bigint;
  codes2 bigint;
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(ascii) <> 16/*flax.characters*/ THEN
    RETURN ''::bytea;
  END IF;
  codes1 := snoflax._read64(ascii, 0);
  codes2 := snoflax._read64(ascii, 8);
  digits1 := snoflax._flax_digits(codes1);
  digits2 := snoflax._flax_digits(codes2);
  IF snoflax._flax_codes(digits1) <> codes1 OR snoflax._flax_codes(digits2) <> codes2 THEN
    RETURN ''::bytea;
  END IF;
  RETURN substring(int8send(snoflax._gather6(digits1)) from 3)
    || substring(int8send(snoflax._gather6(digits2)) from 3);
END $$;

CREATE OR REPLACE FUNCTION snoflax._flax_bytes(id text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._flax_bytes_of_ascii(convert_to(id, 'UTF8'::name));
BEGIN
  IF bytes <> '' THEN
    RETURN bytes;
  END IF;
  RETURN snoflax._refuse_text(id, 16/*flax.characters*/, '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'/*flax.alphabet*/, 'flax', caller);
END $$;

CREATE OR REPLACE FUNCTION snoflax._flax_bytes_of_uuid(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._flax_bytes_of_ascii(uuid_send(id));
BEGIN
  IF bytes <> '' OR caller = '' THEN
    RETURN bytes;
  END IF;
  RAISE EXCEPTION '%: the bytes of % are not the 16 characters of a flax', caller, id USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax._flax_bytes_of_uuid8(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, 12/*flax.bytes*/, '01'/*flax.tag*/, 'flax', caller);

-- Octet 8 of a uuid8 is 128 or more, unlike any ASCII code.
CREATE OR REPLACE FUNCTION snoflax._flax_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF get_byte(uuid_send(id), 8) < 128 THEN
    RETURN snoflax._flax_bytes_of_uuid(id, caller);
  END IF;
  RETURN snoflax._flax_bytes_of_uuid8(id, caller);
END $$;

-- Text, bytes, uuid ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._flax_ascii(id bytea, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(id) <> 12/*flax.bytes*/ THEN
    RETURN snoflax._flax_bytes(id, caller); -- which refuses it
  END IF;
  digits1 := snoflax._read48(id, 0);
  digits2 := snoflax._read48(id, 6);
  digits1 := snoflax._spread6(digits1);
  digits2 := snoflax._spread6(digits2);
  RETURN int8send(snoflax._flax_codes(digits1)) || int8send(snoflax._flax_codes(digits2));
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._flax_ascii(id, 'flax_encode'), 'escape');

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._flax_bytes(id, 'flax_encode'); -- refuses a malformed id
BEGIN
  RETURN id;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_encode(id uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._flax_bytes_of_ascii(uuid_send(id)) <> '' THEN
    RETURN encode(uuid_send(id), 'escape');
  END IF;
  RETURN snoflax.flax_encode(snoflax._flax_bytes(id, 'flax_encode'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_to_uuid(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._flax_ascii(id, 'flax_to_uuid'), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.flax_to_uuid(id text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._flax_bytes(id, 'flax_to_uuid'); -- refuses a malformed id
BEGIN
  RETURN encode(convert_to(id, 'UTF8'::name), 'hex')::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_from_uuid(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes_of_uuid(id, 'flax_from_uuid');

COMMENT ON FUNCTION snoflax.flax_to_uuid(bytea) IS
  'The 12 bytes of a flax to a uuid that holds its 16 characters; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.flax_to_uuid(text) IS
  'The 16 characters of a flax to a uuid that holds them; 22P02 if they are none.';
COMMENT ON FUNCTION snoflax.flax_from_uuid(uuid) IS
  'A uuid that holds 16 characters to the 12 bytes of a flax; 22P02 if they are none.';

CREATE OR REPLACE FUNCTION snoflax.flax_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes(id, 'flax_decode');

CREATE OR REPLACE FUNCTION snoflax.flax_to_uuid8(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._flax_bytes(id, 'flax_to_uuid8'), '01'/*flax.tag*/);

CREATE OR REPLACE FUNCTION snoflax.flax_to_uuid8(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._flax_bytes(id, 'flax_to_uuid8'), '01'/*flax.tag*/);

CREATE OR REPLACE FUNCTION snoflax.flax_from_uuid8(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes_of_uuid8(id, 'flax_from_uuid8');

COMMENT ON FUNCTION snoflax.flax_encode(bytea) IS
  'The text of a flax passed in 12 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_encode(text) IS
  'The text of a flax passed in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_encode(uuid) IS
  'The text of a flax passed in a uuid or uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flax_prefixed_encode(prefix text, id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flax_prefixed_encode') || snoflax.flax_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flax_prefixed_encode(prefix text, id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flax_prefixed_encode') || snoflax.flax_encode(id);

CREATE OR REPLACE FUNCTION snoflax.flax_prefixed_encode(prefix text, id uuid) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, 'flax_prefixed_encode') || snoflax.flax_encode(id);

COMMENT ON FUNCTION snoflax.flax_prefixed_encode(text, bytea) IS
  'The text of a flax passed in 12 bytes, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_prefixed_encode(text, text) IS
  'The text of a flax passed in text, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_prefixed_encode(text, uuid) IS
  'The text of a flax passed in a uuid or uuid8 column, after a prefix: cus_…; 22023 for a malformed prefix, 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flax_prefixed_decode(prefix text, id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes(
  snoflax._without_prefix(prefix, id, 'flax_prefixed_decode'), 'flax_prefixed_decode');

COMMENT ON FUNCTION snoflax.flax_prefixed_decode(text, text) IS
  'The text of a flax behind that prefix to its 12 bytes; 22P02 for any other prefix, 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_decode(text) IS
  'The text of a flax to its 12 bytes; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.flax_to_uuid8(bytea) IS
  'The 12 bytes of a flax to a UUIDv8 that ends in 01; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.flax_to_uuid8(text) IS
  'The text of a flax to a UUIDv8 that ends in 01; 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.flax_from_uuid8(uuid) IS
  'A flax in UUIDv8 form to its 12 bytes; 22P02 for any other uuid.';

-- Time and fields -----------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._flax_time_ms(bytes bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(bytes, 'hex'))::bit(40/*flax.time.bits*/)::bigint + 1420070400000/*flax.epochMs*/;

DO $$ BEGIN
  CREATE TYPE snoflax.flax_fields AS (time_ms bigint, random bytea);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON TYPE snoflax.flax_fields IS
  'The parts of a flax: Unix milliseconds from 2015-01-01 to 2049-11-03, and 7 random bytes.';

CREATE OR REPLACE FUNCTION snoflax._flax_fields(bytes bytea) RETURNS snoflax.flax_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ROW(snoflax._flax_time_ms(bytes), substring(bytes from 6/*flax.random.from*/))::snoflax.flax_fields;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_time(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._moment(snoflax._flax_time_ms(snoflax._flax_bytes(id, 'flax_time')));

COMMENT ON FUNCTION snoflax.flax_time(bytea) IS
  'When the flax in 12 bytes was made, to the millisecond; 22P02 if it is none.';

-- The first characters contain the whole time, so no bytes are needed: each is looked up in a table of digits by code.
-- Values without 16 characters take the other way: a uuid8, and malformed ids.

CREATE OR REPLACE FUNCTION snoflax.flax_time(id text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := convert_to(id, 'UTF8'::name);
  digits CONSTANT bytea := decode('0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000102030405060708090a000000000000000b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324000000002500262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f0000000000'/*flax.digitsByCode*/, 'hex');
BEGIN
  IF octet_length(ascii) <> 16/*flax.characters*/ OR id COLLATE "C" ~ '[^-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz]'/*flax.foreign*/ THEN
    RETURN snoflax._moment(snoflax._flax_time_ms(snoflax._flax_bytes(id, 'flax_time')));
  END IF;
  RETURN snoflax._moment(((get_byte(digits, get_byte(ascii, 0))::bigint << 34)
    | (get_byte(digits, get_byte(ascii, 1))::bigint << 28)
    | (get_byte(digits, get_byte(ascii, 2))::bigint << 22)
    | (get_byte(digits, get_byte(ascii, 3))::bigint << 16)
    | (get_byte(digits, get_byte(ascii, 4))::bigint << 10)
    | (get_byte(digits, get_byte(ascii, 5))::bigint << 4)
    | (get_byte(digits, get_byte(ascii, 6))::bigint >> 2)) + 1420070400000/*flax.epochMs*/);
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_time(id uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := uuid_send(id);
  digits CONSTANT bytea := decode('0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000102030405060708090a000000000000000b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324000000002500262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f0000000000'/*flax.digitsByCode*/, 'hex');
BEGIN
  IF encode(ascii, 'escape') COLLATE "C" ~ '[^-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz]'/*flax.foreign*/ THEN
    RETURN snoflax._moment(snoflax._flax_time_ms(snoflax._flax_bytes(id, 'flax_time')));
  END IF;
  RETURN snoflax._moment(((get_byte(digits, get_byte(ascii, 0))::bigint << 34)
    | (get_byte(digits, get_byte(ascii, 1))::bigint << 28)
    | (get_byte(digits, get_byte(ascii, 2))::bigint << 22)
    | (get_byte(digits, get_byte(ascii, 3))::bigint << 16)
    | (get_byte(digits, get_byte(ascii, 4))::bigint << 10)
    | (get_byte(digits, get_byte(ascii, 5))::bigint << 4)
    | (get_byte(digits, get_byte(ascii, 6))::bigint >> 2)) + 1420070400000/*flax.epochMs*/);
END $$;

COMMENT ON FUNCTION snoflax.flax_time(text) IS
  'When the flax in text was made, to the millisecond; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_time(uuid) IS
  'When the flax in a uuid or uuid8 column was made, to the millisecond; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flax_time_binary(id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_time(id);

CREATE OR REPLACE FUNCTION snoflax.flax_time_text(id text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_time(id);

CREATE OR REPLACE FUNCTION snoflax.flax_time_uuid(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_time(id);

COMMENT ON FUNCTION snoflax.flax_time_binary(bytea) IS
  'The same as flax_time(bytea), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.flax_time_text(text) IS
  'The same as flax_time(text), for what finds a function by its name alone.';

COMMENT ON FUNCTION snoflax.flax_time_uuid(uuid) IS
  'The same as flax_time(uuid), for what finds a function by its name alone.';

CREATE OR REPLACE FUNCTION snoflax.flax_unpack(id bytea) RETURNS snoflax.flax_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_fields(snoflax._flax_bytes(id, 'flax_unpack'));

CREATE OR REPLACE FUNCTION snoflax.flax_unpack(id text) RETURNS snoflax.flax_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_fields(snoflax._flax_bytes(id, 'flax_unpack'));

CREATE OR REPLACE FUNCTION snoflax.flax_unpack(id uuid) RETURNS snoflax.flax_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_fields(snoflax._flax_bytes(id, 'flax_unpack'));

COMMENT ON FUNCTION snoflax.flax_unpack(bytea) IS
  'The fields of a flax in 12 bytes; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_unpack(text) IS
  'The fields of a flax in text; 22P02 if it is none.';

COMMENT ON FUNCTION snoflax.flax_unpack(uuid) IS
  'The fields of a flax in a uuid or uuid8 column; 22P02 if it is none.';

CREATE OR REPLACE FUNCTION snoflax.flax_pack(fields snoflax.flax_fields) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF fields IS NULL THEN
    RETURN NULL;
  END IF;
  fields.time_ms := snoflax._check_field('time_ms', fields.time_ms,
    1420070400000/*flax.epochMs*/, 2519582027775/*flax.lastMs*/, 'flax_pack');
  IF fields.random IS NULL THEN
    RAISE EXCEPTION 'flax_pack: random is NULL' USING ERRCODE = '22023';
  ELSIF octet_length(fields.random) <> 7/*flax.random.bytes*/ THEN
    RAISE EXCEPTION 'flax_pack: random % has % bytes, not %', substring(fields.random for 24),
      octet_length(fields.random), 7/*flax.random.bytes*/ USING ERRCODE = '22P02';
  END IF;
  RETURN substring(int8send(fields.time_ms - 1420070400000/*flax.epochMs*/) from 4/*flax.time.from*/) || fields.random;
END $$;

COMMENT ON FUNCTION snoflax.flax_pack(snoflax.flax_fields) IS
  'Fields to 12 bytes; 22008 for a time outside its span, 22P02 unless random is 7 bytes, 22023 for NULL.';

-- Bounds --------------------------------------------------------------------------------------------------------------

-- Exactly the ids with from <= time < until have lower_bound(from) <= id < lower_bound(until).
CREATE OR REPLACE FUNCTION snoflax._flax_lower_unit(at timestamptz) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  us bigint := snoflax._us_since_2000(at);
BEGIN
  IF us <= 473385600000000/*flax.epochUs2000*/ THEN
    RETURN 0::bigint;
  END IF;
  us := (us - 473385600000000/*flax.epochUs2000*/ + 999) / 1000;
  IF us > 1099511627775/*flax.time.max*/ THEN
    RAISE EXCEPTION 'flax_lower_bound: % is after the last time of a flax, %', at,
      snoflax._moment(2519582027775/*flax.lastMs*/) USING ERRCODE = '22008';
  END IF;
  RETURN us;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound(at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(int8send(snoflax._flax_lower_unit(at)) from 4/*flax.time.from*/) || decode('00000000000000'/*flax.random.zero*/, 'hex');

COMMENT ON FUNCTION snoflax.flax_lower_bound(timestamptz) IS
  'The smallest flax whose time is at or after this time, as 12 bytes; 22008 after the last time.';

-- The first 8 characters contain all bits of the bound; the others are the alphabet's first.

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound_uuid(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits bigint := snoflax._flax_lower_unit(at) << (6 * 8 - 40/*flax.time.bits*/);
BEGIN
  digits := snoflax._spread6(digits);
  RETURN (to_hex(snoflax._flax_codes(digits)) || to_hex(3255307777713450285/*flax.digit0*/))::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound_text(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits bigint := snoflax._flax_lower_unit(at) << (6 * 8 - 40/*flax.time.bits*/);
BEGIN
  digits := snoflax._spread6(digits);
  RETURN encode(int8send(snoflax._flax_codes(digits)) || int8send(3255307777713450285/*flax.digit0*/), 'escape');
END $$;

COMMENT ON FUNCTION snoflax.flax_lower_bound_uuid(timestamptz) IS
  'The smallest flax whose time is at or after this time, for uuid columns; 22008 after the last time.';

COMMENT ON FUNCTION snoflax.flax_lower_bound_text(timestamptz) IS
  'The smallest flax whose time is at or after this time, for text columns; 22008 after the last time.';

CREATE OR REPLACE FUNCTION snoflax.flax_lower_bound_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_to_uuid8(snoflax.flax_lower_bound(at));

COMMENT ON FUNCTION snoflax.flax_lower_bound_uuid8(timestamptz) IS
  'The smallest flax whose time is at or after this time, for uuid8 columns; 22008 after the last time.';

-- Checks --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes(id, '') <> '';

CREATE OR REPLACE FUNCTION snoflax.flax_is_valid(id uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._flax_bytes(id, '') <> '';

COMMENT ON FUNCTION snoflax.flax_is_valid(bytea) IS 'Whether it is a flax in 12 bytes.';

COMMENT ON FUNCTION snoflax.flax_is_valid(text) IS 'Whether it is a flax in text.';

COMMENT ON FUNCTION snoflax.flax_is_valid(uuid) IS 'Whether it is a flax in a uuid or uuid8 column.';

DO $$ BEGIN
  CREATE DOMAIN snoflax.flax_binary AS bytea CHECK (octet_length(VALUE) = 12/*flax.bytes*/);
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.flax_uuid AS uuid CHECK (snoflax._flax_bytes_of_uuid(VALUE, '') <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.flax_uuid8 AS uuid CHECK (snoflax._flax_bytes_of_uuid8(VALUE, '') <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

DO $$ BEGIN
  CREATE DOMAIN snoflax.flax_text AS text COLLATE "C" CHECK (snoflax.flax_is_valid(VALUE));
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON DOMAIN snoflax.flax_binary IS 'A flax as its 12 bytes.';

COMMENT ON DOMAIN snoflax.flax_uuid IS 'A flax as a uuid that holds its 16 characters.';

COMMENT ON DOMAIN snoflax.flax_uuid8 IS 'A flax as a UUIDv8.';

COMMENT ON DOMAIN snoflax.flax_text IS 'A flax as text.';

-- Ranges of time. The planner replaces the call by the comparisons, so the function must not be STRICT. Each time occurs
-- only once, except for uid's recheck, since the planner does not copy slow or volatile expressions. After the last time
-- a range has no upper end, or is empty: its end is then above all ids. Nothing is above the last bigint, so the ends
-- of numbers are the largest one before the range and the largest one in it.

CREATE OR REPLACE FUNCTION snoflax._flax_end_binary(at timestamptz) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2049-11-03T19:53:47.775Z'/*flax.lastMoment*/ THEN
    RETURN decode(repeat('ff', 12/*flax.bytes*/ + 1), 'hex');
  END IF;
  RETURN snoflax.flax_lower_bound(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax._flax_end_uuid(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2049-11-03T19:53:47.775Z'/*flax.lastMoment*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.flax_lower_bound_uuid(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax._flax_end_uuid8(at timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2049-11-03T19:53:47.775Z'/*flax.lastMoment*/ THEN
    RETURN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
  END IF;
  RETURN snoflax.flax_to_uuid8(snoflax.flax_lower_bound(at));
END $$;

CREATE OR REPLACE FUNCTION snoflax._flax_end_text(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF at > timestamptz '2049-11-03T19:53:47.775Z'/*flax.lastMoment*/ THEN
    RETURN '~';
  END IF;
  RETURN snoflax.flax_lower_bound_text(at);
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_between(
  id bytea, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flax_end_binary(from_time)
  AND id < snoflax._flax_end_binary(until_time);
COMMENT ON FUNCTION snoflax.flax_between(bytea, timestamptz, timestamptz) IS
  'Whether a flax, stored as its 12 bytes, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.flax_between(
  id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flax_end_uuid(from_time)
  AND id < snoflax._flax_end_uuid(until_time);
COMMENT ON FUNCTION snoflax.flax_between(uuid, timestamptz, timestamptz) IS
  'Whether a flax, stored as a uuid that holds its 16 characters, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.flax_between_uuid8(
  id uuid, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= snoflax._flax_end_uuid8(from_time)
  AND id < snoflax._flax_end_uuid8(until_time);
COMMENT ON FUNCTION snoflax.flax_between_uuid8(uuid, timestamptz, timestamptz) IS
  'Whether a flax, stored as a UUIDv8, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

CREATE OR REPLACE FUNCTION snoflax.flax_between(
  id text, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._flax_end_text(from_time)
  AND id COLLATE "C" < snoflax._flax_end_text(until_time);
COMMENT ON FUNCTION snoflax.flax_between(text, timestamptz, timestamptz) IS
  'Whether a flax, stored as text, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL.';

-- The domain of a column says which form its uuids have.
CREATE OR REPLACE FUNCTION snoflax.flax_between(
  id snoflax.flax_uuid8, from_time timestamptz, until_time timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.flax_between_uuid8(id, from_time, until_time);

COMMENT ON FUNCTION snoflax.flax_between(snoflax.flax_uuid8, timestamptz, timestamptz) IS
  'The same as flax_between_uuid8, for a column of the domain.';

-- pg_partman ----------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.flax_partman_decode(key text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF char_length(key) = 16/*flax.characters*/ THEN
    RETURN snoflax.flax_time(key);
  END IF;
  RETURN snoflax.flax_time(key::uuid);
END $$;

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.flax_partman_encode_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_lower_bound_uuid(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.flax_partman_encode_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_lower_bound_uuid8(at);

-- Functions for p_time_encoder and p_time_decoder; the decoder gets any key as text.
CREATE OR REPLACE FUNCTION snoflax.flax_partman_encode_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.flax_lower_bound_text(at);

COMMENT ON FUNCTION snoflax.flax_partman_encode_uuid(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid key.';

COMMENT ON FUNCTION snoflax.flax_partman_encode_uuid8(timestamptz) IS
  'p_time_encoder of pg_partman for a uuid8 key.';

COMMENT ON FUNCTION snoflax.flax_partman_encode_text(timestamptz) IS
  'p_time_encoder of pg_partman for a text key.';

COMMENT ON FUNCTION snoflax.flax_partman_decode(text) IS
  'p_time_decoder of pg_partman for keys of each p_time_encoder; 22P02 for others.';

-- Generators ----------------------------------------------------------------------------------------------------------


-- The clock's milliseconds since 2015, as the upper 40 bits of a bigint. Before 2015 and after 2049 the product
-- overflows, "bigint out of range": an error, no wrap.
CREATE OR REPLACE FUNCTION snoflax._flax_clock() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN ((snoflax._clock_us() / 1000 - 1969826213888/*flax.middleMs*/) * 16777216) # (-9223372036854775808);

-- One expression, because PL/pgSQL takes half as much again. gen_random_uuid() draws on a secure source, and its last 7
-- bytes are all random: version and variant are before them.
CREATE OR REPLACE FUNCTION snoflax.flax_generate() RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN substring(int8send(snoflax._flax_clock()), 1, 5) || substring(uuid_send(gen_random_uuid()), 10);

-- The characters of an id, without its bytes in between, from the first 8 digits bar their random bits, and a random
-- uuid: whose bytes are random in their lower 6 bits from byte 7 on, and byte 6 in its lower 4.
CREATE OR REPLACE FUNCTION snoflax._flax_ascii_new(bits bigint, random bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint := snoflax._spread6(bits) | (((get_byte(random, 6) & 3) << 8) | (get_byte(random, 7) & 63))::bigint;
  digits2 bigint := snoflax._read64(random, 8) & 4557430888798830399/*low6*/;
BEGIN
  RETURN int8send(snoflax._flax_codes(digits1)) || int8send(snoflax._flax_codes(digits2));
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_generate_uuid() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN encode(snoflax._flax_ascii_new(snoflax._flax_clock() >> 16, uuid_send(gen_random_uuid())), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.flax_generate_text() RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN encode(snoflax._flax_ascii_new(snoflax._flax_clock() >> 16, uuid_send(gen_random_uuid())), 'escape');

-- A time before 2000 is before the epoch, whether truncated or floored.
CREATE OR REPLACE FUNCTION snoflax.flax_generate_at(at timestamptz) RETURNS bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
DECLARE
  time bigint := snoflax._us_since_2000(at) / 1000 - 473385600000/*flax.epochMs2000*/;
BEGIN
  IF time NOT BETWEEN 0 AND 1099511627775/*flax.time.max*/ THEN
    RAISE EXCEPTION 'flax_generate_at: % is outside 2015-01-01 00:00:00Z to 2049-11-03 19:53:47.775999Z', at
      USING ERRCODE = '22008';
  END IF;
  RETURN substring(int8send(time), 4) || substring(uuid_send(gen_random_uuid()), 10);
END $$;

CREATE OR REPLACE FUNCTION snoflax.flax_generate_at_uuid(at timestamptz) RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN snoflax.flax_to_uuid(snoflax.flax_generate_at(at));
COMMENT ON FUNCTION snoflax.flax_generate_at_uuid(timestamptz) IS
  'A new flax with this time, rounded down to its millisecond, as a uuid that holds its 16 characters.';


CREATE OR REPLACE FUNCTION snoflax.flax_generate_at_uuid8(at timestamptz) RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN snoflax.flax_to_uuid8(snoflax.flax_generate_at(at));
COMMENT ON FUNCTION snoflax.flax_generate_at_uuid8(timestamptz) IS
  'A new flax with this time, rounded down to its millisecond, as a UUIDv8.';


CREATE OR REPLACE FUNCTION snoflax.flax_generate_at_text(at timestamptz) RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN snoflax.flax_encode(snoflax.flax_generate_at(at));
COMMENT ON FUNCTION snoflax.flax_generate_at_text(timestamptz) IS
  'A new flax with this time, rounded down to its millisecond, as text.';

CREATE OR REPLACE FUNCTION snoflax.flax_generate_uuid8() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN snoflax.flax_to_uuid8(snoflax.flax_generate());

CREATE OR REPLACE FUNCTION snoflax.flax_generate_many(n integer) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION 'flax_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT snoflax.flax_generate() FROM generate_series(1, n);
END $$;

COMMENT ON FUNCTION snoflax.flax_generate_uuid8() IS 'A new flax as a UUIDv8.';

COMMENT ON FUNCTION snoflax.flax_generate_many(integer) IS
  'n new flaxes. For another storage: SELECT flax_generate_uuid() FROM generate_series(1, n).';

COMMENT ON FUNCTION snoflax.flax_generate() IS 'A new flax as bytea. No two are ordered within a millisecond.';
COMMENT ON FUNCTION snoflax.flax_generate_uuid() IS 'A new flax as uuid: the 16 characters as bytes.';
COMMENT ON FUNCTION snoflax.flax_generate_text() IS 'A new flax as text.';
COMMENT ON FUNCTION snoflax.flax_generate_at(timestamptz) IS
  'A new flax with this time, rounded down to its millisecond.';
