-- Drops the schema, unless something outside it uses what is in it, others put tables or views into it, or numbers are
-- leased: the next installation would lease them anew.
DO $$
DECLARE
  users text;
  leased text;
BEGIN
  WITH own AS (
    SELECT 'pg_proc'::regclass AS class, oid FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace
    UNION ALL SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'snoflax'::regnamespace
    UNION ALL SELECT 'pg_class'::regclass, oid FROM pg_class WHERE relnamespace = 'snoflax'::regnamespace
  ), dependent AS (
    SELECT DISTINCT d.classid, d.objid, d.objsubid
      FROM pg_depend d JOIN own ON d.refclassid = own.class AND d.refobjid = own.oid
      LEFT JOIN pg_constraint c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
     WHERE d.deptype IN ('n', 'a')
       AND c.connamespace IS DISTINCT FROM 'snoflax'::regnamespace
       AND (pg_identify_object_as_address(d.classid, d.objid, d.objsubid)).object_names[1] IS DISTINCT FROM 'snoflax'
       AND NOT EXISTS (SELECT FROM own WHERE own.class = d.classid AND own.oid = d.objid)
  )
  SELECT string_agg(pg_describe_object(classid, objid, objsubid), E'\n') INTO users FROM dependent;

  SELECT concat_ws(E'\n', users, string_agg(pg_describe_object('pg_class'::regclass, oid, 0), E'\n')) INTO users
    FROM pg_class
   WHERE relnamespace = 'snoflax'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname NOT IN ('_generator', '_lease_family', '_lease', 'leases');

  IF users <> '' THEN
    RAISE EXCEPTION 'uninstall: schema snoflax is in use' USING ERRCODE = '2BP01', DETAIL = users;
  END IF;
  IF to_regclass('snoflax.leases') IS NOT NULL THEN
    SELECT string_agg(format('%s %s, %s until %s', family, number, holder, greatest(expires_at, reserved_until)), E'\n')
      INTO leased FROM snoflax.leases
     WHERE state = 'held' OR greatest(expires_at, reserved_until) > snoflax._moment(snoflax._lease_now_ms());
    IF leased <> '' THEN
      RAISE EXCEPTION 'uninstall: numbers are leased' USING ERRCODE = '2BP01', DETAIL = leased;
    END IF;
  END IF;
  DROP SCHEMA snoflax CASCADE;
END $$;
