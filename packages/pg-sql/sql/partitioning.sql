-- Statements for tables that are partitioned by RANGE of an id. Needs shared.sql and the families that are asked for.
-- pg_partman works too, with the *_partman_* functions of each family, but refuses bytea keys.

SET LOCAL search_path = pg_catalog, pg_temp;

CREATE OR REPLACE FUNCTION snoflax.partition_ddl(
  parent regclass, family text, storage text, from_time timestamptz, until_time timestamptz, step interval,
  epoch_ms bigint DEFAULT 0, neighbourhood integer DEFAULT {uid.neighbourhood}, prefix text DEFAULT NULL)
RETURNS SETOF text LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off SET bytea_output = 'hex' AS $$
DECLARE
  -- Steps are counted from a Monday that starts a year, so that calls whose spans overlap give the same partitions.
  origin CONSTANT timestamp := timestamp '2001-01-01';
  first CONSTANT timestamp := from_time AT TIME ZONE 'UTC';
  until CONSTANT timestamp := until_time AT TIME ZONE 'UTC';
  months CONSTANT integer := extract(year FROM step) * 12 + extract(month FROM step);
  days CONSTANT integer := extract(day FROM step);
  whole CONSTANT interval := make_interval(months => months, days => days);
  -- Families of 16 bytes are a uuid as they are, and have no functions for bytea.
  native CONSTANT text := CASE WHEN family IN ('uuid7', 'ulid', 'typeid') THEN 'uuid' ELSE 'binary' END;
  bound CONSTANT text := family || '_lower_bound' || CASE storage WHEN native THEN '' ELSE '_' || storage END;
  option text := CASE family
    WHEN 'flake' THEN format(', %L::bigint', epoch_ms)
    WHEN 'uid' THEN format(', %L::integer', neighbourhood)
    ELSE '' END;
  wanted_type CONSTANT text := CASE storage WHEN 'binary' THEN 'bytea' WHEN 'uuid8' THEN 'uuid' ELSE storage END;
  key_name name;
  key_type regtype;
  key_collation text;
  key_says text;
  parent_schema text;
  parent_name text;
  stem text;
  suffix text;
  n integer;
  starts timestamp;
  lower text;
  upper text;
BEGIN
  IF num_nulls(parent, family, storage, from_time, until_time, step, epoch_ms, neighbourhood) > 0 THEN
    RETURN;
  END IF;
  IF family NOT IN ('flax', 'sno', 'flake', 'uid', 'uid_local', 'uuid7', 'ulid', 'typeid')
    OR storage NOT IN ('uuid', 'uuid8', 'text', 'binary', 'bigint')
    OR NOT EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND proname = bound)
  THEN
    RAISE EXCEPTION 'partition_ddl: no family "%" with storage "%"', family, storage USING ERRCODE = '22023',
      HINT = 'Families: flax, sno, flake, uid, uid_local, uuid7, ulid, typeid, if installed. '
        'Storages: uuid, uuid8, text, binary, bigint.';
  END IF;
  IF NOT isfinite(first) OR NOT isfinite(until) OR first > until THEN
    RAISE EXCEPTION 'partition_ddl: % to % is not a range of time', from_time, until_time USING ERRCODE = '22023';
  END IF;
  -- As texts, because as intervals 24 hours are equal to a day.
  IF least(months, days) <> 0 OR greatest(months, days) <= 0 OR step::text <> whole::text THEN
    RAISE EXCEPTION 'partition_ddl: step must be whole months or whole days, not %', step
      USING ERRCODE = '22023';
  END IF;

  SELECT s.nspname, c.relname INTO parent_schema, parent_name
  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = parent;
  -- A domain may be over another one.
  WITH RECURSIVE base (type, over) AS (
    SELECT oid, oid FROM pg_type
    UNION ALL SELECT base.type, t.typbasetype FROM base JOIN pg_type t ON t.oid = base.over WHERE t.typtype = 'd')
  SELECT a.attname, t.oid,
    CASE o.collname WHEN 'default' THEN
      (SELECT CASE to_jsonb(d) ->> 'datlocprovider' WHEN 'i' THEN 'icu' WHEN 'b' THEN 'C' ELSE datcollate END
       FROM pg_database d WHERE datname = current_database())
    ELSE o.collname END
  INTO key_name, key_type, key_collation
  FROM pg_partitioned_table p
  JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
  JOIN base ON base.type = a.atttypid
  JOIN pg_type t ON t.oid = base.over AND t.typtype <> 'd'
  LEFT JOIN pg_collation o ON o.oid = p.partcollation[0]
  WHERE p.partrelid = parent AND p.partstrat = 'r' AND p.partnatts = 1;
  IF key_type IS DISTINCT FROM to_regtype(wanted_type) THEN
    RAISE EXCEPTION 'partition_ddl: % is not partitioned by RANGE of one column that suits storage "%"', parent, storage
      USING ERRCODE = '22023';
  ELSIF storage = 'text' AND key_collation !~ '^(C|POSIX|ucs_basic|pg_c_utf8)([.]|$)' THEN
    RAISE EXCEPTION 'partition_ddl: the key of % does not sort by byte, but by collation %', parent, key_collation
      USING ERRCODE = '22023', HINT = 'Declare the column with COLLATE "C".';
  END IF;

  -- Bounds without the prefix would be bounds of other rows. DEFAULT and CHECKs show it as a text that ends with _, or as
  -- the argument of a function; and that there is none, as a call or a length without one.
  IF storage = 'text' AND prefix IS NULL THEN
    SELECT coalesce(string_agg(says, E'\n'), '') INTO key_says
      FROM pg_attribute a, LATERAL (
        SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum
        UNION ALL SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c
         WHERE contype = 'c' AND (conrelid = attrelid AND attnum = ANY (conkey) OR contypid = atttypid)) of_key (says)
     WHERE attrelid = parent AND attname = key_name;
    prefix := coalesce(
      substring(key_says FROM '_(?:encode|is_valid|generate)[(][^'']*''([a-z](?:[a-z0-9_]*[a-z0-9])?)''::text[)]'),
      substring(key_says FROM E'''\\^?([a-z](?:[a-z0-9_]*[a-z0-9])?)_''::text'));
    IF prefix IS NULL AND key_says !~ (family || '_(generate_text|encode|is_valid)[(]|length[(]') THEN
      RAISE EXCEPTION 'partition_ddl: neither DEFAULT nor CHECK of %.% shows whether its ids have a prefix', parent, key_name
        USING ERRCODE = '22023', HINT = 'Pass it: prefix => ''cus'', or prefix => '''' if they have none.';
    END IF;
  END IF;
  IF prefix <> '' AND storage <> 'text' THEN
    RAISE EXCEPTION 'partition_ddl: a key of storage "%" stores no prefix, but prefix is "%"', storage, prefix
      USING ERRCODE = '22023';
  ELSIF prefix <> '' THEN
    option := format(', %L::text', prefix) || option;
  END IF;

  n := floor(CASE WHEN months > 0
    THEN (extract(year FROM first) - 2001) * 12 + extract(month FROM first) - 1
    ELSE first::date - origin::date END / greatest(months, days));
  starts := origin + whole * n;
  WHILE starts < until LOOP
    suffix := to_char(starts, CASE WHEN months > 0 THEN '_YYYY_MM' ELSE '_YYYY_MM_DD' END);
    stem := parent_name;
    IF octet_length(stem || suffix) > 63 THEN
      -- Long names are cut, and told apart from others that look alike then.
      suffix := '_' || left(md5(parent_name), 8) || suffix;
      WHILE octet_length(stem || suffix) > 63 LOOP
        stem := left(stem, -1);
      END LOOP;
    END IF;
    EXECUTE format('SELECT snoflax.%1$I($1%2$s)::text, snoflax.%1$I($2%2$s)::text', bound, option)
      INTO lower, upper USING starts AT TIME ZONE 'UTC', (origin + whole * (n + 1)) AT TIME ZONE 'UTC';
    RETURN NEXT format('CREATE TABLE IF NOT EXISTS %I.%I PARTITION OF %I.%I FOR VALUES FROM (%L) TO (%L)',
      parent_schema, stem || suffix, parent_schema, parent_name, lower, upper);
    -- The planner does not interpolate within a bin of uuids' histogram, and partitions do not inherit the target.
    IF wanted_type = 'uuid' AND to_regclass(format('%I.%I', parent_schema, stem || suffix)) IS NULL THEN
      RETURN NEXT format('ALTER TABLE %I.%I ALTER COLUMN %I SET STATISTICS 10000',
        parent_schema, stem || suffix, key_name);
    END IF;
    n := n + 1;
    starts := origin + whole * n;
  END LOOP;
END $$;

COMMENT ON FUNCTION snoflax.partition_ddl(regclass, text, text, timestamptz, timestamptz, interval, bigint, integer, text) IS
  'CREATE TABLE statements for partitions of whole UTC months or days that cover the range, and for a uuid their statistics. The '
  'prefix of a text key is that of its DEFAULT or CHECK unless passed; '
  '22023 for a bad argument.';
