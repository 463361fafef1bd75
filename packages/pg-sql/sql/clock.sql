-- The generators of sno, flake, uid and uid_local: a sequence used as a hybrid clock. After shared.sql.
--
-- The value of a family's sequence is unit << shift | counter. nextval() takes the next counter of the unit, lock-free;
-- if that value is good, it is the id's time and number. That is the fast path, in the generate functions. Good means:
-- its unit is not over, it is at most 0.1 s ahead of the clock, and its counter fits the id. Otherwise
-- _clock_advance() checks that this is still the database that may generate ids, and moves the sequence to a new unit.
-- While the state is further ahead, each id costs that check, so no id is more than about 0.1 s ahead without one.
-- It is ahead of the clock where more ids are wanted than a unit has numbers, where the clock steps back, and 0.05 s at most
-- where sessions wait for each other.
--
-- A session's first id costs the check too, since the server may have been promoted, and lack ids whose units are not
-- over. The timeline can't change while a session writes, so once for each session is enough.
--
-- Ids neither repeat nor get out of order, because values only grow:
--
-- * Only the holder of the lock calls setval(), and only upwards. Values that others take by nextval() between the
--   holder's own nextval() and its setval() must stay below the new unit. They do: counters that don't fit an id are a
--   guard zone and never used. To exhaust it takes at least 524,288 numbers (half of 2^shift) within that pause, by
--   cancelled calls, since a caller that got such a number waits for the lock; and a clock that stands still or is
--   behind the state, since otherwise those units are over and unused.
-- * The lock belongs to a subtransaction that is always aborted. That frees it, on errors and cancels too, while
--   setval() stays: sequences do not roll back. The state moves before the id is generated, so a session may end at
--   any point.
-- * nextval() and setval() are in the WAL before the commit of any row that uses their values. After a crash the
--   sequence is at or above each of these.
-- * A clock that steps back leaves the sequence where it is, up to 10 s ahead; further than that is an error.
--
-- lastval() may return values of these sequences: use RETURNING or currval() for your own.

SET LOCAL search_path = pg_catalog, pg_temp;

-- A family's clock and, if ids contain a number of the server (partition, worker, node), which number was set for which
-- database. The number itself is compiled into the function _<family>_number(), so that reading it costs nothing and
-- each session notices a change.
CREATE TABLE IF NOT EXISTS snoflax._generator (
  family text PRIMARY KEY,
  state regclass NOT NULL, -- the sequence: unit << shift | counter
  -- A sequence with the server's timeline at the installation, then at the last move of the state, which it doesn't roll
  -- back either. Its increment
  -- makes nextval() fail, so that roles that may use all sequences cannot change it.
  timeline regclass NOT NULL,
  shift integer NOT NULL,
  last_counter bigint NOT NULL, -- the largest that an id can contain
  units_per_second bigint NOT NULL,
  unit_us bigint NOT NULL, -- microseconds of a unit; the first unit of each second starts with the second
  origin bigint NOT NULL, -- units from 1970 to unit 0
  first_unit bigint NOT NULL,
  last_unit bigint NOT NULL,
  setup text, -- the statement that sets the number; null if ids contain none
  number bigint,
  database oid, -- for which the number was set
  system bigint -- its server's system identifier
);

COMMENT ON TABLE snoflax._generator IS 'Setup of the id generators; read and written by their functions only.';

-- The system identifier; 0 if the server hides it.
CREATE OR REPLACE FUNCTION snoflax._server_system() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
  RETURN (pg_control_system()).system_identifier;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 0;
END $$;

-- The timeline, which changes with the promotion of a standby and with point-in-time recovery; 0 if the server hides it.
CREATE OR REPLACE FUNCTION snoflax._server_timeline() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
  RETURN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 0;
END $$;

-- What the owner's functions see, for any caller.
CREATE OR REPLACE FUNCTION snoflax._identity(
  OUT system_identifier bigint, OUT timeline bigint, OUT database oid, OUT database_name name, OUT is_standby boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  is_standby := pg_is_in_recovery();
  system_identifier := nullif(snoflax._server_system(), 0);
  timeline := CASE WHEN NOT is_standby THEN nullif(snoflax._server_timeline(), 0) END;
  SELECT d.oid, d.datname INTO database, database_name FROM pg_database d WHERE d.datname = current_database();
END $$;

CREATE OR REPLACE VIEW snoflax.identity AS
SELECT system_identifier, timeline, database, database_name, is_standby,
    nullif(concat_ws('; ',
      CASE WHEN system_identifier IS NULL THEN
        'this server hides its system identifier, so a copy of the database on another server may go unnoticed' END,
      CASE WHEN timeline IS NULL AND NOT is_standby THEN
        'this server hides its timeline, so a failover or a recovery to an earlier time goes unnoticed' END), '')
      AS warning
  FROM snoflax._identity();

GRANT SELECT ON snoflax.identity TO PUBLIC;

COMMENT ON VIEW snoflax.identity IS
  'Identifies this server, to detect copies, restores and promotions: system identifier, timeline and the database''s '
  'oid. The warning says which of them the server hides; null if none.';

-- Whether this session has already found the database to be the one whose number was set, and the state to be on the
-- server's timeline. The setting names the sequence and the session, so that what a pooler or ALTER ROLE carries over, or
-- DISCARD and RESET drop, is checked again.
CREATE OR REPLACE FUNCTION snoflax._clock_is_checked(family text, timeline regclass) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN current_setting('snoflax.' || family || '_checked', true)
  IS NOT DISTINCT FROM timeline::oid::text || ' ' || pg_backend_pid()::text;

-- The slow path: a value of the family's sequence that is good for an id. Every role may call it: it returns what the
-- fast path would, and uses only the sequences that the table names.
CREATE OR REPLACE FUNCTION snoflax._clock_advance(wanted text) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  g snoflax._generator;
  lead bigint;
  timeline bigint := snoflax._server_timeline();
  recorded bigint;
  clock bigint;
  now_unit bigint;
  v bigint;
  next_unit bigint;
  held boolean;
  waited boolean;
  checked boolean;
BEGIN
  BEGIN
    -- Inside the subtransaction, so that it locks the tables again each time: then a session notices functions that
    -- others have replaced, even in the middle of a transaction.
    SELECT * INTO STRICT g FROM snoflax._generator WHERE family = wanted;
    checked := snoflax._clock_is_checked(wanted, g.timeline);
    IF g.setup IS NOT NULL AND g.number IS NULL THEN
      RAISE EXCEPTION '%_generate: this database has no partition, worker or node yet', wanted
        USING ERRCODE = '55000', HINT = g.setup || ', with a value that no other generator uses.';
    -- A session stays in its database on its server, so once is enough.
    ELSIF g.setup IS NOT NULL AND NOT checked AND (
      g.database IS DISTINCT FROM (SELECT oid FROM pg_database WHERE datname = current_database())
      OR g.system IS DISTINCT FROM snoflax._server_system())
    THEN
      RAISE EXCEPTION '%_generate: this database is a copy, and % was set in the original', wanted, g.number
        USING ERRCODE = '55000', HINT = g.setup || ', with a value that no other generator uses, the original included.';
    -- It can't change from now on: nextval() locks the sequence until the caller's transaction ends.
    ELSIF (pg_sequence_parameters(g.state)).cache_size <> 1 THEN
      RAISE EXCEPTION '%_generate: sequence % has a cache, which breaks the order of ids', wanted, g.state
        USING ERRCODE = '55000', HINT = format('ALTER SEQUENCE %s CACHE 1', g.state);
    END IF;
    lead := 10 * g.units_per_second;

    -- While another session has the lock, first without it: that session is about to move the state.
    held := pg_try_advisory_xact_lock(1936617320, g.state::oid::integer);
    waited := NOT held;
    LOOP
      -- Before nextval(): a value from before another session's move is not good after it.
      recorded := pg_sequence_last_value(g.timeline);
      v := nextval(g.state);
      clock := snoflax._clock_us();
      now_unit := clock / 1000000 * g.units_per_second + clock % 1000000 / g.unit_us - g.origin;
      IF clock < 0 OR now_unit NOT BETWEEN g.first_unit AND g.last_unit THEN
        RAISE EXCEPTION '%_generate: no id can contain the time of the server''s clock, %', wanted,
          snoflax._moment(clock / 1000) USING ERRCODE = '22008';
      END IF;
      -- As in the fast path, but up to 10 s ahead.
      IF (v >> g.shift) - now_unit BETWEEN 0 AND lead AND v - ((v >> g.shift) << g.shift) <= g.last_counter
        AND recorded = timeline
      THEN
        RAISE SQLSTATE 'SNF00';
      END IF;
      EXIT WHEN held;
      PERFORM pg_advisory_xact_lock(1936617320, g.state::oid::integer);
      held := true;
    END LOOP;

    -- One unit more if v is in the upper half of its unit, so that there is always half a unit between.
    next_unit := greatest(now_unit, (v >> g.shift) + 1 + ((v >> (g.shift - 1)) & 1));
    -- If the unit was over again before the lock came round, sessions would only wait for each other from now on. So they
    -- get the units of the next 0.05 s, in which each finds its value on the fast path.
    IF waited THEN
      next_unit := greatest(next_unit, now_unit + g.units_per_second / 20);
    END IF;
    -- A promoted standby may lack its primary's last ids, and so may a sequence that was created again. Those ids were
    -- at most 10 s ahead of the clock.
    IF recorded IS DISTINCT FROM timeline THEN
      next_unit := greatest(next_unit, now_unit + lead);
    END IF;
    IF next_unit - now_unit > lead OR next_unit > g.last_unit THEN
      RAISE EXCEPTION '%_generate: the last id is % s ahead of the server''s clock, and 10 s are allowed', wanted,
        round(((v >> g.shift) - now_unit)::numeric / g.units_per_second, 3)
        USING ERRCODE = '55000', HINT = 'Correct the clock, or wait. If it was wrong before and is right now, '
          || coalesce('give the generator a number never used, ' || g.setup || ', commit, and then ',
            'and no id from the time ahead is in use, ')
          || format('SELECT setval(%L, 0).', g.state);
    END IF;
    v := next_unit << g.shift;
    PERFORM setval(g.state, v);
    IF recorded IS DISTINCT FROM timeline THEN
      PERFORM setval(g.timeline, timeline);
    END IF;
    RAISE SQLSTATE 'SNF00';
  EXCEPTION
    WHEN SQLSTATE 'SNF00' THEN
      NULL;
    -- Missing is the row, the table, or a sequence that the row names.
    WHEN no_data_found OR undefined_table THEN
      RAISE EXCEPTION '%_generate: the state of this generator is missing', wanted
        USING ERRCODE = '55000', HINT = 'Install again; that restores what is missing.';
  END;
  -- After the subtransaction, whose end would undo it. A transaction that rolls back undoes it too, and checks again.
  IF NOT checked THEN
    PERFORM set_config('snoflax.' || wanted || '_checked', g.timeline::oid::text || ' ' || pg_backend_pid()::text, false);
  END IF;
  RETURN v;
END $$;

-- The rest is for the owner, and for the functions that set the number of a family.

CREATE OR REPLACE FUNCTION snoflax._clock_constant(name text, value bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION snoflax.%I() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE '
    'RETURN %L::bigint', name, value);
END $$;

-- Sets the number and its database. The state stays: it is above all ids of this database, whatever the number.
CREATE OR REPLACE FUNCTION snoflax._clock_set_number(wanted text, given bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  warning text;
BEGIN
  UPDATE snoflax._generator
     SET number = given, system = snoflax._server_system(),
       database = (SELECT oid FROM pg_database WHERE datname = current_database())
   WHERE family = wanted;
  IF NOT FOUND THEN
    RAISE EXCEPTION '%_generate: the state of this generator is missing', wanted
      USING ERRCODE = '55000', HINT = 'Install again; that restores what is missing.';
  END IF;
  SELECT i.warning INTO warning FROM snoflax.identity i WHERE i.warning IS NOT NULL;
  IF FOUND THEN
    RAISE WARNING '%', warning USING HINT = 'Set a number never used after each failover, restore and copy.';
  END IF;
  PERFORM snoflax._clock_constant(format('_%s_number', wanted), given);
END $$;

-- Connects the family's row with the existing sequences and number function, after each installation.
--
-- A sequence that was dropped is created again, without a record of the ids that were generated. They were at most 10 s
-- ahead of the clock, so the state moves forward as after a promotion: it gets a timeline that no server has, and
-- _clock_advance() does the rest. So the number stays, unless the clock was set back since the last id; then the owner
-- must set a number never used. Unit 1 marks that ids were generated.
CREATE OR REPLACE FUNCTION snoflax._clock_mend(wanted text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  state_here regclass := format('snoflax.%s_state', wanted);
  timeline_here regclass := format('snoflax._%s_timeline', wanted);
  g snoflax._generator;
BEGIN
  SELECT * INTO g FROM snoflax._generator WHERE family = wanted FOR UPDATE;
  IF g.setup IS NOT NULL AND to_regprocedure(format('snoflax._%s_number()', wanted)) IS NULL THEN
    PERFORM snoflax._clock_constant(format('_%s_number', wanted), g.number);
  END IF;
  IF g.state = state_here AND g.timeline = timeline_here THEN
    -- Before the first id: a promoted standby may lack that, too.
    PERFORM setval(timeline_here, snoflax._server_timeline()) WHERE pg_sequence_last_value(timeline_here) IS NULL;
    RETURN;
  END IF;
  PERFORM setval(timeline_here, 4294967296);
  IF g.state <> state_here THEN
    PERFORM setval(state_here, greatest(pg_sequence_last_value(state_here), (1::bigint << g.shift) + 65536));
  END IF;
  UPDATE snoflax._generator SET state = state_here, timeline = timeline_here WHERE family = wanted;
END $$;

REVOKE EXECUTE ON FUNCTION snoflax._clock_constant(text, bigint), snoflax._clock_set_number(text, bigint),
  snoflax._clock_mend(text) FROM PUBLIC;
