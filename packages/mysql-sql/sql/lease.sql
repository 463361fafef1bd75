-- Leases of what sno and flake must not share: a number (partition, worker id), or a shard of one.
--
-- Each lease has a window [start, until): the moments that ids of its holder may carry. Windows of a number never
-- overlap, whatever clocks do, because each begins behind all that was ever reserved:
--
-- * Each acquire and each renewal raises reserved_until_ms in the row, and commits that, before the holder is told: the
--   answer is read after COMMIT, since a cluster such as Galera may still refuse there. No id of this number, by anyone,
--   ever, is at or after it.
-- * Who comes next starts there. A release lowers it to what was used: the holder has closed its generator before.
-- * expires_ms only says from when on others may take the number. Clocks decide who waits, and nothing else.
-- * The caller chooses the token, so that it can ask again when an answer is lost. Renewals and releases name it.
-- * Who writes has locked the family's row first. All that decides is read after that.
-- * The family's row names the server that wrote it, by all that tells servers and copies apart. Another one gives out
--   nothing until the owner says so by lease_adopt(), and then begins behind all that the other may have reserved: at
--   floor_ms. So does a server whose commits may be lost in a crash.
-- * What is locked is locked in a function: a statement that is killed leaves neither locks nor a transaction, where a
--   procedure would leave both. The function's arguments are read while its tables can't be replaced, and a replica that
--   runs it again gets them as values.
-- * No setting of the session is changed: those that matter are given to a statement.

-- Only a table that is new has rows without a server, which the installation names when it is complete. Until then, and
-- while uninstall drops the tables, they are closed.
CREATE TABLE IF NOT EXISTS snoflax._lease_family (
  family varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  last_number int NOT NULL,
  max_shards int NOT NULL,
  max_ttl_ms int NOT NULL DEFAULT 30000 COMMENT 'The longest lease that is given out.',
  next_ttl_ms int NOT NULL DEFAULT 30000 COMMENT 'max_ttl_ms, or the longer one that is to be confirmed.',
  margin_ms int NOT NULL DEFAULT 30000 COMMENT 'The longest lease that was ever allowed, and so may be out.',
  floor_ms bigint NOT NULL DEFAULT 0 COMMENT 'Unix ms. No window that this server gives out begins before it.',
  server varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'Which server gives out the leases; none if empty.',
  durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'durable'
    COMMENT 'What the owner has accepted.'
) ENGINE = InnoDB COMMENT 'What can be leased; read and written by the procedures only.'
  SELECT 'sno' AS family, 65535 AS last_number, 1024 AS max_shards, '' AS server UNION ALL SELECT 'flake', 1023, 1, ''
//
-- Rows that were lost, as by a copy of the structure only.
INSERT IGNORE INTO snoflax._lease_family (family, last_number, max_shards, server)
VALUES ('sno', 65535, 1024, 'unknown'), ('flake', 1023, 1, 'unknown')
//
CREATE TABLE IF NOT EXISTS snoflax._lease (
  family varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  number int NOT NULL,
  shard int NOT NULL,
  shards int NOT NULL COMMENT 'How many shards the number has.',
  epoch_ms bigint COMMENT 'The epoch of the number''s ids; null after lease_reset().',
  token char(36) CHARACTER SET ascii COLLATE ascii_bin UNIQUE COMMENT 'Who holds it knows this; null when released.',
  holder varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  acquired_ms bigint,
  renewed_ms bigint,
  expires_ms bigint,
  start_ms bigint COMMENT 'Unix ms: where the window begins that was given out last.',
  reserved_until_ms bigint NOT NULL COMMENT 'Unix ms. No id of this number, by anyone, ever, is at or after it.',
  used_until_ms bigint COMMENT 'Unix ms: how far the holder said that its ids had come.',
  PRIMARY KEY (family, number, shard)
) ENGINE = InnoDB COMMENT 'Numbers that were ever leased; read and written by the procedures only.'
//
-- A table that is restored gets its trigger anew. These do nothing, and never run: no row is deleted.
CREATE TRIGGER IF NOT EXISTS snoflax._lease_made BEFORE DELETE ON snoflax._lease FOR EACH ROW BEGIN END
//
CREATE TRIGGER IF NOT EXISTS snoflax._lease_family_made BEFORE DELETE ON snoflax._lease_family FOR EACH ROW BEGIN END
//
CREATE FUNCTION snoflax._lease_server() RETURNS varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE rows_made, families_made bigint;
  SELECT max(CASE t.event_object_table WHEN '_lease' THEN CAST(100 * unix_timestamp(t.created) AS unsigned) END),
      max(CASE t.event_object_table WHEN '_lease_family' THEN CAST(100 * unix_timestamp(t.created) AS unsigned) END)
    INTO rows_made, families_made
    FROM information_schema.triggers t
   WHERE t.event_object_schema = 'snoflax' AND t.event_object_table IN ('_lease', '_lease_family')
     AND t.trigger_schema = 'snoflax' AND t.trigger_name IN ('_lease_made', '_lease_family_made');
  RETURN concat_ws(' ', /*M!101109 @@server_uid, */ /*M! @@gtid_domain_id, */ /*!80000 @@server_uuid, */ @@server_id,
    concat(@@hostname, ':', @@port), concat(@@datadir, 'snoflax'), concat(coalesce(rows_made, 'lost'), ',', coalesce(families_made, 'lost')));
END
//
CREATE FUNCTION snoflax._lease_durability() RETURNS varchar(16) CHARACTER SET ascii COLLATE ascii_bin
NOT DETERMINISTIC NO SQL SQL SECURITY DEFINER
RETURN CASE WHEN @@innodb_flush_log_at_trx_commit <> 1 THEN concat('flush log ', @@innodb_flush_log_at_trx_commit)
  WHEN @@log_bin = 1 AND @@sync_binlog <> 1 THEN concat('binlog ', least(@@sync_binlog, 9999)) ELSE 'durable' END
//
-- The first argument of what reads or writes leases. The others are evaluated after it, and so is what they read, which
-- begins what the statement sees of other tables.
CREATE FUNCTION snoflax._lease_lock(wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
RETURNS varchar(16) CHARACTER SET ascii COLLATE ascii_bin
NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE locked varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  SELECT f.family INTO locked FROM snoflax._lease_family f WHERE f.family = wanted FOR UPDATE;
  RETURN wanted;
END
//
-- Locks the family, after a look at whether this server may give out its leases.
CREATE PROCEDURE snoflax._lease_enter(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, IN caller varchar(32),
  IN here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, IN durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin,
  IN ttl_ms bigint, OUT floor_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE known varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE accepted varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE longest bigint;
  DECLARE message varchar(512);
  SELECT f.server, f.durability, f.floor_ms, f.max_ttl_ms INTO known, accepted, floor_ms, longest
    FROM snoflax._lease_family f WHERE f.family = wanted FOR UPDATE;
  SET message = CASE
    WHEN known IS NULL AND wanted IN ('sno', 'flake') THEN concat('the row of family ', wanted, ' is lost; install again')
    WHEN known IS NULL THEN concat('family ', coalesce(quote(wanted), 'NULL'), ' has no numbers to lease; sno and flake have')
    WHEN known = '' THEN 'an installation or uninstallation has not finished; run it again'
    WHEN known <> here THEN
      concat('another server granted the leases of ', wanted, '. Once it is stopped: CALL lease_adopt(', quote(wanted), ')')
    WHEN durability NOT IN ('durable', accepted) THEN
      concat(CASE WHEN durability LIKE 'flush%' THEN 'innodb_flush_log_at_trx_commit' ELSE 'sync_binlog' END,
        ' is not 1: a crash may lose leases. Set it, or CALL lease_adopt(', quote(wanted), ')')
    WHEN ttl_ms > longest THEN concat('ttl_ms ', ttl_ms, ' is not from 100 to ', longest, '; see lease_set_max_ttl()') END;
  IF message IS NOT NULL THEN
    SET message = left(concat(caller, ': ', message), 128);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
END
//
-- What starts a transaction commits the one before it. MySQL does not say whether there is one.
CREATE PROCEDURE snoflax._lease_check(IN caller varchar(32), IN name varchar(32), IN value bigint, IN first bigint, IN last bigint)
NO SQL SQL SECURITY DEFINER
BEGIN
  DECLARE message varchar(255);
  /*M! IF @@in_transaction = 1 THEN
    SET message = concat(caller, ': a transaction is open; use a separate connection, since leasing commits');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF; */
  IF value IS NULL OR value NOT BETWEEN first AND last THEN
    SET message = concat(caller, ': ', name, ' ', coalesce(value, 'NULL'), ' is not from ', first, ' to ', last);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
END
//
CREATE FUNCTION snoflax._lease_acquire(
  wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, given_token char(36) CHARACTER SET ascii COLLATE ascii_bin,
  given_holder varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ttl_ms bigint, first_number bigint,
  last_number bigint, divided bigint, epoch bigint, here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin, now_ms bigint)
RETURNS bigint
DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE floor, behind bigint;
  DECLARE chosen, part, fresh int;
  CALL snoflax._lease_enter(wanted, 'lease_acquire', here, durability, ttl_ms, floor);
  SELECT l.number INTO chosen FROM snoflax._lease l WHERE l.token = given_token AND l.family = wanted FOR UPDATE;
  IF chosen IS NOT NULL THEN
    RETURN NULL;
  END IF;
  -- First shards of a divided number that were never used, then numbers that were never used, then used ones, then one
  -- that is free in all its shards, to be divided anew. The family's lock keeps others from writing meanwhile.
  IF divided > 1 THEN
    SELECT l.number, l.shard, 0 INTO chosen, part, behind FROM snoflax._lease l
     WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number AND l.shards = divided AND l.shard < divided
       AND l.epoch_ms = epoch AND l.token IS NULL AND l.reserved_until_ms = 0
     ORDER BY l.number, l.shard LIMIT 1;
  END IF;
  IF chosen IS NULL THEN
    -- As a rule all but the last numbers were used.
    SET fresh = first_number, behind = 0;
    SELECT l.number + 1 INTO fresh FROM snoflax._lease l
     WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number ORDER BY l.number DESC LIMIT 1;
    IF fresh > last_number THEN
      SELECT min(u.expected) INTO fresh
        FROM (SELECT l.number, first_number - 1 + row_number() OVER (ORDER BY l.number) AS expected FROM snoflax._lease l
               WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number AND l.shard = 0) u
       WHERE u.number <> u.expected;
    END IF;
    IF fresh IS NULL THEN
      SELECT l.number, l.shard, l.reserved_until_ms INTO chosen, part, behind FROM snoflax._lease l
       WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number AND l.shards = divided AND l.shard < divided
         AND l.epoch_ms = epoch AND (l.token IS NULL OR l.expires_ms <= now_ms)
       ORDER BY l.reserved_until_ms, l.number, l.shard LIMIT 1;
    END IF;
    IF fresh IS NULL AND chosen IS NULL THEN
      SELECT l.number, max(l.reserved_until_ms) INTO fresh, behind FROM snoflax._lease l
       WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number
       GROUP BY l.number
      HAVING sum(l.token IS NOT NULL AND l.expires_ms > now_ms OR coalesce(l.epoch_ms <> epoch, false)) = 0
       ORDER BY 2, 1 LIMIT 1;
    END IF;
    IF fresh IS NOT NULL THEN
      -- Shards that there were more of remain, as rows of none.
      UPDATE snoflax._lease l SET l.shards = divided, l.epoch_ms = epoch, l.token = NULL, l.holder = NULL, l.acquired_ms = NULL,
          l.renewed_ms = NULL, l.expires_ms = NULL, l.start_ms = NULL, l.reserved_until_ms = behind, l.used_until_ms = NULL
       WHERE l.family = wanted AND l.number = fresh;
      SET chosen = fresh, part = divided;
      WHILE part > 0 DO
        SET part = part - 1;
        INSERT IGNORE INTO snoflax._lease (family, number, shard, shards, epoch_ms, reserved_until_ms)
        VALUES (wanted, chosen, part, divided, epoch, behind);
      END WHILE;
    END IF;
  END IF;
  IF chosen IS NULL THEN
    -- Shards of a number that is divided otherwise are of use when the last one ends.
    RETURN (SELECT min(CASE s.shards WHEN divided THEN s.soonest ELSE s.latest END) - now_ms
      FROM (SELECT min(l.shards) AS shards, min(l.expires_ms) AS soonest, max(l.expires_ms) AS latest
              FROM snoflax._lease l WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number
             GROUP BY l.number HAVING sum(coalesce(l.epoch_ms <> epoch, false)) = 0) s);
  END IF;
  UPDATE snoflax._lease l SET l.token = given_token, l.holder = given_holder, l.acquired_ms = now_ms,
      l.renewed_ms = now_ms, l.expires_ms = now_ms + ttl_ms, l.used_until_ms = NULL,
      l.start_ms = greatest(behind, floor, now_ms - ttl_ms), l.reserved_until_ms = greatest(behind, floor, now_ms + ttl_ms)
   WHERE l.family = wanted AND l.number = chosen AND l.shard = part;
  RETURN NULL;
END
//
CREATE PROCEDURE snoflax.lease_acquire(
  IN given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin,
  IN given_holder varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, IN ttl_ms bigint, IN first_number bigint,
  IN last_number bigint, IN divided bigint, IN epoch bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Leases a number from first_number to last_number, or a shard of one that has as many, for ttl_ms. The token, a UUID, is the caller''s: asked again with it, it answers the same. A row without a number: none is free, and wait_ms tells when one may be.'
BEGIN
  DECLARE longest, start_at, until_at, wait bigint;
  DECLARE last_of, most, chosen, part int;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_acquire', 'epoch_ms', epoch, -8640000000000000, 8640000000000000);
  SELECT f.last_number, f.max_shards, f.max_ttl_ms INTO last_of, most, longest
    FROM snoflax._lease_family f WHERE f.family = wanted;
  COMMIT AND NO CHAIN NO RELEASE;
  CALL snoflax._lease_check('lease_acquire', 'last_number', last_number, 0, coalesce(last_of, 2147483647));
  CALL snoflax._lease_check('lease_acquire', 'first_number', first_number, 0, last_number);
  CALL snoflax._lease_check('lease_acquire', 'shards', divided, 1, coalesce(most, 2147483647));
  CALL snoflax._lease_check('lease_acquire', 'ttl_ms', ttl_ms, 100, coalesce(longest, 2147483647));
  IF coalesce(given_holder, '') = '' OR coalesce(given_token, '') NOT RLIKE '^[0-9a-f-]{36}$' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'lease_acquire: the holder is missing, or the token is not a lower-case UUID';
  END IF;
  {with settings} snoflax._lease_acquire(snoflax._lease_lock(wanted), given_token, given_holder, ttl_ms, first_number, last_number, divided, epoch,
    snoflax._lease_server(), snoflax._lease_durability(), snoflax._now_us() DIV 1000) INTO wait;
  COMMIT AND NO CHAIN NO RELEASE;
  SELECT l.number, l.shard, l.start_ms, l.reserved_until_ms INTO chosen, part, start_at, until_at
    FROM snoflax._lease l WHERE l.token = given_token AND l.family = wanted;
  COMMIT AND NO CHAIN NO RELEASE;
  SELECT chosen AS number, part AS shard, start_at AS start_ms, until_at AS until_ms, wait AS wait_ms;
END
//
CREATE FUNCTION snoflax._lease_renew(
  wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, given_token char(36) CHARACTER SET ascii COLLATE ascii_bin,
  ttl_ms bigint, used_ms bigint, here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin, now_ms bigint)
RETURNS bool
DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE floor, start_at, until_at bigint;
  CALL snoflax._lease_enter(wanted, 'lease_renew', here, durability, ttl_ms, floor);
  SELECT l.start_ms, l.reserved_until_ms INTO start_at, until_at
    FROM snoflax._lease l WHERE l.token = given_token FOR UPDATE;
  IF start_at IS NULL THEN
    RETURN false;
  END IF;
  SET used_ms = greatest(start_at, least(until_at, used_ms));
  -- A window from before the floor ends there: a new one begins behind it.
  IF start_at < floor THEN
    SET start_at = greatest(until_at, floor);
  END IF;
  SET until_at = greatest(until_at, start_at, now_ms + ttl_ms);
  UPDATE snoflax._lease l SET l.renewed_ms = now_ms, l.expires_ms = now_ms + ttl_ms, l.start_ms = start_at,
      l.reserved_until_ms = until_at, l.used_until_ms = greatest(coalesce(l.used_until_ms, used_ms), coalesce(used_ms, l.used_until_ms))
   WHERE l.token = given_token;
  RETURN true;
END
//
CREATE PROCEDURE snoflax.lease_renew(IN given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, IN ttl_ms bigint, IN used_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Prolongs a lease to ttl_ms from now and gives its window; NULL if somebody else has the number, or nobody. used_ms tells how far ids have come.'
BEGIN
  DECLARE start_at, until_at bigint;
  DECLARE renewed bool DEFAULT false;
  DECLARE wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_renew', 'ttl_ms', ttl_ms, 100, 2147483647);
  SELECT l.family INTO wanted FROM snoflax._lease l WHERE l.token = given_token;
  COMMIT AND NO CHAIN NO RELEASE;
  IF wanted IS NOT NULL THEN
    {with settings} snoflax._lease_renew(snoflax._lease_lock(wanted), given_token, ttl_ms, used_ms, snoflax._lease_server(),
      snoflax._lease_durability(), snoflax._now_us() DIV 1000) INTO renewed;
    COMMIT AND NO CHAIN NO RELEASE;
  END IF;
  IF renewed THEN
    SELECT l.start_ms, l.reserved_until_ms INTO start_at, until_at FROM snoflax._lease l WHERE l.token = given_token;
    COMMIT AND NO CHAIN NO RELEASE;
  END IF;
  SELECT start_at AS start_ms, until_at AS until_ms;
END
//
CREATE FUNCTION snoflax._lease_release(locked varchar(16) CHARACTER SET ascii COLLATE ascii_bin, given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, used_ms bigint)
RETURNS int
DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  UPDATE snoflax._lease l
     SET l.reserved_until_ms = CASE WHEN used_ms IS NULL THEN l.reserved_until_ms
         ELSE greatest(l.start_ms, coalesce(l.used_until_ms, l.start_ms), least(l.reserved_until_ms, used_ms)) END,
       l.used_until_ms = IF(used_ms IS NULL, l.used_until_ms, l.reserved_until_ms),
       l.token = NULL, l.expires_ms = NULL
   WHERE l.token = given_token;
  RETURN row_count();
END
//
CREATE PROCEDURE snoflax.lease_release(IN given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, IN used_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Gives a number back at once. No id of it may be made any more, and none was at or after used_ms. 0 if it was lost before.'
BEGIN
  DECLARE wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE released int DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_release', 'used_ms', coalesce(used_ms, 0), -8640000000000000, 8640000000000000);
  SELECT l.family INTO wanted FROM snoflax._lease l WHERE l.token = given_token;
  COMMIT AND NO CHAIN NO RELEASE;
  IF wanted IS NOT NULL THEN
    {with settings} snoflax._lease_release(snoflax._lease_lock(wanted), given_token, used_ms) INTO released;
    COMMIT AND NO CHAIN NO RELEASE;
  END IF;
  SELECT released;
END
//
-- Rows of a derived table are not locked by FOR UPDATE.
CREATE OR REPLACE ALGORITHM = TEMPTABLE SQL SECURITY DEFINER VIEW snoflax.leases AS
SELECT family, number, shard, shards, holder,
    CASE WHEN token IS NULL THEN 'free'
      WHEN expires_ms <= timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(3)) DIV 1000 THEN 'expired' ELSE 'held' END AS state,
    timestamp('1970-01-01') + INTERVAL acquired_ms * 1000 MICROSECOND AS acquired_at,
    timestamp('1970-01-01') + INTERVAL renewed_ms * 1000 MICROSECOND AS renewed_at,
    timestamp('1970-01-01') + INTERVAL expires_ms * 1000 MICROSECOND AS expires_at,
    timestamp('1970-01-01') + INTERVAL start_ms * 1000 MICROSECOND AS starts_at,
    timestamp('1970-01-01') + INTERVAL nullif(reserved_until_ms, 0) * 1000 MICROSECOND AS reserved_until,
    timestamp('1970-01-01') + INTERVAL used_until_ms * 1000 MICROSECOND AS used_until
  FROM (SELECT * FROM snoflax._lease l WHERE l.shard < l.shards) leased
