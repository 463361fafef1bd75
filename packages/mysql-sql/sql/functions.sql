-- What the functions of all families share, the generators of sno and uid, and all of flake, bit for bit as in TypeScript.
-- See spec/. The other functions of families are in codecs.sql and random.sql. Bytes and texts are compared as bytes.
-- Moments are DATETIME(6) of UTC. NULL in, NULL out. MySQL takes messages of 128 characters.

CREATE PROCEDURE snoflax._refuse(IN caller varchar(32), IN value longblob, IN rule varchar(255))
NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE message varchar(512);
  SET message = left(concat(caller, ': ', quote(left(convert(value USING utf8mb4), 36)), ' ', rule), 128);
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
END
//
CREATE PROCEDURE snoflax._refuse_bytes(IN caller varchar(32), IN value longblob, IN rule varchar(255))
NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE message varchar(512);
  SET message = left(concat(caller, ': 0x', lower(hex(left(value, 24))), ' ', rule), 128);
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
END
//
CREATE PROCEDURE snoflax._check_number(IN caller varchar(32), IN name varchar(64), IN value bigint, IN first bigint, IN last bigint)
NO SQL SQL SECURITY INVOKER
IF value NOT BETWEEN first AND last THEN
  CALL snoflax._refuse(caller, value, concat('is not a valid ', name, ', which is from ', first, ' to ', last));
END IF
//
-- A replica that runs the statement again generates another id.
CREATE PROCEDURE snoflax._check_replication(IN caller varchar(32))
NO SQL SQL SECURITY INVOKER
IF @@log_bin AND @@sql_log_bin AND @@binlog_format = 'STATEMENT' THEN
  CALL snoflax._refuse(caller, 'STATEMENT', 'replication would give replicas other ids; SET SESSION binlog_format = ROW');
END IF
//
-- The first whole millisecond at or after the moment.
CREATE FUNCTION snoflax._ms(caller varchar(32), at datetime(6)) RETURNS bigint
DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE us bigint DEFAULT timestampdiff(MICROSECOND, '1970-01-01', at);
  IF at IS NOT NULL AND us IS NULL THEN
    CALL snoflax._refuse(caller, CAST(at AS char), 'is not a valid DATETIME');
  END IF;
  RETURN -((-us) DIV 1000 - (-us MOD 1000 < 0));
END
//
CREATE FUNCTION snoflax._moment(caller varchar(32), ms bigint) RETURNS datetime(3)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  IF ms NOT BETWEEN -62135596800000 AND 253402300799999 THEN
    CALL snoflax._refuse(caller, ms, 'is a Unix millisecond outside the years 1 to 9999 of DATETIME');
  END IF;
  RETURN '1970-01-01' + INTERVAL ms * 1000 MICROSECOND;
END
//
-- The clock at this very moment, whatever the session's time zone, from a UUIDv1.
CREATE FUNCTION snoflax._now_us() RETURNS bigint
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE made char(36) CHARACTER SET ascii DEFAULT uuid();
  RETURN conv(concat(substr(made, 16, 3), substr(made, 10, 4), left(made, 8)), 16, 10) DIV 10 - 12219292800000000;
END
//
-- Each 5 or 6 bytes are eight digits of so many bits.
CREATE FUNCTION snoflax._spell(id varbinary(24), bits int, digits varbinary(64)) RETURNS varbinary(32)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE spelled varbinary(32) DEFAULT left(id, 0);
  DECLARE mask int DEFAULT (1 << bits) - 1;
  DECLARE at int DEFAULT 1;
  DECLARE n bigint unsigned;
  WHILE at < octet_length(id) DO
    SET n = conv(hex(substr(id, at, bits)), 16, 10), at = at + bits;
    SET spelled = concat(spelled, substr(digits, 1 + (n >> 7 * bits & mask), 1), substr(digits, 1 + (n >> 6 * bits & mask), 1), substr(digits, 1 + (n >> 5 * bits & mask), 1), substr(digits, 1 + (n >> 4 * bits & mask), 1), substr(digits, 1 + (n >> 3 * bits & mask), 1), substr(digits, 1 + (n >> 2 * bits & mask), 1), substr(digits, 1 + (n >> 1 * bits & mask), 1), substr(digits, 1 + (n & mask), 1));
  END WHILE;
  RETURN spelled;
END
//
CREATE FUNCTION snoflax._unspell(id varbinary(32), bits int, digits varbinary(64)) RETURNS varbinary(24)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE bytes varbinary(24) DEFAULT left(id, 0);
  DECLARE at int DEFAULT 1;
  WHILE at < octet_length(id) DO
    SET bytes = concat(bytes, unhex(lpad(hex(locate(substr(id, at, 1), digits) - 1 << 7 * bits | locate(substr(id, at + 1, 1), digits) - 1 << 6 * bits | locate(substr(id, at + 2, 1), digits) - 1 << 5 * bits | locate(substr(id, at + 3, 1), digits) - 1 << 4 * bits | locate(substr(id, at + 4, 1), digits) - 1 << 3 * bits | locate(substr(id, at + 5, 1), digits) - 1 << 2 * bits | locate(substr(id, at + 6, 1), digits) - 1 << 1 * bits | locate(substr(id, at + 7, 1), digits) - 1), 2 * bits, '0'))), at = at + 8;
  END WHILE;
  RETURN bytes;
END
//
-- uid: its time is that of a local one, a number of 64 bits, with the node in the middle.
CREATE FUNCTION snoflax._uid_local_at(ms bigint) RETURNS bigint unsigned
DETERMINISTIC NO SQL SQL SECURITY INVOKER
RETURN ms DIV 1000000000 << 44 | ms DIV 1000 MOD 1000000 << 24 | (ms MOD 1000 * 1000 + 1023) DIV 1024 << 14
//
CREATE FUNCTION snoflax._uid_local_ms(id bigint unsigned) RETURNS bigint
DETERMINISTIC NO SQL SQL SECURITY INVOKER
RETURN ((id >> 44) * 1000000 + (id >> 24 & 1048575)) * 1000 + (id >> 14 & 1023) * 1024 DIV 1000
//
CREATE FUNCTION snoflax._uid_from_local(id bigint unsigned, node bigint unsigned, neighbourhood int) RETURNS binary(12)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
RETURN unhex(concat(lpad(hex(id >> 40), 6, '0'), lpad(hex((id >> 24 & 65535) >> neighbourhood << 32 + neighbourhood
    | node << neighbourhood | id >> 24 & (1 << neighbourhood) - 1), 12, '0'), lpad(hex(id & 16777215), 6, '0')))
//
CREATE FUNCTION snoflax._uid_to_local(id binary(12), neighbourhood int) RETURNS bigint unsigned
DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE middle bigint unsigned DEFAULT conv(hex(substr(id, 4, 6)), 16, 10);
  RETURN conv(hex(left(id, 3)), 16, 10) << 40 | (middle >> 32 + neighbourhood << neighbourhood | middle & (1 << neighbourhood) - 1) << 24
    | conv(hex(right(id, 3)), 16, 10);
END
//
CREATE FUNCTION snoflax.uid_upper_bound(at datetime(6), neighbourhood int) RETURNS binary(12)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'At or above this no uid has a time before the moment: the end of a range, which takes whole windows of 2^neighbourhood seconds.'
BEGIN
  DECLARE bound bigint unsigned DEFAULT snoflax._uid_local_at(greatest(snoflax._ms('uid_upper_bound', at), 0));
  CALL snoflax._check_number('uid_upper_bound', 'neighbourhood', neighbourhood, 5, 10);
  IF bound & (1 << 24 + neighbourhood) - 1 <> 0 THEN
    SET bound = (bound >> 24 + neighbourhood) + 1 << 24 + neighbourhood;
  END IF;
  RETURN snoflax._uid_from_local(bound, 0, neighbourhood);
END
//
-- Generators ----------------------------------------------------------------------------------------------------------

-- A counter of the server's tells apart what is generated in one unit of time.
CREATE FUNCTION snoflax.sno_generate(partition_id bigint, meta bigint) RETURNS binary(10)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new sno of a partition that no other generator has, with a metabyte, in 10 bytes.'
BEGIN
  DECLARE units bigint DEFAULT (snoflax._now_us() DIV 1000 - 1262304000000) DIV 4;
  CALL snoflax._check_replication('sno_generate');
  CALL snoflax._check_number('sno_generate', 'partition', partition_id, 0, 65535);
  CALL snoflax._check_number('sno_generate', 'metabyte', meta, 0, 255);
  CALL snoflax._check_number('sno_generate', 'time of this clock', units, 0, 549755813887);
  RETURN unhex(concat(lpad(hex(units * 2), 10, '0'), lpad(hex(meta << 32 | partition_id << 16 | uuid_short() & 65535), 10, '0')));
END
//
CREATE FUNCTION snoflax.flake_generate(worker bigint, epoch_ms bigint) RETURNS bigint unsigned
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new flake of an id, 0 to 1023, that no other generator has. epoch_ms is 0, or that of flake.withEpoch().'
BEGIN
  DECLARE ms bigint DEFAULT snoflax._now_us() DIV 1000 - epoch_ms;
  CALL snoflax._check_replication('flake_generate');
  CALL snoflax._check_number('flake_generate', 'id', worker, 0, 1023);
  CALL snoflax._check_number('flake_generate', 'time of this clock since the epoch', ms, 0, 4398046511103);
  RETURN ms << 22 | worker << 12 | uuid_short() & 4095;
END
//
CREATE FUNCTION snoflax._uid_local_now() RETURNS bigint unsigned
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE us bigint DEFAULT snoflax._now_us();
  RETURN us DIV 1000000000000 << 44 | us DIV 1000000 MOD 1000000 << 24 | us MOD 1000000 DIV 1024 << 14 | uuid_short() & 16383;
END
//
CREATE FUNCTION snoflax.uid_generate(node bigint, neighbourhood int) RETURNS binary(12)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new uid of a node that no other generator has, in 12 bytes. neighbourhood is 8, or that of uid.withNeighbourhood().'
BEGIN
  CALL snoflax._check_replication('uid_generate');
  CALL snoflax._check_number('uid_generate', 'node', node, 0, 4294967295);
  CALL snoflax._check_number('uid_generate', 'neighbourhood', neighbourhood, 5, 10);
  RETURN snoflax._uid_from_local(snoflax._uid_local_now(), node, neighbourhood);
END
//
CREATE FUNCTION snoflax.uid_local_generate() RETURNS binary(8)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new uidLocal, unique on this server only, in 8 bytes.'
BEGIN
  CALL snoflax._check_replication('uid_local_generate');
  RETURN unhex(lpad(hex(snoflax._uid_local_now()), 16, '0'));
END
//
-- flake ---------------------------------------------------------------------------------------------------------------

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
    CALL snoflax._refuse('flake_decode', id, 'is 2^64 or more, but a flake is less');
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
RETURN snoflax._moment('flake_time', CAST(id >> 22 AS signed) + epoch_ms)
//
CREATE FUNCTION snoflax.flake_lower_bound(at datetime(6), epoch_ms bigint) RETURNS bigint unsigned
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'The smallest flake at or after a moment of UTC. epoch_ms is 0, or that of flake.withEpoch().'
BEGIN
  DECLARE ms bigint DEFAULT greatest(snoflax._ms('flake_lower_bound', at) - epoch_ms, 0);
  IF ms > 4398046511103 THEN
    CALL snoflax._refuse('flake_lower_bound', CAST(at AS char), 'is after the last time of a flake');
  END IF;
  RETURN ms << 22;
END
//
CREATE FUNCTION snoflax.flake_between(id bigint unsigned, from_time datetime(6), until_time datetime(6), epoch_ms bigint) RETURNS bool
DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'Whether a flake was made at or after from_time and before until_time.'
BEGIN
  DECLARE made datetime(6) DEFAULT snoflax.flake_time(id, epoch_ms);
  RETURN made >= from_time AND made < until_time;
END
