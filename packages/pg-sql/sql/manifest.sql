-- What an installation put into the schema, in the server's words, so that `snoflax doctor` can tell what has changed
-- since. Runs after the other files.

-- What IF NOT EXISTS leaves alone keeps its row, so that installing again does not bless what was altered meanwhile. A
-- version that alters such an object deletes the row before this file runs.
CREATE TABLE IF NOT EXISTS snoflax._manifest (
  object text PRIMARY KEY,
  name text NOT NULL,
  position integer, -- of its statement among those of the installation
  parts jsonb NOT NULL, -- as _definitions() gave them
  version text NOT NULL, -- that installed it
  server integer NOT NULL -- major version of PostgreSQL that worded the parts: another may have other words for the same
);

COMMENT ON TABLE snoflax._manifest IS 'What was installed; written by the installation and read by snoflax doctor.';

GRANT SELECT ON snoflax._manifest TO PUBLIC;

-- The objects of the schema and the rows of settings. A part is the text that ALTER takes, or one to compare. The
-- settings are those that change how the server writes a definition. For the owner's eyes, so that any role learns the
-- same.
CREATE OR REPLACE FUNCTION snoflax._definitions() RETURNS TABLE (object text, name text, parts jsonb)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off SET standard_conforming_strings = on SET bytea_output = 'hex' SET extra_float_digits = 1 SET DateStyle = 'ISO, YMD'
SET IntervalStyle = 'postgres' SET TimeZone = 'UTC' AS $$
#variable_conflict use_column
DECLARE
  -- Functions that say what a row of _generator says: where to find it there, and what it is.
  sources jsonb := '{}'::jsonb;
  numbers jsonb := '{}'::jsonb;
BEGIN
  IF to_regclass('snoflax._generator') IS NOT NULL THEN
    SELECT
        coalesce(jsonb_object_agg(name,
          format('(SELECT %I FROM snoflax._generator WHERE family = %L)', source, family)), '{}'),
        coalesce(jsonb_object_agg(name, format('RETURN %L::bigint', generator ->> source)), '{}')
      INTO sources, numbers
      FROM (SELECT to_jsonb(g) FROM snoflax._generator g) row_of (generator)
      CROSS JOIN LATERAL (
        SELECT generator ->> 'family', format('_%s_number', generator ->> 'family'), 'number'
         WHERE generator ->> 'setup' IS NOT NULL
        UNION ALL SELECT 'flake', '_flake_epoch_ms', 'first_unit' WHERE generator ->> 'family' = 'flake')
        constant (family, name, source);

    RETURN QUERY
    SELECT format('row %s of snoflax._generator', generator ->> 'family'), '_generator',
        (SELECT jsonb_object_agg(key, CASE
            WHEN key = 'last_unit' AND generator ->> 'family' = 'flake' AND value::bigint = least(
              (generator ->> 'first_unit')::bigint + {flake.time.max}, 8796093022207)
            THEN format('least(first_unit + %s, 8796093022207)', {flake.time.max})
            ELSE quote_nullable(value) END)
           FROM jsonb_each_text(generator)
          WHERE key IN ('shift', 'last_counter', 'units_per_second', 'unit_us', 'origin', 'last_unit', 'setup')
            OR key = 'first_unit' AND generator ->> 'family' <> 'flake')
      FROM (SELECT to_jsonb(g) FROM snoflax._generator g) row_of (generator);
  END IF;

  IF to_regclass('snoflax._lease_family') IS NOT NULL THEN
    RETURN QUERY
    SELECT format('row %s of snoflax._lease_family', leases ->> 'family'), '_lease_family',
        (SELECT jsonb_object_agg(key, quote_nullable(value)) FROM jsonb_each_text(leases)
          WHERE key IN ('last_number', 'max_shards'))
      FROM (SELECT to_jsonb(f) FROM snoflax._lease_family f) row_of (leases);
  END IF;

  RETURN QUERY
  SELECT CASE p.prokind WHEN 'a' THEN 'aggregate ' ELSE 'function ' END
        || replace(p.oid::regprocedure::text, ',', ', '), p.proname::text, jsonb_strip_nulls(jsonb_build_object(
        'arguments', pg_get_function_identity_arguments(p.oid),
        'defaults', pg_get_expr(p.proargdefaults, 0),
        'result', pg_get_function_result(p.oid),
        'language', l.lanname,
        'volatility', CASE p.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END,
        'strictness', CASE WHEN p.proisstrict THEN 'STRICT' ELSE 'CALLED ON NULL INPUT' END,
        'parallel safety', CASE p.proparallel WHEN 's' THEN 'SAFE' WHEN 'r' THEN 'RESTRICTED' ELSE 'UNSAFE' END,
        'security', CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END,
        'settings', array_to_string(p.proconfig, ', '),
        -- Who may call it, besides roles by name.
        'privileges', CASE WHEN p.proacl IS NULL
          OR EXISTS (SELECT FROM aclexplode(p.proacl) one WHERE one.grantee = 0) THEN 'PUBLIC' END,
        'body', CASE WHEN numbers -> p.proname::text IS NULL THEN md5(definition) END,
        'value', CASE WHEN definition = numbers ->> p.proname::text THEN sources ->> p.proname::text
          WHEN numbers -> p.proname::text IS NOT NULL THEN md5(definition) END,
        'sfunc', a.aggtransfn::text, 'stype', format_type(a.aggtranstype, NULL), 'combinefunc', a.aggcombinefn::text,
        'sortop', a.aggsortop::regoperator::text))
    FROM pg_proc p
    JOIN pg_language l ON l.oid = p.prolang
    LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
    CROSS JOIN LATERAL coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) AS definition
   WHERE p.pronamespace = 'snoflax'::regnamespace;

  RETURN QUERY
  SELECT format('domain %s', t.oid::regtype), t.typname::text, jsonb_build_object(
      'type', format_type(t.typbasetype, t.typtypmod), 'collation', coalesce(o.collname, ''),
      'nullability', CASE WHEN t.typnotnull THEN 'SET NOT NULL' ELSE 'DROP NOT NULL' END,
      'default', coalesce('SET DEFAULT ' || t.typdefault, 'DROP DEFAULT')) || constraints
    FROM pg_type t
    LEFT JOIN pg_collation o ON o.oid = t.typcollation
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(format('constraint %I', k.conname),
          format('ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid))), '{}')
        FROM pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c') of_type (constraints)
   WHERE t.typnamespace = 'snoflax'::regnamespace AND t.typtype = 'd';

  RETURN QUERY
  SELECT format('type %s', c.oid::regclass), c.relname::text, jsonb_build_object('attributes',
      (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), E'\n' ORDER BY a.attnum)
         FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
    FROM pg_class c WHERE c.relnamespace = 'snoflax'::regnamespace AND c.relkind = 'c';

  RETURN QUERY
  SELECT format('sequence %s', c.oid::regclass), c.relname::text, jsonb_build_object(
      'type', format('AS %s', format_type(s.seqtypid, NULL)), 'increment', format('INCREMENT %s', s.seqincrement),
      'minvalue', format('MINVALUE %s', s.seqmin), 'maxvalue', format('MAXVALUE %s', s.seqmax),
      'start', format('START %s', s.seqstart), 'cycle', CASE WHEN s.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END,
      'persistence', CASE c.relpersistence WHEN 'p' THEN 'SET LOGGED' ELSE 'SET UNLOGGED' END)
    FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid
   WHERE c.relnamespace = 'snoflax'::regnamespace;

  RETURN QUERY
  SELECT format('table %s', c.oid::regclass), c.relname::text, columns || constraints || jsonb_build_object(
      'persistence', CASE c.relpersistence WHEN 'p' THEN 'SET LOGGED' ELSE 'SET UNLOGGED' END)
    FROM pg_class c
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(format('column %I', a.attname), concat(format_type(a.atttypid, a.atttypmod),
          CASE WHEN a.attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid))), '{}')
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) inside (columns)
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(format('constraint %I', k.conname),
          format('ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid))), '{}')
        FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f', 'c', 'x')) around (constraints)
   WHERE c.relnamespace = 'snoflax'::regnamespace AND c.relkind IN ('r', 'p', 'f');

  RETURN QUERY
  SELECT format('view %s', c.oid::regclass), c.relname::text, jsonb_build_object('query', md5(pg_get_viewdef(c.oid)))
    FROM pg_class c WHERE c.relnamespace = 'snoflax'::regnamespace AND c.relkind IN ('v', 'm');
END $$;

-- What this version no longer has, where its family is installed anew.
DELETE FROM snoflax._manifest
 WHERE version <> '@version@' AND name <> ALL ('{@names@}'::text[]) AND name !~ '^_?(@others@)_'
   AND parts -> 'value' IS NULL;

INSERT INTO snoflax._manifest AS m (object, name, position, parts, version, server)
SELECT object, name, array_position('{@names@}'::text[], name), parts, '@version@',
    current_setting('server_version_num')::integer / 10000
  FROM snoflax._definitions()
 WHERE name = ANY ('{@names@}'::text[]) OR parts -> 'value' IS NOT NULL
ON CONFLICT (object) DO UPDATE SET position = EXCLUDED.position, version = EXCLUDED.version, server = EXCLUDED.server,
  parts = CASE WHEN m.server = EXCLUDED.server
      AND (m.object ~ '^(domain|row|sequence|table|type) ' OR m.parts -> 'value' IS NOT NULL)
    THEN m.parts ELSE EXCLUDED.parts END;
