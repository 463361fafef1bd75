-- Leases: what is for the owner, and for installation and uninstallation. See lease.sql.

CREATE PROCEDURE snoflax.lease_set_max_ttl(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, IN ttl_ms bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'The longest lease of the family, and what nobody makes ids for after a failover. A longer one than before is in force after lease_confirm_max_ttl(). For the owner.'
BEGIN
  DECLARE floor bigint;
  DECLARE here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_set_max_ttl', 'ttl_ms', ttl_ms, 100, 86400000);
  {with settings} snoflax._lease_server() INTO here;
  CALL snoflax._lease_enter(wanted, 'lease_set_max_ttl', here, snoflax._lease_durability(), NULL, floor);
  UPDATE snoflax._lease_family f SET f.max_ttl_ms = least(f.max_ttl_ms, ttl_ms), f.next_ttl_ms = ttl_ms,
      f.margin_ms = greatest(f.margin_ms, ttl_ms)
   WHERE f.family = wanted AND f.server = here;
  COMMIT AND NO CHAIN NO RELEASE;
END
//
CREATE PROCEDURE snoflax.lease_confirm_max_ttl(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Says that no replica, backup or snapshot from before lease_set_max_ttl() will be promoted or restored, which puts a longer lease in force. For the owner.'
BEGIN
  DECLARE floor bigint;
  DECLARE here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_confirm_max_ttl', '', 0, 0, 0);
  {with settings} snoflax._lease_server() INTO here;
  CALL snoflax._lease_enter(wanted, 'lease_confirm_max_ttl', here, snoflax._lease_durability(), NULL, floor);
  UPDATE snoflax._lease_family f SET f.max_ttl_ms = f.next_ttl_ms WHERE f.family = wanted AND f.server = here;
  COMMIT AND NO CHAIN NO RELEASE;
END
//
CREATE PROCEDURE snoflax.lease_adopt(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Lets this server give out leases after a failover, a restore or a copy, when no other one gives out the same numbers any more. For the owner.'
BEGIN
  DECLARE here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE durability_here varchar(16) CHARACTER SET ascii COLLATE ascii_bin DEFAULT snoflax._lease_durability();
  DECLARE floor bigint;
  DECLARE now_ms bigint DEFAULT snoflax._now_us() DIV 1000;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_adopt', '', 0, 0, 0);
  {with settings} snoflax._lease_server() INTO here;
  -- Behind all that another server may have reserved, if its clock was at most 10 s ahead of this one's. To accept that a
  -- crash may lose commits says of none that was.
  UPDATE snoflax._lease_family f
     SET f.floor_ms = CASE WHEN f.server = here AND f.durability <> durability_here THEN f.floor_ms
         ELSE greatest(f.floor_ms, now_ms + f.margin_ms + 10000) END,
       f.server = here, f.durability = durability_here
   WHERE f.family = wanted AND f.server <> '';
  CALL snoflax._lease_enter(wanted, 'lease_adopt', here, durability_here, NULL, floor);
  COMMIT AND NO CHAIN NO RELEASE;
END
//
CREATE FUNCTION snoflax._lease_reset(wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, first_number bigint, last_number bigint,
  here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, durability varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
RETURNS int
DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE floor bigint;
  CALL snoflax._lease_enter(wanted, 'lease_reset', here, durability, NULL, floor);
  UPDATE snoflax._lease l
    JOIN (SELECT o.number, max(o.reserved_until_ms) AS behind FROM snoflax._lease o
           WHERE o.family = wanted AND o.number BETWEEN first_number AND last_number GROUP BY o.number) s ON s.number = l.number
     SET l.token = NULL, l.holder = NULL, l.epoch_ms = NULL, l.expires_ms = NULL, l.reserved_until_ms = s.behind, l.shards = 1
   WHERE l.family = wanted;
  RETURN row_count();
END
//
CREATE PROCEDURE snoflax.lease_reset(IN wanted varchar(16) CHARACTER SET ascii COLLATE ascii_bin, IN first_number bigint, IN last_number bigint)
MODIFIES SQL DATA SQL SECURITY DEFINER
COMMENT 'Takes the numbers from first_number to last_number from their holders, who learn it with their next renewal. What follows begins behind their windows, with any shards and epoch: no id of these numbers that was made for another epoch may be in use. For the owner.'
BEGIN
  DECLARE done int;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK AND NO CHAIN NO RELEASE; RESIGNAL; END;
  CALL snoflax._lease_check('lease_reset', 'last_number', last_number, 0, 65535);
  CALL snoflax._lease_check('lease_reset', 'first_number', first_number, 0, last_number);
  {with settings} snoflax._lease_reset(snoflax._lease_lock(wanted), first_number, last_number, snoflax._lease_server(), snoflax._lease_durability()) INTO done;
  COMMIT AND NO CHAIN NO RELEASE;
END
//
-- Refuses, which undoes it, while numbers are leased.
CREATE FUNCTION snoflax._lease_close(now_ms bigint) RETURNS bool
DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE message varchar(512) CHARACTER SET utf8mb4;
  UPDATE snoflax._lease_family f SET f.server = '';
  SELECT concat('number ', l.number, ' of ', l.family, ' is leased to ', l.holder, '; stop that process first') INTO message
    FROM snoflax._lease l WHERE l.token IS NOT NULL AND l.expires_ms > now_ms OR l.reserved_until_ms > now_ms LIMIT 1;
  IF message IS NOT NULL THEN
    SET message = left(message, 128);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
  RETURN true;
END
//
-- Names the server before the first lease: a replica that is promoted without having heard of that one must see that it is
-- another. No window begins before the installation, so none meets those of an installation that was removed. Tries the
-- rights that leases need, which a role doesn't give to a procedure.
CREATE PROCEDURE snoflax._lease_open()
MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE now_ms bigint DEFAULT snoflax._now_us() DIV 1000;
  DECLARE here varchar(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  {with settings} snoflax._lease_server() INTO here;
  INSERT INTO snoflax._lease SELECT * FROM snoflax._lease l WHERE false;
  UPDATE snoflax._lease l SET l.token = NULL WHERE false;
  IF right(here, 5) = ',lost' THEN
    SIGNAL SQLSTATE '42000' SET MYSQL_ERRNO = 1142, MESSAGE_TEXT = 'the triggers _lease_made and _lease_family_made are missing, or hidden';
  END IF;
  UPDATE snoflax._lease_family f SET f.server = here, f.floor_ms = greatest(f.floor_ms, now_ms) WHERE f.server = '';
END
