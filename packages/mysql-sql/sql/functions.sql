-- What the ids of flax, sno and flake say, bit for bit as in TypeScript. See spec/. Bytes and texts are compared as bytes.
-- Moments are DATETIME(6) of UTC. NULL in, NULL out.

CREATE PROCEDURE snoflax._refuse(IN caller varchar(32), IN value longblob, IN rule varchar(255))
NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE message varchar(512);
  SET message = concat(caller, ': ', quote(left(convert(value USING utf8mb4), 48)), ' ', rule);
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
END
//
CREATE PROCEDURE snoflax._refuse_bytes(IN caller varchar(32), IN value longblob, IN rule varchar(255))
NO SQL SQL SECURITY INVOKER
CALL snoflax._refuse(caller, concat('0x', lower(hex(left(value, 24)))), rule)
//
-- The first whole millisecond at or after the moment.
CREATE FUNCTION snoflax._ms(at datetime(6)) RETURNS bigint
DETERMINISTIC NO SQL SQL SECURITY INVOKER
RETURN -((-timestampdiff(MICROSECOND, '1970-01-01', at)) DIV 1000 - (-timestampdiff(MICROSECOND, '1970-01-01', at) MOD 1000 < 0))
//
CREATE FUNCTION snoflax._moment(ms bigint) RETURNS datetime(3)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
RETURN '1970-01-01' + INTERVAL ms * 1000 MICROSECOND
//
CREATE FUNCTION snoflax.flax_is_valid(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS bool
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'Whether a text is a flax.'
RETURN octet_length(id) = 16 AND id NOT RLIKE '[^-0-9A-Z_a-z]'
//
CREATE FUNCTION snoflax.flax_encode(id longblob) RETURNS char(16) CHARACTER SET ascii COLLATE ascii_bin
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of a flax given in 12 bytes.'
BEGIN
  DECLARE high, low bigint unsigned;
  IF octet_length(id) <> 12 THEN
    CALL snoflax._refuse_bytes('flax_encode', id, concat('has ', octet_length(id), ' bytes, a flax has 12'));
  END IF;
  SET high = conv(hex(left(id, 6)), 16, 10), low = conv(hex(right(id, 6)), 16, 10);
  RETURN concat(substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 42 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 36 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 30 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 24 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 18 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 12 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 6 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (high >> 0 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 42 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 36 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 30 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 24 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 18 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 12 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 6 & 63), 1), substr(_binary'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 1 + (low >> 0 & 63), 1));
END
//
CREATE FUNCTION snoflax.flax_decode(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS binary(12)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of a flax to its 12 bytes.'
BEGIN
  DECLARE digits binary(16);
  DECLARE characters varbinary(64) DEFAULT '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
  IF char_length(id) <> 16 THEN
    CALL snoflax._refuse('flax_decode', id, concat('has ', char_length(id), ' characters, a flax has 16'));
  END IF;
  IF octet_length(id) <> 16 OR id RLIKE '[^-0-9A-Z_a-z]' THEN
    CALL snoflax._refuse('flax_decode', id, 'has a character that is not one of -0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
  END IF;
  SET digits = id;
  RETURN unhex(concat(lpad(hex(locate(substr(digits, 1, 1), characters) - 1 << 42 | locate(substr(digits, 2, 1), characters) - 1 << 36 | locate(substr(digits, 3, 1), characters) - 1 << 30 | locate(substr(digits, 4, 1), characters) - 1 << 24 | locate(substr(digits, 5, 1), characters) - 1 << 18 | locate(substr(digits, 6, 1), characters) - 1 << 12 | locate(substr(digits, 7, 1), characters) - 1 << 6 | locate(substr(digits, 8, 1), characters) - 1 << 0), 12, '0'), lpad(hex(locate(substr(digits, 9, 1), characters) - 1 << 42 | locate(substr(digits, 10, 1), characters) - 1 << 36 | locate(substr(digits, 11, 1), characters) - 1 << 30 | locate(substr(digits, 12, 1), characters) - 1 << 24 | locate(substr(digits, 13, 1), characters) - 1 << 18 | locate(substr(digits, 14, 1), characters) - 1 << 12 | locate(substr(digits, 15, 1), characters) - 1 << 6 | locate(substr(digits, 16, 1), characters) - 1 << 0), 12, '0')));
END
//
CREATE FUNCTION snoflax.flax_time(id longblob) RETURNS datetime(3)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'When a flax was made, in UTC: of 12 bytes, or of its text.'
RETURN snoflax._moment((conv(hex(left(CASE octet_length(id) WHEN 12 THEN id ELSE snoflax.flax_decode(convert(id USING utf8mb4)) END, 5)), 16, 10)) * 1 + 1420070400000)
//
CREATE FUNCTION snoflax.flax_lower_bound(at datetime(6)) RETURNS binary(12)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The smallest flax at or after a moment of UTC, in 12 bytes.'
BEGIN
  DECLARE ms bigint DEFAULT snoflax._ms(at);
  IF ms > 2519582027775 THEN
    CALL snoflax._refuse('flax_lower_bound', CAST(at AS char), 'is after the last time of a flax');
  END IF;
  RETURN concat(unhex(lpad(hex((greatest(ms, 1420070400000) - 1420070400000 + 0) DIV 1), 10, '0')), repeat(x'00', 7));
END
//
CREATE FUNCTION snoflax.flax_lower_bound_text(at datetime(6)) RETURNS char(16) CHARACTER SET ascii COLLATE ascii_bin
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of the smallest flax at or after a moment of UTC.'
RETURN snoflax.flax_encode(snoflax.flax_lower_bound(at))
//
CREATE FUNCTION snoflax.sno_is_valid(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS bool
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'Whether a text is a sno.'
RETURN octet_length(id) = 16 AND id NOT RLIKE '[^2-9a-x]'
//
CREATE FUNCTION snoflax.sno_encode(id longblob) RETURNS char(16) CHARACTER SET ascii COLLATE ascii_bin
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of a sno given in 10 bytes.'
BEGIN
  DECLARE high, low bigint unsigned;
  IF octet_length(id) <> 10 THEN
    CALL snoflax._refuse_bytes('sno_encode', id, concat('has ', octet_length(id), ' bytes, a sno has 10'));
  END IF;
  SET high = conv(hex(left(id, 5)), 16, 10), low = conv(hex(right(id, 5)), 16, 10);
  RETURN concat(substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 35 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 30 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 25 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 20 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 15 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 10 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 5 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (high >> 0 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 35 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 30 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 25 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 20 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 15 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 10 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 5 & 31), 1), substr(_binary'23456789abcdefghijklmnopqrstuvwx', 1 + (low >> 0 & 31), 1));
END
//
CREATE FUNCTION snoflax.sno_decode(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS binary(10)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of a sno to its 10 bytes.'
BEGIN
  DECLARE digits binary(16);
  DECLARE characters varbinary(64) DEFAULT '23456789abcdefghijklmnopqrstuvwx';
  IF char_length(id) <> 16 THEN
    CALL snoflax._refuse('sno_decode', id, concat('has ', char_length(id), ' characters, a sno has 16'));
  END IF;
  IF octet_length(id) <> 16 OR id RLIKE '[^2-9a-x]' THEN
    CALL snoflax._refuse('sno_decode', id, 'has a character that is not one of 23456789abcdefghijklmnopqrstuvwx');
  END IF;
  SET digits = id;
  RETURN unhex(concat(lpad(hex(locate(substr(digits, 1, 1), characters) - 1 << 35 | locate(substr(digits, 2, 1), characters) - 1 << 30 | locate(substr(digits, 3, 1), characters) - 1 << 25 | locate(substr(digits, 4, 1), characters) - 1 << 20 | locate(substr(digits, 5, 1), characters) - 1 << 15 | locate(substr(digits, 6, 1), characters) - 1 << 10 | locate(substr(digits, 7, 1), characters) - 1 << 5 | locate(substr(digits, 8, 1), characters) - 1 << 0), 10, '0'), lpad(hex(locate(substr(digits, 9, 1), characters) - 1 << 35 | locate(substr(digits, 10, 1), characters) - 1 << 30 | locate(substr(digits, 11, 1), characters) - 1 << 25 | locate(substr(digits, 12, 1), characters) - 1 << 20 | locate(substr(digits, 13, 1), characters) - 1 << 15 | locate(substr(digits, 14, 1), characters) - 1 << 10 | locate(substr(digits, 15, 1), characters) - 1 << 5 | locate(substr(digits, 16, 1), characters) - 1 << 0), 10, '0')));
END
//
CREATE FUNCTION snoflax.sno_time(id longblob) RETURNS datetime(3)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'When a sno was made, in UTC: of 10 bytes, or of its text.'
RETURN snoflax._moment((conv(hex(left(CASE octet_length(id) WHEN 10 THEN id ELSE snoflax.sno_decode(convert(id USING utf8mb4)) END, 5)), 16, 10) DIV 2) * 4 + 1262304000000)
//
CREATE FUNCTION snoflax.sno_lower_bound(at datetime(6)) RETURNS binary(10)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The smallest sno at or after a moment of UTC, in 10 bytes.'
BEGIN
  DECLARE ms bigint DEFAULT snoflax._ms(at);
  IF ms > 3461327255548 THEN
    CALL snoflax._refuse('sno_lower_bound', CAST(at AS char), 'is after the last time of a sno');
  END IF;
  RETURN concat(unhex(lpad(hex((greatest(ms, 1262304000000) - 1262304000000 + 3) DIV 4 * 2), 10, '0')), repeat(x'00', 5));
END
//
CREATE FUNCTION snoflax.sno_lower_bound_text(at datetime(6)) RETURNS char(16) CHARACTER SET ascii COLLATE ascii_bin
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of the smallest sno at or after a moment of UTC.'
RETURN snoflax.sno_encode(snoflax.sno_lower_bound(at))
//
CREATE FUNCTION snoflax.flax_generate() RETURNS binary(12)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new flax, in 12 bytes.'
RETURN snoflax.flax_generate_at(utc_timestamp(3))
//
CREATE FUNCTION snoflax.flax_generate_at(at datetime(6)) RETURNS binary(12)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new flax of another moment of UTC, whose fraction of a millisecond is cut off.'
BEGIN
  DECLARE floored datetime(6) DEFAULT at - INTERVAL microsecond(at) MOD 1000 MICROSECOND;
  IF at < '2015-01-01' THEN
    CALL snoflax._refuse('flax_generate_at', CAST(at AS char), 'is before 2015, with which flax begins');
  END IF;
  RETURN concat(left(snoflax.flax_lower_bound(floored), 5), random_bytes(7));
END
//
CREATE FUNCTION snoflax.flake_is_valid(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS bool
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'Whether a text is a flake.'
RETURN id RLIKE '^(0|[1-9][0-9]*)$' AND id NOT RLIKE '[^0-9]' AND octet_length(id) <= 20
  AND (octet_length(id) < 20 OR CAST(id AS binary) <= _binary'18446744073709551615')
//
CREATE FUNCTION snoflax.flake_decode(id longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS bigint unsigned
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The text of a flake to its number.'
BEGIN
  IF char_length(id) NOT BETWEEN 1 AND 20 THEN
    CALL snoflax._refuse('flake_decode', id, concat('has ', char_length(id), ' characters, a flake has 1 to 20'));
  ELSEIF id RLIKE '[^0-9]' THEN
    CALL snoflax._refuse('flake_decode', id, 'has a character that is not a decimal digit');
  ELSEIF octet_length(id) > 1 AND left(id, 1) = '0' THEN
    CALL snoflax._refuse('flake_decode', id, 'has leading zeros');
  ELSEIF NOT snoflax.flake_is_valid(id) THEN
    CALL snoflax._refuse('flake_decode', id, 'is 2^64 or more, a flake is less');
  END IF;
  RETURN CAST(id AS unsigned);
END
//
CREATE FUNCTION snoflax.flake_to_binary(id bigint unsigned) RETURNS binary(8)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The number of a flake to its 8 bytes.'
RETURN unhex(lpad(hex(id), 16, '0'))
//
CREATE FUNCTION snoflax.flake_from_binary(id longblob) RETURNS bigint unsigned
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The 8 bytes of a flake to its number.'
BEGIN
  IF octet_length(id) <> 8 THEN
    CALL snoflax._refuse_bytes('flake_from_binary', id, concat('has ', octet_length(id), ' bytes, a flake has 8'));
  END IF;
  RETURN CAST(conv(hex(id), 16, 10) AS unsigned);
END
//
CREATE FUNCTION snoflax.flake_time(id bigint unsigned, epoch_ms bigint) RETURNS datetime(3)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'When a flake was made, in UTC. epoch_ms is 0, or that of flake.withEpoch().'
RETURN snoflax._moment(CAST(id >> 22 AS signed) + epoch_ms)
//
CREATE FUNCTION snoflax.flake_lower_bound(at datetime(6), epoch_ms bigint) RETURNS bigint unsigned
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The smallest flake at or after a moment of UTC. epoch_ms is 0, or that of flake.withEpoch().'
BEGIN
  DECLARE ms bigint DEFAULT greatest(snoflax._ms(at) - epoch_ms, 0);
  IF ms > 4398046511103 THEN
    CALL snoflax._refuse('flake_lower_bound', CAST(at AS char), 'is after the last time of a flake');
  END IF;
  RETURN ms << 22;
END
