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

CREATE TABLE IF NOT EXISTS snoflax._lease_family (
  family varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  last_number int NOT NULL,
  max_shards int NOT NULL,
  max_ttl_ms int NOT NULL DEFAULT 30000 COMMENT 'The longest lease that is given out.',
  next_ttl_ms int NOT NULL DEFAULT 30000 COMMENT 'max_ttl_ms, or the longer one that is to be confirmed.',
  margin_ms int NOT NULL DEFAULT 30000 COMMENT 'The longest lease that was ever allowed, and so may be out.',
  floor_ms bigint NOT NULL DEFAULT 0 COMMENT 'Unix ms. No window that this server gives out begins before it.',
  server varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT 'Which server gives out the leases.',
  durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'durable'
    COMMENT 'What the owner has accepted.'
) ENGINE = InnoDB COMMENT 'What can be leased; read and written by the procedures only.'
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
-- A table that is restored is created anew. Its moment is told in the session's zone.
CREATE PROCEDURE snoflax._lease_server(OUT server varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
READS SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE zone varchar(64) DEFAULT @@session.time_zone;
  DECLARE created varchar(64);
  SET time_zone = '+00:00';
  /*!80000 SET SESSION information_schema_stats_expiry = 0; */
  SELECT group_concat(unix_timestamp(create_time) ORDER BY table_name) INTO created
    FROM information_schema.tables WHERE table_schema = 'snoflax' AND table_name IN ('_lease', '_lease_family');
  SET time_zone = zone;
  SET server = concat_ws(' ', /*M! @@server_uid, @@gtid_domain_id, */ /*!80000 @@server_uuid, */ @@server_id,
    concat(@@hostname, ':', @@port), @@datadir, created);
  SET durability = CASE WHEN @@innodb_flush_log_at_trx_commit <> 1 THEN concat('flush log ', @@innodb_flush_log_at_trx_commit)
    WHEN @@log_bin = 1 AND @@sync_binlog <> 1 THEN concat('binlog ', least(@@sync_binlog, 9999)) ELSE 'durable' END;
END
//
-- Named before the first lease: a replica that is promoted without having heard of that one must see that it is another.
CALL snoflax._lease_server(@snoflax_server, @snoflax_durability)
//
INSERT IGNORE INTO snoflax._lease_family (family, last_number, max_shards, server)
VALUES ('sno', 65535, 1024, @snoflax_server), ('flake', 1023, 1, @snoflax_server)
//
-- Locks the family, after a look at whether this server may give out its leases.
CREATE PROCEDURE snoflax._lease_enter(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, IN caller varchar(32), OUT floor_ms bigint, OUT max_ttl_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE known varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE durability, accepted varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE found bool DEFAULT false;
  DECLARE message varchar(512);
  SELECT true, f.server, f.durability, f.floor_ms, f.max_ttl_ms INTO found, known, accepted, floor_ms, max_ttl_ms
    FROM snoflax._lease_family f WHERE f.family = wanted FOR UPDATE;
  CALL snoflax._lease_server(here, durability);
  SET message = CASE
    WHEN NOT found THEN concat('family ', coalesce(quote(wanted), 'NULL'), ' has no numbers to lease; sno and flake have')
    WHEN known IS NOT NULL AND known <> here THEN
      concat('another server granted the leases of ', wanted, '. Once it is stopped: CALL lease_adopt(', quote(wanted), ')')
    WHEN durability NOT IN ('durable', accepted) THEN
      concat(CASE WHEN durability LIKE 'flush%' THEN 'innodb_flush_log_at_trx_commit' ELSE 'sync_binlog' END,
        ' is not 1: a crash may lose leases. Set it, or CALL lease_adopt(', quote(wanted), ')') END;
  IF message IS NOT NULL THEN
    SET message = left(concat(caller, ': ', message), 128);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
  IF known IS NULL THEN
    UPDATE snoflax._lease_family f SET f.server = here WHERE f.family = wanted;
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
CREATE PROCEDURE snoflax.lease_acquire(
  IN given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin,
  IN given_holder varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, IN ttl_ms bigint, IN first_number bigint,
  IN last_number bigint, IN divided bigint, IN epoch bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Leases a number from first_number to last_number, or a shard of one that has as many, for ttl_ms. The token, a UUID, is the caller''s: asked again with it, it answers the same. A row without a number: none is free, and wait_ms tells when one may be.'
BEGIN
  DECLARE floor, longest, now_ms, behind, start_at, until_at, wait bigint;
  DECLARE chosen, part, fresh int;
  DECLARE last_of, most int;
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

  START TRANSACTION;
  CALL snoflax._lease_enter(wanted, 'lease_acquire', floor, longest);
  IF ttl_ms > longest THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'lease_acquire: ttl_ms is longer than the family allows; see lease_set_max_ttl()';
  END IF;
  SET now_ms = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(3)) DIV 1000;
  SELECT l.number, l.shard, l.start_ms, l.reserved_until_ms INTO chosen, part, start_at, until_at
    FROM snoflax._lease l WHERE l.token = given_token AND l.family = wanted FOR UPDATE;
  IF chosen IS NULL THEN
    -- First shards of a divided number that were never used, then numbers that were never used, then used ones, then one
    -- that is free in all its shards, to be divided anew. The family's lock keeps others from writing meanwhile.
    IF divided > 1 THEN
      SELECT l.number, l.shard, 0 INTO chosen, part, behind FROM snoflax._lease l
       WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number AND l.shards = divided
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
         WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number AND l.shards = divided
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
        DELETE FROM snoflax._lease WHERE family = wanted AND number = fresh;
        SET chosen = fresh, part = divided;
        WHILE part > 0 DO
          SET part = part - 1;
          INSERT INTO snoflax._lease (family, number, shard, shards, epoch_ms, reserved_until_ms)
          VALUES (wanted, chosen, part, divided, epoch, behind);
        END WHILE;
      END IF;
    END IF;
    IF chosen IS NULL THEN
      -- Shards of a number that is divided otherwise are of use when the last one ends.
      SELECT min(CASE s.shards WHEN divided THEN s.soonest ELSE s.latest END) - now_ms INTO wait
        FROM (SELECT min(l.shards) AS shards, min(l.expires_ms) AS soonest, max(l.expires_ms) AS latest
                FROM snoflax._lease l WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number
               GROUP BY l.number HAVING sum(coalesce(l.epoch_ms <> epoch, false)) = 0) s;
    ELSE
      SET start_at = greatest(behind, floor, now_ms - ttl_ms), until_at = greatest(behind, floor, now_ms + ttl_ms);
      UPDATE snoflax._lease l SET l.token = given_token, l.holder = given_holder, l.acquired_ms = now_ms,
          l.renewed_ms = now_ms, l.expires_ms = now_ms + ttl_ms, l.used_until_ms = NULL, l.start_ms = start_at,
          l.reserved_until_ms = until_at
       WHERE l.family = wanted AND l.number = chosen AND l.shard = part;
    END IF;
  END IF;
  COMMIT AND NO CHAIN NO RELEASE;
  SELECT chosen AS number, part AS shard, start_at AS start_ms, until_at AS until_ms, wait AS wait_ms;
END
//
CREATE PROCEDURE snoflax.lease_renew(IN given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, IN ttl_ms bigint, IN used_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Prolongs a lease to ttl_ms from now and gives its window; NULL if somebody else has the number, or nobody. used_ms tells how far ids have come.'
BEGIN
  DECLARE floor, longest, now_ms, start_at, until_at bigint;
  DECLARE wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_renew', 'ttl_ms', ttl_ms, 100, 2147483647);
  SELECT l.family INTO wanted FROM snoflax._lease l WHERE l.token = given_token;
  IF wanted IS NOT NULL THEN
    START TRANSACTION;
    CALL snoflax._lease_enter(wanted, 'lease_renew', floor, longest);
    SET now_ms = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(3)) DIV 1000;
    SELECT l.start_ms, l.reserved_until_ms INTO start_at, until_at
      FROM snoflax._lease l WHERE l.token = given_token FOR UPDATE;
    IF start_at IS NOT NULL THEN
      IF ttl_ms > longest THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'lease_renew: ttl_ms is longer than the family allows; see lease_set_max_ttl()';
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
    END IF;
  END IF;
  COMMIT AND NO CHAIN NO RELEASE;
  SELECT start_at AS start_ms, until_at AS until_ms;
END
//
CREATE PROCEDURE snoflax.lease_release(IN given_token char(36) CHARACTER SET ascii COLLATE ascii_bin, IN used_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Gives a number back at once. No id of it may be made any more, and none was at or after used_ms. 0 if it was lost before.'
BEGIN
  DECLARE wanted, locked varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE released int DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_release', 'used_ms', coalesce(used_ms, 0), -8640000000000000, 8640000000000000);
  SELECT l.family INTO wanted FROM snoflax._lease l WHERE l.token = given_token;
  START TRANSACTION;
  SELECT f.family INTO locked FROM snoflax._lease_family f WHERE f.family = wanted FOR UPDATE;
  UPDATE snoflax._lease l
     SET l.reserved_until_ms = CASE WHEN used_ms IS NULL THEN l.reserved_until_ms
         ELSE greatest(l.start_ms, coalesce(l.used_until_ms, l.start_ms), least(l.reserved_until_ms, used_ms)) END,
       l.used_until_ms = IF(used_ms IS NULL, l.used_until_ms, l.reserved_until_ms),
       l.token = NULL, l.expires_ms = NULL
   WHERE l.token = given_token;
  SET released = row_count();
  COMMIT AND NO CHAIN NO RELEASE;
  SELECT released;
END
//
CREATE OR REPLACE SQL SECURITY DEFINER VIEW snoflax.leases AS
SELECT family, number, shard, shards, holder,
    CASE WHEN token IS NULL THEN 'free'
      WHEN expires_ms <= timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(3)) DIV 1000 THEN 'expired'
      ELSE 'held' END AS state,
    timestamp('1970-01-01') + INTERVAL acquired_ms * 1000 MICROSECOND AS acquired_at,
    timestamp('1970-01-01') + INTERVAL renewed_ms * 1000 MICROSECOND AS renewed_at,
    timestamp('1970-01-01') + INTERVAL expires_ms * 1000 MICROSECOND AS expires_at,
    timestamp('1970-01-01') + INTERVAL start_ms * 1000 MICROSECOND AS starts_at,
    timestamp('1970-01-01') + INTERVAL nullif(reserved_until_ms, 0) * 1000 MICROSECOND AS reserved_until,
    timestamp('1970-01-01') + INTERVAL used_until_ms * 1000 MICROSECOND AS used_until
  FROM snoflax._lease
//
-- What follows is for the owner ---------------------------------------------------------------------------------------

CREATE PROCEDURE snoflax.lease_set_max_ttl(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, IN ttl_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'The longest lease of the family, and what nobody makes ids for after a failover. A longer one than before is in force after lease_confirm_max_ttl(). For the owner.'
BEGIN
  DECLARE floor, longest bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_set_max_ttl', 'ttl_ms', ttl_ms, 100, 86400000);
  START TRANSACTION;
  CALL snoflax._lease_enter(wanted, 'lease_set_max_ttl', floor, longest);
  UPDATE snoflax._lease_family f SET f.max_ttl_ms = least(f.max_ttl_ms, ttl_ms), f.next_ttl_ms = ttl_ms,
      f.margin_ms = greatest(f.margin_ms, ttl_ms)
   WHERE f.family = wanted;
  COMMIT AND NO CHAIN NO RELEASE;
END
//
CREATE PROCEDURE snoflax.lease_confirm_max_ttl(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Says that no replica, backup or snapshot from before lease_set_max_ttl() will be promoted or restored, which puts a longer lease in force. For the owner.'
BEGIN
  DECLARE floor, longest bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_confirm_max_ttl', '', 0, 0, 0);
  START TRANSACTION;
  CALL snoflax._lease_enter(wanted, 'lease_confirm_max_ttl', floor, longest);
  UPDATE snoflax._lease_family f SET f.max_ttl_ms = f.next_ttl_ms WHERE f.family = wanted;
  COMMIT AND NO CHAIN NO RELEASE;
END
//
CREATE PROCEDURE snoflax.lease_adopt(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Lets this server give out leases after a failover, a restore or a copy, when no other one gives out the same numbers any more. For the owner.'
BEGIN
  DECLARE here, known varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE durability_here, accepted varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE now_ms, floor, longest bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_adopt', '', 0, 0, 0);
  START TRANSACTION;
  SELECT f.server, f.durability INTO known, accepted FROM snoflax._lease_family f WHERE f.family = wanted FOR UPDATE;
  CALL snoflax._lease_server(here, durability_here);
  SET now_ms = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(3)) DIV 1000;
  -- Behind all that another server may have reserved, if its clock was at most 10 s ahead of this one's. To accept that a
  -- crash may lose commits says of none that was.
  UPDATE snoflax._lease_family f
     SET f.floor_ms = CASE WHEN known IS NULL OR known = here AND accepted <> durability_here THEN f.floor_ms ELSE greatest(f.floor_ms, now_ms + f.margin_ms + 10000) END,
       f.server = here, f.durability = durability_here
   WHERE f.family = wanted;
  CALL snoflax._lease_enter(wanted, 'lease_adopt', floor, longest);
  COMMIT AND NO CHAIN NO RELEASE;
END
//
CREATE PROCEDURE snoflax.lease_reset(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, IN first_number bigint, IN last_number bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Takes the numbers from first_number to last_number from their holders, who learn it with their next renewal. What follows begins behind their windows, with any shards and epoch: no id of these numbers that was made for another epoch may be in use. For the owner.'
BEGIN
  DECLARE floor, longest bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_reset', 'last_number', last_number, 0, 65535);
  CALL snoflax._lease_check('lease_reset', 'first_number', first_number, 0, last_number);
  START TRANSACTION;
  CALL snoflax._lease_enter(wanted, 'lease_reset', floor, longest);
  UPDATE snoflax._lease l
    JOIN (SELECT o.number, max(o.reserved_until_ms) AS behind FROM snoflax._lease o
           WHERE o.family = wanted AND o.number BETWEEN first_number AND last_number GROUP BY o.number) s ON s.number = l.number
     SET l.token = NULL, l.holder = NULL, l.epoch_ms = NULL, l.expires_ms = NULL, l.reserved_until_ms = s.behind
   WHERE l.family = wanted;
  DELETE FROM snoflax._lease WHERE family = wanted AND number BETWEEN first_number AND last_number AND shard > 0;
  UPDATE snoflax._lease l SET l.shards = 1 WHERE l.family = wanted AND l.number BETWEEN first_number AND last_number;
  COMMIT AND NO CHAIN NO RELEASE;
END
