-- Drops the schema, unless something outside it uses what is in it, or others put tables or views into it.
DO $$
DECLARE
  users text;
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
   WHERE relnamespace = 'snoflax'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname <> '_generator';

  IF users <> '' THEN
    RAISE EXCEPTION 'uninstall: schema snoflax is in use' USING ERRCODE = '2BP01', DETAIL = users;
  END IF;
  DROP SCHEMA snoflax CASCADE;
END $$;
