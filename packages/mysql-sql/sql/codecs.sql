-- The functions of a family whose ids are bytes and texts of one length: see scripts/families.js for what stands in the braces.

CREATE FUNCTION snoflax.{name}_is_valid(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS bool
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'Whether a text is {a}.'
RETURN octet_length(id) = {characters} AND id RLIKE '{pattern}'
//
CREATE FUNCTION snoflax.{name}_encode(id longblob) RETURNS char({characters}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of {a} given in {bytes} bytes.'
BEGIN
  IF octet_length(id) <> {bytes} THEN
    CALL snoflax._refuse_bytes('{name}_encode', id, concat('has ', octet_length(id), ' bytes, {a} has {bytes}'));
  END IF;
  {check bytes: encode}
  RETURN {encode};
END
//
CREATE FUNCTION snoflax.{name}_decode(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS binary({bytes})
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of {a} to its {bytes} bytes.'
BEGIN
  IF char_length(id) <> {characters} THEN
    CALL snoflax._refuse('{name}_decode', id, concat('has ', char_length(id), ' characters, {a} has {characters}'));
  ELSEIF octet_length(id) <> {characters} OR id NOT RLIKE '{pattern}' THEN
    CALL snoflax._refuse('{name}_decode', id, '{rule}');
  END IF;
  RETURN {decode};
END
//
CREATE FUNCTION snoflax.{name}_time(id longblob{parameter}) RETURNS datetime(3)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'When {a} was made, in UTC: of {bytes} bytes, or of its text.'
BEGIN
  {check parameter: time}
  IF octet_length(id) <> {bytes} THEN
    SET id = snoflax.{name}_decode(convert(id USING latin1));
  END IF;
  {check bytes: time}
  RETURN snoflax._moment('{name}_time', {ms});
END
//
CREATE FUNCTION snoflax.{name}_between(id longblob, from_time datetime(6), until_time datetime(6){parameter}) RETURNS bool
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'Whether {a} was made at or after from_time and before until_time. A range of the key is one of the lower bounds.'
BEGIN
  DECLARE made datetime(6) DEFAULT snoflax.{name}_time(id{argument});
  RETURN made >= from_time AND made < until_time;
END
//
CREATE FUNCTION snoflax.{name}_lower_bound(at datetime(6){parameter}) RETURNS binary({bytes})
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The smallest {name} at or after a moment of UTC, in {bytes} bytes.'
BEGIN
  DECLARE ms bigint DEFAULT greatest(snoflax._ms('{name}_lower_bound', at), {first ms});
  {check parameter: lower_bound}
  IF ms > {last ms} THEN
    CALL snoflax._refuse('{name}_lower_bound', CAST(at AS char), 'is after the last time of {a}');
  END IF;
  RETURN {bound};
END
//
CREATE FUNCTION snoflax.{name}_lower_bound_text(at datetime(6){parameter}) RETURNS char({characters}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of the smallest {name} at or after a moment of UTC.'
RETURN snoflax.{name}_encode(snoflax.{name}_lower_bound(at{argument}))
