-- Drops the schema, unless something outside it uses what is in it, others put something into it, or numbers are leased:
-- the next installation would lease them anew.
DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
  users text;
  others text;
  leased text;
  is_locked boolean;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  -- One at a time, as installations.
  PERFORM pg_advisory_xact_lock(1936617320, hashtext('snoflax'));
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

  -- All that stands in a schema depends on it: extensions, operators and what else there is, too.
  SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), E'\n' ORDER BY d.classid, d.objid) INTO others
    FROM pg_depend d
    LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
    LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
    LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
   WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'snoflax'::regnamespace AND d.deptype = 'n'
     AND d.classid <> 'pg_default_acl'::regclass
     AND coalesce(p.proname !~ '^(_|(flax|sno|flake|uid|uuid7|ulid|typeid|lease)_|(version|partition_ddl|min|max)$)', true)
     AND coalesce(c.relname, t.typname) ~ '^(_generator|_lease_family|_lease|leases|identity|(_?(sno|flake|uid|uid_local)_(state|timeline))'
       '|_manifest|(flax|sno|flake|uid|uid_local)_(fields|binary|uuid|uuid8|text|bigint))$' IS NOT TRUE;

  IF users <> '' OR others <> '' THEN
    RAISE EXCEPTION 'uninstall: schema snoflax is in use'
      USING ERRCODE = '2BP01', DETAIL = concat_ws(E'\n', users, others);
  END IF;
  IF to_regclass('snoflax.leases') IS NOT NULL THEN
    -- Holders wait for no uninstall that is refused.
    FOREACH is_locked IN ARRAY ARRAY[false, true] LOOP
      IF is_locked THEN
        -- So that those in progress are committed, and no more are granted.
        LOCK TABLE snoflax._lease_family, snoflax._lease IN ACCESS EXCLUSIVE MODE;
        -- An older snapshot does not show them, so it fails here (40001).
        PERFORM FROM snoflax._lease_family FOR UPDATE;
        PERFORM FROM snoflax._lease FOR UPDATE;
      END IF;
      SELECT string_agg(format('%s %s, %s until %s', family, number, holder, greatest(expires_at, reserved_until)), E'\n')
        INTO leased FROM snoflax.leases
       WHERE state = 'held' OR greatest(expires_at, reserved_until) > snoflax._moment(snoflax._lease_now_ms());
      IF leased <> '' THEN
        RAISE EXCEPTION 'uninstall: numbers are leased' USING ERRCODE = '2BP01', DETAIL = leased;
      END IF;
    END LOOP;
  END IF;
  DROP SCHEMA snoflax CASCADE;
  PERFORM set_config('search_path', path, true);
END $$;
