-- Leases of numbers that generators of sno and flake must not share (partition, worker id), or of shards of one. After
-- clock.sql.
--
-- Each lease has a window [start, until): the times that ids of its holder may contain. Windows of a number never
-- overlap, whatever clocks do, because each begins after all that was ever reserved:
--
-- * Each acquire and each renewal raises reserved_until_ms in the row, and commits that, before the holder knows.
--   No id of this number, by anyone, ever, is at or after it.
-- * The next holder starts there. A release lowers it to what was used: the holder has closed its generator before.
-- * expires_ms only says when others may take the number. That may be too early by any amount: the old holder still
--   keeps to its window, and the new one's begins after it. So clocks only decide who waits.
-- * The token is random. Renewals and releases name it, so that a late one, or one from a holder that the database has
--   forgotten, changes nothing.
-- * A server that was promoted, or restored to an earlier time, may have forgotten leases and renewals. They reached at
--   most margin_ms beyond the last time of the lost server. Windows of the new timeline begin after that, at floor_ms;
--   so do those of surviving holders. It may also have forgotten a longer margin, so leases get no longer than before
--   until the owner confirms that no server with the old margin will be promoted.
-- * Each row names the transaction that wrote it. A restored row was written by another one, in any table and database:
--   then the family grants no leases until the owner adopts them. The same holds if rows are lost. Freezing, VACUUM FULL
--   and CLUSTER keep xmin.

SET LOCAL search_path = pg_catalog, pg_temp;

-- In both tables written_by is the transaction that wrote the row, which is xmin.
CREATE TABLE IF NOT EXISTS snoflax._lease_family (
  family text PRIMARY KEY,
  last_number integer NOT NULL,
  max_shards integer NOT NULL,
  max_ttl_ms integer NOT NULL DEFAULT 30000, -- the longest lease that is granted
  floor_ms bigint NOT NULL DEFAULT 0, -- Unix ms; no window granted on this timeline begins before it
  -- The database that grants the leases and its server's system identifier: those of the installation, so that a copy knows
  -- itself as one before its first lease; 0 where only lease_adopt() may tell, NULL if the server hid them.
  -- The timeline when it was installed, or when a lease was last granted.
  database oid,
  system bigint,
  timeline bigint,
  -- The longest lease that may be in use, for which a promoted server waits: max_ttl_ms, or a longer one not confirmed yet.
  margin_ms integer NOT NULL DEFAULT 30000,
  tables oid[], -- these two
  leases integer NOT NULL DEFAULT 0, -- rows of _lease
  written_by xid NOT NULL DEFAULT '0',
  longer_until_ms bigint NOT NULL DEFAULT 0 -- Unix ms; leases from before the longest was shortened end before it
);

CREATE TABLE IF NOT EXISTS snoflax._lease (
  family text NOT NULL REFERENCES snoflax._lease_family,
  number integer NOT NULL,
  shard integer NOT NULL DEFAULT 0,
  shards integer NOT NULL DEFAULT 1, -- of the number
  epoch_ms bigint DEFAULT 0, -- of the number's ids; null after lease_reset()
  permanent boolean NOT NULL DEFAULT false, -- is, or was, the number of this database's own generator, and is never leased
  token uuid UNIQUE, -- known to the holder only; null after a release
  holder text,
  acquired_ms bigint,
  renewed_ms bigint,
  expires_ms bigint,
  start_ms bigint, -- Unix ms: the start of the latest window
  reserved_until_ms bigint NOT NULL DEFAULT 0, -- Unix ms; no id of this number, by anyone, ever, is at or after it
  used_until_ms bigint, -- Unix ms: no id was later, as the holder last reported
  written_by xid NOT NULL DEFAULT '0',
  PRIMARY KEY (family, number, shard)
);

-- Tables of an earlier version have fewer columns.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'snoflax._lease'::regclass AND attname = 'written_by') THEN
    -- These functions use the row type.
    DROP FUNCTION IF EXISTS snoflax._lease_is_here(snoflax._lease_family), snoflax._lease_floor_ms(snoflax._lease_family),
      snoflax._lease_enter(text, text);
    ALTER TABLE snoflax._lease_family ADD COLUMN IF NOT EXISTS margin_ms integer NOT NULL DEFAULT 30000,
      ADD COLUMN IF NOT EXISTS tables oid[], ADD COLUMN leases integer NOT NULL DEFAULT 0,
      ADD COLUMN written_by xid NOT NULL DEFAULT '0';
    ALTER TABLE snoflax._lease ALTER COLUMN epoch_ms DROP NOT NULL, ADD COLUMN written_by xid NOT NULL DEFAULT '0';
    -- Existing rows count as written here. In a subtransaction xmin is not the transaction's own.
    UPDATE snoflax._lease_family f SET margin_ms = greatest(f.margin_ms, f.max_ttl_ms),
      leases = (SELECT count(*) FROM snoflax._lease l WHERE l.family = f.family);
    UPDATE snoflax._lease SET holder = holder;
    UPDATE snoflax._lease_family SET written_by = xmin;
    UPDATE snoflax._lease SET written_by = xmin;
    IF to_regclass('snoflax._manifest') IS NOT NULL THEN
      DELETE FROM snoflax._manifest
       WHERE name IN ('_lease_family', '_lease', '_lease_is_here', '_lease_enter') AND object !~ '^row ';
    END IF;
  END IF;
  ALTER TABLE snoflax._lease_family ADD COLUMN IF NOT EXISTS longer_until_ms bigint NOT NULL DEFAULT 0;
  -- An installed family without a row lost it, for example by a restore of the structure only.
  INSERT INTO snoflax._lease_family (family, last_number, max_shards, database)
  SELECT lost, 0, 0, 0 FROM unnest(ARRAY['sno', 'flake']) lost WHERE to_regclass(format('snoflax.%s_state', lost)) IS NOT NULL
  ON CONFLICT (family) DO NOTHING;
END $$;

COMMENT ON TABLE snoflax._lease_family IS 'The families whose numbers can be leased; read and written by the functions only.';
COMMENT ON TABLE snoflax._lease IS 'Numbers that were ever leased; read and written by the functions only.';

CREATE OR REPLACE FUNCTION snoflax._lease_now_ms() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN snoflax._clock_us() / 1000;

CREATE OR REPLACE FUNCTION snoflax._lease_tables() RETURNS oid[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ARRAY[to_regclass('snoflax._lease')::oid, to_regclass('snoflax._lease_family')::oid];

-- Whether these tables, in this database, are those that grant the leases, and the functions wrote the family's row; if
-- `whole`, also all of its leases. NULL if the server hid what it is when they were installed.
CREATE OR REPLACE FUNCTION snoflax._lease_is_here(wanted text, whole boolean) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (
  SELECT f.xmin = f.written_by AND (NOT whole OR (
      SELECT count(*) = f.leases AND coalesce(bool_and(l.xmin = l.written_by), true)
        FROM snoflax._lease l WHERE l.family = f.family))
      AND f.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND f.system = snoflax._server_system() AND f.tables = snoflax._lease_tables()
    FROM snoflax._lease_family f WHERE f.family = wanted);

-- Called after rows are written: in a subtransaction xmin is not the transaction of pg_current_xact_id().
CREATE OR REPLACE FUNCTION snoflax._lease_sign(wanted text, first integer, last integer) RETURNS void
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
  UPDATE snoflax._lease_family SET written_by = xmin
   WHERE family = wanted AND written_by = pg_current_xact_id()::xid AND xmin <> written_by;
  UPDATE snoflax._lease SET written_by = xmin
   WHERE family = wanted AND number BETWEEN first AND last AND written_by = pg_current_xact_id()::xid
     AND xmin <> written_by;
$$;

-- A time after all that another server may have reserved, if its clock was at most 10 s ahead of this one's. Ids of its
-- own generator were up to 10 s ahead of that clock, which matters if leases are shorter.
CREATE OR REPLACE FUNCTION snoflax._lease_floor_ms(f snoflax._lease_family) RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN snoflax._lease_now_ms() + greatest((f).margin_ms, 11000) + 10000;

-- The family's row, after checking that this server may grant its leases.
CREATE OR REPLACE FUNCTION snoflax._lease_enter(wanted text, caller text, whole boolean) RETURNS snoflax._lease_family
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family;
  timeline_here bigint := snoflax._server_timeline();
  is_here boolean := snoflax._lease_is_here(wanted, whole);
BEGIN
  -- The holder learns of it after the commit, so the commit must survive a crash.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'local', true);
  END IF;
  SELECT * INTO f FROM snoflax._lease_family WHERE family = wanted;
  IF NOT FOUND THEN
    IF (CASE WHEN wanted IN ('sno', 'flake') THEN to_regclass('snoflax.' || wanted || '_state') END) IS NOT NULL THEN
      RAISE EXCEPTION '%: the leases of % are missing', caller, wanted
        USING ERRCODE = '55000', HINT = 'Install again; that restores what is missing.';
    END IF;
    RAISE EXCEPTION '%: family "%" has no numbers to lease', caller, wanted USING ERRCODE = '22023',
      HINT = 'Families with numbers are sno and flake, if installed.';
  END IF;
  IF is_here AND f.timeline = timeline_here THEN
    RETURN f;
  END IF;

  SELECT * INTO f FROM snoflax._lease_family WHERE family = wanted FOR UPDATE;
  is_here := snoflax._lease_is_here(wanted, whole);
  IF is_here AND f.timeline = timeline_here THEN
    RETURN f;
  END IF;
  IF is_here IS NULL THEN
    RAISE EXCEPTION '%: %', caller, coalesce((SELECT warning FROM snoflax.identity),
      'this server hid its system identifier or timeline at the installation, so this database may be a copy')
      USING ERRCODE = '55000', HINT = format('If you will call it again after each failover and restore: '
        'SELECT snoflax.lease_adopt(%L)', wanted);
  ELSIF NOT is_here THEN
    RAISE EXCEPTION '%: this database is a copy or was restored, and may lack leases of %', caller, wanted
      USING ERRCODE = '55000', HINT = format('Once the original no longer leases these numbers: '
        'SELECT snoflax.lease_adopt(%L)', wanted);
  END IF;
  UPDATE snoflax._lease_family l
     SET timeline = timeline_here, floor_ms = greatest(l.floor_ms, snoflax._lease_floor_ms(l)),
       written_by = pg_current_xact_id()::xid
   WHERE l.family = wanted RETURNING * INTO f;
  PERFORM snoflax._lease_sign(wanted, 0, -1);
  RETURN f;
END $$;

CREATE OR REPLACE FUNCTION snoflax._lease_check_ttl(f snoflax._lease_family, ttl_ms integer, caller text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ttl_ms IS NULL OR ttl_ms NOT BETWEEN 100 AND f.max_ttl_ms THEN
    RAISE EXCEPTION '%: ttl_ms % is not from 100 to %', caller, ttl_ms, f.max_ttl_ms USING ERRCODE = '22003',
      HINT = format('The owner can allow longer ones: SELECT snoflax.lease_set_max_ttl(%L, <ms>) and lease_confirm_max_ttl(%1$L).', f.family);
  END IF;
END $$;

-- Rows that can be granted now.
CREATE OR REPLACE FUNCTION snoflax._lease_free(
  wanted text, first integer, last integer, divided integer, epoch bigint, now_ms bigint)
RETURNS SETOF snoflax._lease
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM snoflax._lease
   WHERE family = wanted AND number BETWEEN first AND last AND shards = divided AND epoch_ms = epoch
     AND NOT permanent AND (token IS NULL OR expires_ms <= now_ms);
$$;

-- A number that was never leased. All but the last ones were, as a rule, so that is where it looks first.
CREATE OR REPLACE FUNCTION snoflax._lease_unused(wanted text, first integer, last integer) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  unused integer := coalesce(
    (SELECT max(number) + 1 FROM snoflax._lease WHERE family = wanted AND number BETWEEN first AND last), first);
BEGIN
  IF unused > last THEN
    IF (SELECT count(*) FROM snoflax._lease WHERE family = wanted AND number BETWEEN first AND last AND shard = 0) > last - first
    THEN
      RETURN NULL;
    END IF;
    SELECT expected INTO unused
      FROM (SELECT number, first - 1 + row_number() OVER (ORDER BY number) AS expected FROM snoflax._lease
             WHERE family = wanted AND number BETWEEN first AND last AND shard = 0) used
     WHERE number <> expected ORDER BY number LIMIT 1;
  END IF;
  RETURN unused;
END $$;

CREATE OR REPLACE FUNCTION snoflax.lease_acquire(
  family text, holder text, ttl_ms integer, first_number integer, last_number integer, shards integer, epoch_ms bigint,
  OUT token uuid, OUT number integer, OUT shard integer, OUT start_ms bigint, OUT until_ms bigint, OUT wait_ms bigint,
  OUT xid xid8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family;
  chosen snoflax._lease;
  now_ms bigint;
  behind bigint;
  counted integer;
BEGIN
  -- One at a time.
  PERFORM FROM snoflax._lease_family l WHERE l.family = lease_acquire.family FOR UPDATE;
  f := snoflax._lease_enter(family, 'lease_acquire', true);
  PERFORM snoflax._lease_check_ttl(f, ttl_ms, 'lease_acquire'),
    snoflax._check_field('last_number'::text, last_number::bigint, 0::bigint, f.last_number::bigint, 'lease_acquire'::text),
    snoflax._check_field('first_number'::text, first_number::bigint, 0::bigint, last_number::bigint, 'lease_acquire'::text),
    snoflax._check_field('shards'::text, shards::bigint, 1::bigint, f.max_shards::bigint, 'lease_acquire'::text);
  IF coalesce(holder, '') = '' OR epoch_ms IS NULL THEN
    RAISE EXCEPTION 'lease_acquire: % is missing', CASE WHEN epoch_ms IS NULL THEN 'epoch_ms' ELSE 'holder' END
      USING ERRCODE = '22023';
  END IF;
  now_ms := snoflax._lease_now_ms();

  -- First shards of a divided number that were never used, then numbers that were never used, then used ones, then one
  -- that is free in all its shards and can be divided again.
  IF shards > 1 THEN
    SELECT * INTO chosen FROM snoflax._lease_free(family, first_number, last_number, shards, epoch_ms, now_ms) l
     WHERE l.reserved_until_ms = 0 ORDER BY l.number, l.shard LIMIT 1;
  END IF;
  IF chosen.family IS NULL THEN
    number := snoflax._lease_unused(family, first_number, last_number);
    IF number IS NULL THEN
      SELECT * INTO chosen FROM snoflax._lease_free(family, first_number, last_number, shards, epoch_ms, now_ms) l
       ORDER BY l.reserved_until_ms, l.number, l.shard LIMIT 1;
    END IF;
    IF chosen.family IS NULL AND number IS NULL THEN
      SELECT l.number INTO number FROM snoflax._lease l
       WHERE l.family = f.family AND l.number BETWEEN first_number AND last_number
       GROUP BY l.number
      HAVING bool_and(NOT l.permanent AND (l.token IS NULL OR l.expires_ms <= now_ms)
        AND coalesce(l.epoch_ms = lease_acquire.epoch_ms, true))
       ORDER BY max(l.reserved_until_ms), l.number LIMIT 1;
      PERFORM FROM snoflax._lease l WHERE l.family = f.family AND l.number = lease_acquire.number FOR UPDATE;
      IF EXISTS (SELECT FROM snoflax._lease l WHERE l.family = f.family AND l.number = lease_acquire.number
        AND l.token IS NOT NULL AND l.expires_ms > now_ms)
      THEN
        -- Its holder has just renewed it.
        number := NULL;
        wait_ms := 1;
        RETURN;
      END IF;
    END IF;
    IF number IS NOT NULL THEN
      WITH gone AS (
        DELETE FROM snoflax._lease l WHERE l.family = f.family AND l.number = lease_acquire.number
        RETURNING l.reserved_until_ms)
      SELECT coalesce(max(gone.reserved_until_ms), 0), count(*) INTO behind, counted FROM gone;
      INSERT INTO snoflax._lease (family, number, shard, shards, epoch_ms, reserved_until_ms, written_by)
      SELECT f.family, lease_acquire.number, one, lease_acquire.shards, lease_acquire.epoch_ms, behind,
          pg_current_xact_id()::xid
        FROM generate_series(0, lease_acquire.shards - 1) one;
      UPDATE snoflax._lease_family l SET leases = l.leases + lease_acquire.shards - counted,
        written_by = pg_current_xact_id()::xid WHERE l.family = f.family;
      SELECT * INTO chosen FROM snoflax._lease l
       WHERE l.family = f.family AND l.number = lease_acquire.number AND l.shard = 0;
      number := NULL;
    END IF;
  END IF;
  IF chosen.family IS NULL THEN
    -- A number divided into another count of shards can be used when its last shard ends.
    SELECT min(CASE l.shards WHEN lease_acquire.shards THEN l.soonest ELSE l.latest END) - now_ms INTO wait_ms
      FROM (SELECT min(l.shards), min(l.expires_ms), max(l.expires_ms) FROM snoflax._lease l
             WHERE l.family = f.family AND l.number BETWEEN first_number AND last_number
             GROUP BY l.number
            HAVING bool_and(NOT l.permanent AND coalesce(l.epoch_ms = lease_acquire.epoch_ms, true)))
        l (shards, soonest, latest);
    RETURN;
  END IF;

  UPDATE snoflax._lease l
     SET token = gen_random_uuid(), holder = lease_acquire.holder, acquired_ms = now_ms, renewed_ms = now_ms,
       expires_ms = now_ms + ttl_ms, used_until_ms = NULL,
       start_ms = greatest(l.reserved_until_ms, f.floor_ms, now_ms - ttl_ms),
       reserved_until_ms = greatest(l.reserved_until_ms, f.floor_ms, now_ms + ttl_ms),
       written_by = pg_current_xact_id()::xid
   WHERE l.family = chosen.family AND l.number = chosen.number AND l.shard = chosen.shard
     AND (l.token IS NULL OR l.expires_ms <= now_ms)
  RETURNING l.token, l.number, l.shard, l.start_ms, l.reserved_until_ms
    INTO token, number, shard, start_ms, until_ms;
  -- Skipped if its holder has just renewed it.
  wait_ms := CASE WHEN token IS NULL THEN 1 ELSE 0 END;
  PERFORM snoflax._lease_sign(family, chosen.number, chosen.number);
  xid := pg_current_xact_id();
END $$;

CREATE OR REPLACE FUNCTION snoflax.lease_renew(
  token uuid, ttl_ms integer, used_until_ms bigint, OUT start_ms bigint, OUT until_ms bigint, OUT xid xid8)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family;
  held snoflax._lease;
  is_foreign boolean;
  now_ms bigint;
BEGIN
  LOCK TABLE snoflax._lease_family IN ACCESS SHARE MODE;
  SELECT l.family, l.number, l.xmin <> l.written_by INTO held.family, held.number, is_foreign
    FROM snoflax._lease l WHERE l.token = lease_renew.token;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- The snapshot may be older than the shortening of the longest lease.
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    PERFORM FROM snoflax._lease_family l WHERE l.family = held.family FOR SHARE;
  END IF;
  f := snoflax._lease_enter(held.family, 'lease_renew', is_foreign);
  PERFORM snoflax._lease_check_ttl(f, ttl_ms, 'lease_renew');
  now_ms := snoflax._lease_now_ms();
  -- A window from before the floor ends there, and a new one begins after it.
  UPDATE snoflax._lease l
     SET renewed_ms = now_ms, expires_ms = now_ms + ttl_ms,
       start_ms = CASE WHEN l.start_ms < f.floor_ms THEN greatest(l.reserved_until_ms, f.floor_ms) ELSE l.start_ms END,
       reserved_until_ms = greatest(l.reserved_until_ms, f.floor_ms, now_ms + ttl_ms),
       used_until_ms = CASE WHEN lease_renew.used_until_ms IS NULL THEN l.used_until_ms
         ELSE greatest(l.start_ms, l.used_until_ms, least(l.reserved_until_ms, lease_renew.used_until_ms)) END,
       written_by = pg_current_xact_id()::xid
   WHERE l.token = lease_renew.token AND l.xmin = l.written_by
  RETURNING l.start_ms, l.reserved_until_ms INTO start_ms, until_ms;
  IF FOUND THEN
    PERFORM snoflax._lease_sign(held.family, held.number, held.number);
    xid := pg_current_xact_id();
    RETURN NEXT;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION snoflax.lease_release(token uuid, used_until_ms bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  held snoflax._lease;
BEGIN
  LOCK TABLE snoflax._lease_family IN ACCESS SHARE MODE;
  UPDATE snoflax._lease l
     SET token = NULL, expires_ms = NULL,
       used_until_ms = CASE WHEN lease_release.used_until_ms IS NULL THEN l.used_until_ms
         ELSE greatest(l.start_ms, l.used_until_ms, least(l.reserved_until_ms, lease_release.used_until_ms)) END,
       reserved_until_ms = CASE WHEN lease_release.used_until_ms IS NULL THEN l.reserved_until_ms
         ELSE greatest(l.start_ms, l.used_until_ms, least(l.reserved_until_ms, lease_release.used_until_ms)) END,
       written_by = pg_current_xact_id()::xid
   WHERE l.token = lease_release.token AND l.xmin = l.written_by
  RETURNING l.family, l.number INTO held.family, held.number;
  PERFORM snoflax._lease_sign(held.family, held.number, held.number);
  RETURN held.family IS NOT NULL;
END $$;

-- Who holds what ------------------------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW snoflax.leases AS
SELECT family, number, shard, shards, holder,
    CASE WHEN permanent THEN 'database' WHEN token IS NULL THEN 'free'
      WHEN expires_ms <= snoflax._lease_now_ms() THEN 'expired' ELSE 'held' END AS state,
    snoflax._moment(acquired_ms) AS acquired_at, snoflax._moment(renewed_ms) AS renewed_at,
    snoflax._moment(expires_ms) AS expires_at, snoflax._moment(start_ms) AS starts_at,
    snoflax._moment(nullif(reserved_until_ms, 0)) AS reserved_until, snoflax._moment(used_until_ms) AS used_until
  FROM snoflax._lease;

GRANT SELECT ON snoflax.leases TO PUBLIC;

CREATE OR REPLACE FUNCTION snoflax.lease_of(family text, number integer) RETURNS SETOF snoflax.leases
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM snoflax.leases l WHERE l.family = lease_of.family AND l.number = lease_of.number ORDER BY l.shard;
$$;

-- For the owner, and for the functions that set the number of a family ------------------------------------------------

CREATE OR REPLACE FUNCTION snoflax.lease_set_max_ttl(family text, ttl_ms integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family;
BEGIN
  PERFORM snoflax._check_field('ttl_ms'::text, ttl_ms::bigint, 100::bigint, 86400000::bigint, 'lease_set_max_ttl'::text);
  -- A shorter margin must begin after all longer leases, so this waits for everyone who grants one and has read the table.
  LOCK TABLE snoflax._lease_family IN ACCESS EXCLUSIVE MODE;
  f := snoflax._lease_enter(family, 'lease_set_max_ttl', true);
  UPDATE snoflax._lease_family l SET max_ttl_ms = least(l.max_ttl_ms, ttl_ms), margin_ms = ttl_ms,
    longer_until_ms = CASE WHEN ttl_ms < l.margin_ms THEN greatest(l.longer_until_ms, snoflax._lease_floor_ms(l))
      ELSE l.longer_until_ms END, written_by = pg_current_xact_id()::xid
   WHERE l.family = f.family RETURNING * INTO f;
  PERFORM snoflax._lease_sign(f.family, 0, -1);
  IF f.margin_ms > f.max_ttl_ms THEN
    RAISE NOTICE 'lease_set_max_ttl: leases of % last % ms at most until this is confirmed', f.family, f.max_ttl_ms
      USING HINT = format('When no standby, backup or snapshot from before this will be promoted or restored: '
        'SELECT snoflax.lease_confirm_max_ttl(%L)', f.family);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION snoflax.lease_confirm_max_ttl(family text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family := snoflax._lease_enter(family, 'lease_confirm_max_ttl', true);
BEGIN
  -- Its subtransactions have later ids than the transaction.
  IF EXISTS (SELECT FROM snoflax._lease_family l WHERE l.family = f.family AND age(l.xmin) <= 0)
    AND f.margin_ms > f.max_ttl_ms
  THEN
    RAISE EXCEPTION 'lease_confirm_max_ttl: lease_set_max_ttl() was called in this transaction' USING ERRCODE = '55000',
      HINT = 'Commit first, and wait until every standby has replayed the commit.';
  END IF;
  UPDATE snoflax._lease_family l SET max_ttl_ms = l.margin_ms, written_by = pg_current_xact_id()::xid
   WHERE l.family = f.family;
  PERFORM snoflax._lease_sign(f.family, 0, -1);
END $$;

CREATE OR REPLACE FUNCTION snoflax.lease_adopt(family text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family;
BEGIN
  -- No other transaction writes rows from now on. In the order of lease_acquire(), as everywhere.
  PERFORM FROM snoflax._lease_family l WHERE l.family = lease_adopt.family FOR UPDATE;
  LOCK TABLE snoflax._lease IN EXCLUSIVE MODE;
  INSERT INTO snoflax._lease (family, number, permanent)
  SELECT g.family, g.number, true FROM snoflax._generator g JOIN snoflax._lease_family l USING (family)
   WHERE g.family = lease_adopt.family AND g.number IS NOT NULL
  ON CONFLICT ON CONSTRAINT _lease_pkey DO NOTHING;
  UPDATE snoflax._lease l SET written_by = pg_current_xact_id()::xid WHERE l.family = lease_adopt.family;
  UPDATE snoflax._lease_family l
     SET floor_ms = greatest(l.floor_ms, l.longer_until_ms, snoflax._lease_floor_ms(l)),
       timeline = snoflax._server_timeline(),
       database = (SELECT oid FROM pg_database WHERE datname = current_database()), system = snoflax._server_system(),
       tables = snoflax._lease_tables(), written_by = pg_current_xact_id()::xid,
       leases = (SELECT count(*) FROM snoflax._lease o WHERE o.family = l.family)
   WHERE l.family = lease_adopt.family RETURNING * INTO f;
  PERFORM snoflax._lease_sign(family, 0, f.last_number), snoflax._lease_enter(family, 'lease_adopt', true);
END $$;

CREATE OR REPLACE FUNCTION snoflax.lease_reset(family text, first_number integer, last_number integer) RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f snoflax._lease_family;
  numbers integer;
BEGIN
  PERFORM FROM snoflax._lease_family l WHERE l.family = lease_reset.family FOR UPDATE;
  f := snoflax._lease_enter(family, 'lease_reset', true);
  PERFORM snoflax._check_field('last_number'::text, last_number::bigint, 0::bigint, f.last_number::bigint, 'lease_reset'::text),
    snoflax._check_field('first_number'::text, first_number::bigint, 0::bigint, last_number::bigint, 'lease_reset'::text);
  WITH gone AS (
    DELETE FROM snoflax._lease l
     WHERE l.family = f.family AND l.number BETWEEN first_number AND lease_reset.last_number AND NOT l.permanent
    RETURNING l.number, l.reserved_until_ms)
  INSERT INTO snoflax._lease (family, number, epoch_ms, reserved_until_ms, written_by)
  SELECT f.family, gone.number, NULL, max(gone.reserved_until_ms), pg_current_xact_id()::xid FROM gone GROUP BY gone.number;
  GET DIAGNOSTICS numbers = ROW_COUNT;
  UPDATE snoflax._lease_family l SET written_by = pg_current_xact_id()::xid,
    leases = (SELECT count(*) FROM snoflax._lease o WHERE o.family = l.family) WHERE l.family = f.family;
  PERFORM snoflax._lease_sign(f.family, first_number, last_number);
  RETURN numbers;
END $$;

-- Makes a family one whose numbers can be leased, in the database where it was installed. An extension's rows are not in a
-- dump, so there a restore looks like an installation, and the owner tells which it is.
CREATE OR REPLACE FUNCTION snoflax._lease_define(wanted text, last integer, shards integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  added integer;
BEGIN
  -- With its timeline: after a failover the first leases, too, may be unknown.
  INSERT INTO snoflax._lease_family AS f (family, last_number, max_shards, timeline, written_by)
  VALUES (wanted, last, shards, snoflax._server_timeline(), pg_current_xact_id()::xid)
  ON CONFLICT (family) DO UPDATE SET last_number = EXCLUDED.last_number, max_shards = EXCLUDED.max_shards
   WHERE f.max_shards = 0;
  INSERT INTO snoflax._lease (family, number, permanent, written_by)
  SELECT family, number, true, pg_current_xact_id()::xid FROM snoflax._generator WHERE family = wanted AND number IS NOT NULL
  ON CONFLICT (family, number, shard) DO NOTHING;
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM snoflax._lease_sign(wanted, 0, last);
  UPDATE snoflax._lease_family SET leases = leases + added, written_by = pg_current_xact_id()::xid
   WHERE family = wanted AND added > 0 AND xmin = written_by;
  PERFORM snoflax._lease_sign(wanted, 0, -1);
  UPDATE snoflax._lease_family f
     SET database = coalesce(f.database, CASE current_setting('snoflax.extension', true) WHEN 'on' THEN 0 ELSE i.database END),
       system = coalesce(f.system, i.system_identifier), tables = snoflax._lease_tables(),
       written_by = pg_current_xact_id()::xid
    FROM snoflax.identity i
   WHERE f.family = wanted AND f.tables IS NULL AND f.xmin = f.written_by AND i.warning IS NULL;
  PERFORM snoflax._lease_sign(wanted, 0, -1);
END $$;

-- Reserves a number permanently for this database's own generator, and returns the end of its last window. The number
-- that the generator had stays reserved: sessions use it until they see the new one.
CREATE OR REPLACE FUNCTION snoflax._lease_take(wanted text, given bigint, epoch bigint, caller text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  now_ms bigint;
  reserved_until_ms bigint := 0;
  f snoflax._lease_family;
  l snoflax._lease;
BEGIN
  SELECT * INTO f FROM snoflax._lease_family WHERE family = wanted FOR UPDATE;
  -- In a copy the owner knows what the original may lease; after a failover or a restore nobody knows.
  IF NOT FOUND OR (CASE WHEN snoflax._lease_is_here(wanted, true) IS NULL
      THEN f.timeline IS DISTINCT FROM snoflax._server_timeline()
      ELSE coalesce(f.system = snoflax._server_system()
        AND nullif(f.database, 0) = (SELECT oid FROM pg_database WHERE datname = current_database()), true) END)
  THEN
    f := snoflax._lease_enter(wanted, caller, true);
  END IF;
  now_ms := snoflax._lease_now_ms();
  IF f.floor_ms > now_ms
    AND NOT EXISTS (SELECT FROM snoflax._lease WHERE family = wanted AND number = given AND permanent)
  THEN
    RAISE EXCEPTION '%: number % may be leased by the previous server until %', caller, given,
      snoflax._moment(f.floor_ms) USING ERRCODE = '55000', HINT = 'Set it after that time.';
  END IF;
  FOR l IN SELECT * FROM snoflax._lease WHERE family = wanted AND number = given AND NOT permanent FOR UPDATE LOOP
    IF l.token IS NOT NULL AND l.expires_ms > now_ms OR l.reserved_until_ms > now_ms THEN
      RAISE EXCEPTION '%: number % is leased to %, until %', caller, given, l.holder,
        snoflax._moment(greatest(l.expires_ms, l.reserved_until_ms)) USING ERRCODE = '55000',
        HINT = 'Use a number outside the leased range.';
    ELSIF l.epoch_ms <> epoch AND l.reserved_until_ms > 0 THEN
      RAISE EXCEPTION '%: number % was leased for ids with epoch_ms %, and ids with epoch_ms % could repeat them',
        caller, given, l.epoch_ms, epoch USING ERRCODE = '55000',
        HINT = 'Use a number outside the leased range.';
    END IF;
    reserved_until_ms := greatest(reserved_until_ms, l.reserved_until_ms);
  END LOOP;
  DELETE FROM snoflax._lease WHERE family = wanted AND number = given AND NOT permanent;
  INSERT INTO snoflax._lease (family, number, epoch_ms, permanent, holder, acquired_ms, written_by)
  VALUES (wanted, given, epoch, true, current_database(), now_ms, pg_current_xact_id()::xid)
  ON CONFLICT (family, number, shard) DO UPDATE
    SET holder = EXCLUDED.holder, acquired_ms = EXCLUDED.acquired_ms, written_by = EXCLUDED.written_by;
  UPDATE snoflax._lease_family SET written_by = pg_current_xact_id()::xid,
    leases = (SELECT count(*) FROM snoflax._lease WHERE family = wanted) WHERE family = wanted;
  PERFORM snoflax._lease_sign(wanted, given::integer, given::integer);
  RETURN reserved_until_ms;
END $$;

-- Makes a number that of the database's own generator, whose state must be after all its windows.
CREATE OR REPLACE FUNCTION snoflax._clock_take_number(wanted text, given bigint, epoch bigint, caller text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  reserved_until_ms bigint := snoflax._lease_take(wanted, given, epoch, caller);
  g snoflax._generator;
BEGIN
  PERFORM snoflax._clock_set_number(wanted, given);
  SELECT * INTO g FROM snoflax._generator WHERE family = wanted;
  IF reserved_until_ms > ((coalesce(pg_sequence_last_value(g.state), 0) >> g.shift) + g.origin) * g.unit_us / 1000
  THEN
    PERFORM snoflax._clock_advance(wanted);
  END IF;
END $$;

REVOKE EXECUTE ON FUNCTION snoflax.lease_acquire(text, text, integer, integer, integer, integer, bigint),
  snoflax.lease_renew(uuid, integer, bigint), snoflax.lease_release(uuid, bigint),
  snoflax.lease_set_max_ttl(text, integer), snoflax.lease_confirm_max_ttl(text), snoflax.lease_adopt(text),
  snoflax.lease_reset(text, integer, integer),
  snoflax._lease_define(text, integer, integer), snoflax._lease_take(text, bigint, bigint, text),
  snoflax._clock_take_number(text, bigint, bigint, text) FROM PUBLIC;

COMMENT ON VIEW snoflax.leases IS
  'Who holds which number. State: held, expired (others may take it), free, or database (its own generator''s). Ids of '
  'a holder have times from starts_at until before reserved_until; used_until is how far they had come at the last '
  'renewal or release.';
COMMENT ON FUNCTION snoflax.lease_of(text, integer) IS 'The leases of one number.';
COMMENT ON FUNCTION snoflax.lease_acquire(text, text, integer, integer, integer, integer, bigint) IS
  'Leases a number from first_number to last_number, or a shard of one that has as many, to the holder for ttl_ms. '
  'epoch_ms is the epoch of its ids. Ids may contain Unix ms from start_ms until before until_ms, once transaction xid '
  'has committed. The token is null if no number is free; wait_ms is the time until one may be.';
COMMENT ON FUNCTION snoflax.lease_renew(uuid, integer, bigint) IS
  'Extends a lease to ttl_ms from now and returns its window. No row if the lease was lost. No id may have a time at or '
  'after used_until_ms so far.';
COMMENT ON FUNCTION snoflax.lease_release(uuid, bigint) IS
  'Frees a number at once. The holder must generate no more ids with it, and none had a time at or after used_until_ms. '
  'False if the lease was already lost.';
COMMENT ON FUNCTION snoflax.lease_set_max_ttl(text, integer) IS
  'Sets the longest lease of the family, for which a promoted server waits. A longer one than before takes effect when '
  'lease_confirm_max_ttl() is called. For the owner.';
COMMENT ON FUNCTION snoflax.lease_confirm_max_ttl(text) IS
  'Declares that no standby, backup or snapshot from before lease_set_max_ttl() will be promoted or restored, so that '
  'the longer lease takes effect. For the owner.';
COMMENT ON FUNCTION snoflax.lease_adopt(text) IS
  'Lets a copied or restored database grant leases, once the original no longer leases the same numbers. For the owner.';
COMMENT ON FUNCTION snoflax.lease_reset(text, integer, integer) IS
  'Takes the numbers from first_number to last_number from their holders, who notice at their next renewal, and returns '
  'how many were leased. New leases begin after their windows, with any shards and epoch: no id with these numbers and '
  'another epoch may be in use. For the owner.';
