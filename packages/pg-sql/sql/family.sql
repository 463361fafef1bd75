-- The common parts of families. The file of a family names a section in brackets, and the forms of its ids that need it,
-- -- [time: bytea text]: scripts/fill-sql.js inserts the section there. {words} come from scripts/families.js, for the family
-- and the form; {numbers} from its layout. A paragraph with the word {form} is repeated for each form.

-- [bytes]

CREATE OR REPLACE FUNCTION snoflax._{family}_bytes(id bytea, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bytes(id, {bytes}, '{family}', caller);

-- [alphabet of 64]

CREATE OR REPLACE FUNCTION snoflax._{family}_codes(digits bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN digits + {digit0}
  + (((digits + {from1}) >> 6) & {bit0}){times skip1}
  + (((digits + {from11}) >> 6) & {bit0}) * {skip11}
  + (((digits + {from37}) >> 6) & {bit0}) * {skip37}
  + (((digits + {from38}) >> 6) & {bit0});

-- The inverse. The same trick on the low 6 bits of a code, put together with its bit 6: below 64 either decides
-- (digit 1), above 64 both (digits 37, 38); that bit alone decides on digit 11. Codes outside the alphabet return
-- arbitrary digits, so the caller encodes them again and compares, which makes decoding strict.
CREATE OR REPLACE FUNCTION snoflax._{family}_digits(codes bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ((codes & {low7}) - {digit0}
  - (((codes | ((codes & {low6}) + {code1})) >> 6) & {bit0}){times skip1}
  - ((codes >> 6) & {bit0}) * {skip11}
  - (((codes & ((codes & {low6}) + {code37})) >> 6) & {bit0}) * {skip37}
  - (((codes & ((codes & {low6}) + {code38})) >> 6) & {bit0})
) & {low6};

-- [sixteen characters]

-- Reading, see shared.sql ---------------------------------------------------------------------------------------------

-- The bytes of 16 ASCII codes; '' for other codes.
CREATE OR REPLACE FUNCTION snoflax._{family}_bytes_of_ascii(ascii bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  codes1 bigint;
  codes2 bigint;
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(ascii) <> {characters} THEN
    RETURN ''::bytea;
  END IF;
  codes1 := snoflax._read64(ascii, 0);
  codes2 := snoflax._read64(ascii, 8);
  digits1 := snoflax._{family}_digits(codes1);
  digits2 := snoflax._{family}_digits(codes2);
  IF snoflax._{family}_codes(digits1) <> codes1 OR snoflax._{family}_codes(digits2) <> codes2 THEN
    RETURN ''::bytea;
  END IF;
  RETURN substring(int8send(snoflax._gather{digit bits}(digits1)) from {half from})
    || substring(int8send(snoflax._gather{digit bits}(digits2)) from {half from});
END $$;

CREATE OR REPLACE FUNCTION snoflax._{family}_bytes(id text, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._{family}_bytes_of_ascii(convert_to(id, 'UTF8'::name));
BEGIN
  IF bytes <> '' THEN
    RETURN bytes;
  END IF;
  RETURN snoflax._refuse_text(id, {characters}, {alphabet}, '{family}', caller);
END $$;

CREATE OR REPLACE FUNCTION snoflax._{family}_bytes_of_uuid(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._{family}_bytes_of_ascii(uuid_send(id));
BEGIN
  IF bytes <> '' OR caller = '' THEN
    RETURN bytes;
  END IF;
  RAISE EXCEPTION '%: the bytes of % are not the 16 characters of a {family}', caller, id USING ERRCODE = '22P02';
END $$;

CREATE OR REPLACE FUNCTION snoflax._{family}_bytes_of_uuid8(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, {bytes}, {tag}, '{family}', caller);

-- Octet 8 of a uuid8 is 128 or more, unlike any ASCII code.
CREATE OR REPLACE FUNCTION snoflax._{family}_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF get_byte(uuid_send(id), 8) < 128 THEN
    RETURN snoflax._{family}_bytes_of_uuid(id, caller);
  END IF;
  RETURN snoflax._{family}_bytes_of_uuid8(id, caller);
END $$;

-- Text, bytes, uuid ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax._{family}_ascii(id bytea, caller text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits1 bigint;
  digits2 bigint;
BEGIN
  IF octet_length(id) <> {bytes} THEN
    RETURN snoflax._{family}_bytes(id, caller); -- which refuses it
  END IF;
  digits1 := snoflax._read{half bits}(id, 0);
  digits2 := snoflax._read{half bits}(id, {half});
  digits1 := snoflax._spread{digit bits}(digits1);
  digits2 := snoflax._spread{digit bits}(digits2);
  RETURN int8send(snoflax._{family}_codes(digits1)) || int8send(snoflax._{family}_codes(digits2));
END $$;

CREATE OR REPLACE FUNCTION snoflax.{family}_encode(id bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._{family}_ascii(id, '{family}_encode'), 'escape');

CREATE OR REPLACE FUNCTION snoflax.{family}_encode(id text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._{family}_bytes(id, '{family}_encode'); -- refuses a malformed id
BEGIN
  RETURN id;
END $$;

CREATE OR REPLACE FUNCTION snoflax.{family}_encode(id uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF snoflax._{family}_bytes_of_ascii(uuid_send(id)) <> '' THEN
    RETURN encode(uuid_send(id), 'escape');
  END IF;
  RETURN snoflax.{family}_encode(snoflax._{family}_bytes(id, '{family}_encode'));
END $$;

CREATE OR REPLACE FUNCTION snoflax.{family}_to_uuid(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(snoflax._{family}_ascii(id, '{family}_to_uuid'), 'hex')::uuid;

CREATE OR REPLACE FUNCTION snoflax.{family}_to_uuid(id text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := snoflax._{family}_bytes(id, '{family}_to_uuid'); -- refuses a malformed id
BEGIN
  RETURN encode(convert_to(id, 'UTF8'::name), 'hex')::uuid;
END $$;

CREATE OR REPLACE FUNCTION snoflax.{family}_from_uuid(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._{family}_bytes_of_uuid(id, '{family}_from_uuid');

COMMENT ON FUNCTION snoflax.{family}_to_uuid(bytea) IS
  'The {length} of a {family} to a uuid that holds its 16 characters; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.{family}_to_uuid(text) IS
  'The 16 characters of a {family} to a uuid that holds them; 22P02 if they are none.';
COMMENT ON FUNCTION snoflax.{family}_from_uuid(uuid) IS
  'A uuid that holds 16 characters to the {length} of a {family}; 22P02 if they are none.';

-- [number]

CREATE OR REPLACE FUNCTION snoflax._{family}_bytes(id bigint, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_bigint(id, '{family}', caller);

CREATE OR REPLACE FUNCTION snoflax._{family}_bytes(id uuid, caller text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._read_uuid8(id, {bytes}, {tag}, '{family}', caller);

CREATE OR REPLACE FUNCTION snoflax.{family}_encode(id {form}) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._{family}_text(snoflax._{family}_bytes(id, '{family}_encode'));

CREATE OR REPLACE FUNCTION snoflax.{family}_to_bigint(id bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(snoflax._{family}_bytes(id, '{family}_to_bigint'), '{family}', '{family}_to_bigint');

CREATE OR REPLACE FUNCTION snoflax.{family}_to_bigint(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_bigint(snoflax._{family}_bytes(id, '{family}_to_bigint'), '{family}', '{family}_to_bigint');

CREATE OR REPLACE FUNCTION snoflax.{family}_from_bigint(id bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._{family}_bytes(id, '{family}_from_bigint');

COMMENT ON FUNCTION snoflax.{family}_to_bigint(bytea) IS
  'The {length} of a {family} to a number; 22003 from 2^63 on, 22P02 for another length.';
COMMENT ON FUNCTION snoflax.{family}_to_bigint(text) IS
  'The text of a {family} to a number; 22003 from 2^63 on, 22P02 if it is none.';
COMMENT ON FUNCTION snoflax.{family}_from_bigint(bigint) IS
  'A number to the {length} of a {family}; 22003 if negative.';

-- [codec]

CREATE OR REPLACE FUNCTION snoflax.{family}_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._{family}_bytes(id, '{family}_decode');

CREATE OR REPLACE FUNCTION snoflax.{family}_to_uuid8(id bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._{family}_bytes(id, '{family}_to_uuid8'), {tag});

CREATE OR REPLACE FUNCTION snoflax.{family}_to_uuid8(id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._write_uuid8(snoflax._{family}_bytes(id, '{family}_to_uuid8'), {tag});

CREATE OR REPLACE FUNCTION snoflax.{family}_from_uuid8(id uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.{read uuid8}(id, '{family}_from_uuid8');

COMMENT ON FUNCTION snoflax.{family}_encode({form}) IS
  'The text of a {family} passed {in form}; {refusal}.';

CREATE OR REPLACE FUNCTION snoflax.{family}_encode(id {form}, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, '{family}_encode') || snoflax.{family}_encode(id);

COMMENT ON FUNCTION snoflax.{family}_encode({form}, text) IS
  'The text of a {family} passed {in form}, after a prefix: cus_...; 22023 for a malformed prefix, {refusal}.';

CREATE OR REPLACE FUNCTION snoflax.{family}_decode(id text, prefix text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._{family}_bytes(
  snoflax._without_prefix(snoflax._check_prefix(prefix, '{family}_decode'::text), id, '{family}_decode'::text), '{family}_decode');

COMMENT ON FUNCTION snoflax.{family}_decode(text, text) IS
  'The text of a {family} behind that prefix to its {length}; 22P02 for any other prefix, {refusal of text}.';

COMMENT ON FUNCTION snoflax.{family}_decode(text) IS
  'The text of a {family} to its {length}; {refusal of text}.';
COMMENT ON FUNCTION snoflax.{family}_to_uuid8(bytea) IS
  'The {length} of a {family} to a UUIDv8 that ends in {uuid8 ending}; 22P02 for another length.';
COMMENT ON FUNCTION snoflax.{family}_to_uuid8(text) IS
  'The text of a {family} to a UUIDv8 that ends in {uuid8 ending}; {refusal of text}.';
COMMENT ON FUNCTION snoflax.{family}_from_uuid8(uuid) IS
  'A {family} in UUIDv8 form to its {length}; 22P02 for any other uuid.';

-- [time]

CREATE OR REPLACE FUNCTION snoflax.{family}_time(id {form}{option}) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN {time};

COMMENT ON FUNCTION snoflax.{family}_time({form}{option type}) IS
  'When the {family} {in form} was made, {precision}; {refusal}{time refusal}.';

-- [time of text]

-- The first characters contain the whole time, so no bytes are needed: each is looked up in a table of digits by code.
-- PL/pgSQL, since a body in SQL takes longer to plan than a few hundred rows to read.
CREATE OR REPLACE FUNCTION snoflax.{family}_time(id text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea;
BEGIN
  -- As _without_any_prefix() does, whose call would take as long as this.
  IF octet_length(id) <> {characters} AND left(id, -{characters}) COLLATE "C" ~ '^[a-z]([a-z0-9_]*[a-z0-9])?_$'
    AND octet_length(id) < {characters} + 65
  THEN
    id := right(id, {characters});
  END IF;
  IF octet_length(id) <> {characters} OR id COLLATE "C" ~ {foreign} THEN
    RETURN {time}; -- which refuses it
  END IF;
  ascii := id::bytea;
  RETURN snoflax._moment(({time digits}){times unit} + {epochMs});
END $$;

COMMENT ON FUNCTION snoflax.{family}_time(text) IS
  'When the {family} in text, with or without a prefix, was made, {precision}; {refusal of text}.';

-- [time of uuid]

-- Only the characters of the time are read: to look at all of them would take as long again. The table gives codes outside
-- the alphabet a bit of their own, which moves its digits apart by one. Octet 8 of a uuid8, and of any other UUID of the
-- standard, is 128 or more. Those, and malformed ids, take the other way.
CREATE OR REPLACE FUNCTION snoflax.{family}_time(id uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ascii bytea := uuid_send(id);
  digits bigint := {spaced digits};
BEGIN
  IF digits & {foreign digits} <> 0 OR get_byte(ascii, 8) > 127 THEN
    RETURN {time};
  END IF;
  RETURN snoflax._moment((({gathered digits}) >> {spare bits}){times unit} + {epochMs});
END $$;

COMMENT ON FUNCTION snoflax.{family}_time(uuid) IS
  'When the {family} in a {uuid columns} column was made, {precision}; 22P02 if it is none, which is judged by the characters of the time.';

-- [time by storage]

CREATE OR REPLACE FUNCTION snoflax.{family}_time_{form}(id {column}) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.{family}_time(id);

COMMENT ON FUNCTION snoflax.{family}_time_{form}({column}) IS
  'The same as {family}_time({column}), for what finds a function by its name alone.';

-- [unpack]

CREATE OR REPLACE FUNCTION snoflax.{family}_unpack(id {form}{option}) RETURNS snoflax.{family}_fields
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN {fields};

COMMENT ON FUNCTION snoflax.{family}_unpack({form}{option type}) IS
  'The fields of a {family} {in form}; {refusal}{option refusal}.';

-- [bounds]

CREATE OR REPLACE FUNCTION snoflax.{family}_lower_bound_{form}(at timestamptz{option}) RETURNS {type}
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax.{written}({bound});

COMMENT ON FUNCTION snoflax.{family}_lower_bound_{form}(timestamptz{option type}) IS
  'The smallest {family} {at or after} this time, for {form} columns; 22008 after the last time.';

-- [bounds of characters]

-- The first 8 characters contain all bits of the bound; the others are the alphabet's first.

CREATE OR REPLACE FUNCTION snoflax.{family}_lower_bound_{form}(at timestamptz) RETURNS {type}
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits bigint := snoflax._{family}_lower_unit(at) << ({digit bits} * 8 - {time.bits});
BEGIN
  digits := snoflax._spread{digit bits}(digits);
  RETURN {of codes};
END $$;

COMMENT ON FUNCTION snoflax.{family}_lower_bound_{form}(timestamptz) IS
  'The smallest {family} {at or after} this time, for {form} columns; 22008 after the last time.';

-- [checks]

-- Not STRICT, as the planner would then not put a body with AND or OR in place of the call. NULL is NULL all the same.
CREATE OR REPLACE FUNCTION snoflax.{family}_is_valid(id {form}) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN {valid};

COMMENT ON FUNCTION snoflax.{family}_is_valid({form}) IS 'Whether it is a {family} {in form}.';

-- [domains]

DO $$ BEGIN
  CREATE DOMAIN snoflax.{family}_{form} AS {domain} CHECK ({check});
EXCEPTION WHEN duplicate_object THEN NULL; END $$;

COMMENT ON DOMAIN snoflax.{family}_{form} IS 'A {family} as {stored}.';

-- [between]

-- Ranges of time. The planner replaces the call by the comparisons, so the function must not be STRICT. Each time occurs
-- only once, except for uid's recheck, since the planner does not copy slow or volatile expressions. After the last time
-- a range has no upper end, or is empty: its end is then above all ids. Nothing is above the last bigint, so the ends
-- of numbers are the largest one before the range and the largest one in it.

CREATE OR REPLACE FUNCTION snoflax._{family}_end_{form}({end arguments}) RETURNS {column}
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF {after the last} THEN
    RETURN {above all};
  END IF;
  RETURN {end};
END $$;

CREATE OR REPLACE FUNCTION snoflax.{family}_between{between}(
  id {column}, from_time timestamptz, until_time timestamptz{option}) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id{collated} {above} snoflax._{family}_end_{form}(from_time{lower end})
  AND id{collated} {below} snoflax._{family}_end_{form}(until_time{upper end}){recheck};
COMMENT ON FUNCTION snoflax.{family}_between{between}({column}, timestamptz, timestamptz{option type}) IS
  'Whether a {family}, stored as {stored}, was generated at or after from_time and before until_time. In WHERE it is a '
  'range of the key and uses its index. NULL for NULL{option refusal}.';

-- [prefixed texts]

-- Text columns store the prefix. What reads one id finds it there; a range must be told it, so that the planner sees a range of
-- the key. So *_between is not STRICT, and has the bounds in its body.

CREATE OR REPLACE FUNCTION snoflax.{family}_is_valid(id text, prefix text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN starts_with(id, snoflax._check_prefix(prefix, '{family}_is_valid'::text))
  AND char_length(id) = char_length(prefix) + 1 + {characters} AND {valid body};

COMMENT ON FUNCTION snoflax.{family}_is_valid(text, text) IS
  'Whether it is a {family} behind that prefix; 22023 for a malformed prefix.';

CREATE OR REPLACE FUNCTION snoflax.{family}_lower_bound_text(at timestamptz, prefix text{option}) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN snoflax._check_prefix(prefix, '{family}_lower_bound_text'::text)
  || snoflax.{family}_lower_bound_text(at{option passed});

COMMENT ON FUNCTION snoflax.{family}_lower_bound_text(timestamptz, text{option type}) IS
  'The smallest {family} behind that prefix {at or after} this time; 22008 after the last time.';

CREATE OR REPLACE FUNCTION snoflax.{family}_between(
  id text, from_time timestamptz, until_time timestamptz, prefix text{option}) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id COLLATE "C" >= snoflax._check_prefix(prefix, '{family}_between'::text)
    || snoflax._{family}_end_text(from_time{lower end})
  AND id COLLATE "C" < snoflax._check_prefix(prefix, '{family}_between'::text)
    || snoflax._{family}_end_text(until_time{upper end}){recheck};

COMMENT ON FUNCTION snoflax.{family}_between(text, timestamptz, timestamptz, text{option type}) IS
  'Whether a {family}, stored as text behind that prefix, was generated at or after from_time and before until_time. In '
  'WHERE it is a range of the key and uses its index. NULL for NULL{option refusal}.';

-- [between of a domain]

-- The domain of a column says which form its uuids have.
CREATE OR REPLACE FUNCTION snoflax.{family}_between(
  id snoflax.{family}_{form}, from_time timestamptz, until_time timestamptz{option}) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN snoflax.{family}_between_{form}(id, from_time, until_time{option passed});

COMMENT ON FUNCTION snoflax.{family}_between(snoflax.{family}_{form}, timestamptz, timestamptz{option type}) IS
  'The same as {family}_between_{form}, for a column of the domain.';

-- [partman]

COMMENT ON FUNCTION snoflax.{family}_partman_decode(text) IS
  'p_time_decoder of pg_partman, which gets every key as text; its p_time_encoder is a lower_bound function. 22P02 for others.';

-- [partman of text too]

CREATE OR REPLACE FUNCTION snoflax.{family}_partman_decode(key text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN key ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  THEN snoflax.{family}_time(key::uuid{option default}) ELSE snoflax.{family}_time(key{option default}) END;

-- [state]

-- It starts in the guard zone of unit 0, so that the first call takes the slow path, _clock_advance().
CREATE SEQUENCE IF NOT EXISTS snoflax.{family}_state AS bigint MINVALUE 0 START 65536;
CREATE SEQUENCE IF NOT EXISTS snoflax._{family}_timeline AS bigint
  INCREMENT 9223372036854775807 MINVALUE 0 MAXVALUE 4294967296 START 0;
COMMENT ON SEQUENCE snoflax.{family}_state IS 'Time and number of the last {family}.';

-- [generators]

CREATE OR REPLACE FUNCTION snoflax.{family}_generate_{form}({meta}) RETURNS {type}
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
  RETURN snoflax.{written}(snoflax.{family}_generate({meta passed}));
END $$;

CREATE OR REPLACE FUNCTION snoflax.{family}_generate_many(n integer{and meta}) RETURNS SETOF bytea
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
  IF n < 0 THEN
    RAISE EXCEPTION '{family}_generate_many: n % is negative', n USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT {new id} FROM generate_series(1, n);
END $$;

COMMENT ON FUNCTION snoflax.{family}_generate_{form}({meta type}) IS 'A new {family} as {stored}.';

COMMENT ON FUNCTION snoflax.{family}_generate_many(integer{and meta type}) IS
  'n new {plural}. For another storage: SELECT {family}_generate_{other storage}() FROM generate_series(1, n).';

-- [parts of a bound]

  us bigint := snoflax._us_since_2000(at);
  ms bigint := snoflax._unix_ms(us);
  mega_seconds integer;
  seconds integer;
  step integer;
BEGIN
  IF ms <= 0 THEN
    RETURN decode({zero}, 'hex');
  ELSIF ms > {lastMs} THEN
    RAISE EXCEPTION '%: % is after the last time of a {family}, %', caller, at,
      snoflax._far_moment({lastMs}) USING ERRCODE = '22008';
  END IF;
  mega_seconds := ms / 1000000000;
  seconds := ms / 1000 % 1000000::bigint;
  step := (ms % 1000::bigint * 1000 + 1023) / {uid.stepUs};
