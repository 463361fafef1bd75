import type { Client } from 'pg'

// What a role plants that may create in a schema of the search_path: operators and functions that suit a call better than
// those of pg_catalog, wherever these take the arguments by an implicit cast only; types, casts and domains. Whatever of it
// runs tells so in a warning, which no ROLLBACK takes back.

/** Types of the arguments in our bodies, and one of the role's own that the others are cast to implicitly. */
const TYPES = [
  'bigint',
  'integer',
  'smallint',
  'numeric',
  'double precision',
  'text',
  'character varying',
  'name',
  'bytea',
  'uuid',
  'boolean',
  'timestamp with time zone',
  'timestamp without time zone',
  'date',
  'interval',
  'bit',
  'bit varying',
  'oid',
  'regclass',
  'jsonb',
  'hostile.thing',
]

const OPERATORS = '+ - * / % & | # << >> ~ ^ = <> < <= > >= || ~~ !~ !~~ ->> -> @>'.split(' ')

const list = (names: readonly string[]): string => `ARRAY[${names.map((name) => `'${name}'`).join(', ')}]`

const body = (what: string, result: string) =>
  `format('BEGIN RAISE WARNING ''%%'', %L; RETURN NULL::%s; END', ${what}, ${result})`

const PLANT = (functions: readonly string[]) => `
  SET search_path = pg_catalog, pg_temp;
  SET check_function_bodies = off;
  SET client_min_messages = error;
  CREATE SCHEMA IF NOT EXISTS hostile;
  GRANT USAGE ON SCHEMA hostile TO PUBLIC;
  CREATE TYPE hostile.thing AS (x integer);
  DO $plant$
  DECLARE
    one record;
    named text;
    signature text;
    types regtype[] := ${list(TYPES)};
  BEGIN
    -- Casts of the role's own type, both ways.
    FOR one IN SELECT type FROM unnest(types) AS type WHERE type <> 'hostile.thing'::regtype LOOP
      EXECUTE format('CREATE FUNCTION hostile.thing(%s) RETURNS hostile.thing LANGUAGE plpgsql AS %L', one.type,
        ${body("'hostile: cast of ' || one.type", "'hostile.thing'")});
      EXECUTE format('CREATE FUNCTION hostile.from_thing(hostile.thing, %s) RETURNS %1$s LANGUAGE plpgsql AS %L', one.type,
        ${body("'hostile: cast to ' || one.type", 'one.type')});
      EXECUTE format('CREATE CAST (%s AS hostile.thing) WITH FUNCTION hostile.thing(%1$s) AS IMPLICIT', one.type);
    END LOOP;

    -- Operators for each pair of types that pg_catalog has none for.
    FOR one IN
      SELECT o.name, a, b, row_number() OVER () AS n,
          CASE WHEN bool_or(p.oprresult = 'boolean'::regtype) THEN 'boolean' ELSE a::text END AS result
        FROM unnest(${list(OPERATORS)}) AS o (name), unnest(types) AS a, unnest(types) AS b, pg_operator p
       WHERE p.oprname = o.name AND NOT EXISTS (
         SELECT FROM pg_operator e WHERE e.oprname = o.name AND e.oprleft = a AND e.oprright = b)
       GROUP BY o.name, a, b
    LOOP
      EXECUTE format('CREATE FUNCTION public.hostile_operator_%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L',
        one.n, one.a, one.b, one.result, ${body("format('hostile: %s %s %s', one.a, one.name, one.b)", 'one.result')});
      EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.hostile_operator_%s)',
        one.name, one.a, one.b, one.n);
    END LOOP;

    -- Functions of the names that bodies call: for one and two arguments every pair of types, for more those of
    -- pg_catalog with another type in each place.
    FOR one IN
      WITH own AS (
        SELECT oid, proname, proargtypes::oid[] AS given, pronargs AS n, provariadic <> 0 AS spread,
            CASE WHEN proretset THEN 'integer' ELSE prorettype::regtype::text END AS result
          FROM pg_proc
         WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proname = ANY (${list(functions)})
           AND (SELECT typtype <> 'p' FROM pg_type WHERE oid = prorettype)
      ), planted AS (
        SELECT proname, ARRAY[a::oid] AS given, result FROM own, unnest(types) AS a WHERE n = 1 OR spread
        UNION SELECT proname, ARRAY[a::oid, b::oid], result FROM own, unnest(types) AS a, unnest(types) AS b
         WHERE n = 2 OR spread
        UNION SELECT proname, given[0:i - 1] || a::oid || given[i + 1:], result
          FROM own, unnest(types) AS a, generate_series(0, n - 1) AS i WHERE n BETWEEN 3 AND 7 AND NOT spread
        UNION SELECT proname, ARRAY['text'::regtype::oid, a::oid, b::oid], result
          FROM own, unnest(types) AS a, unnest(types) AS b WHERE spread
        UNION SELECT proname, ARRAY['text'::regtype::oid, a::oid, a::oid, b::oid], result
          FROM own, unnest(types) AS a, unnest(types) AS b WHERE spread
      )
      SELECT DISTINCT ON (proname, given) proname, given, result FROM planted
    LOOP
      SELECT string_agg(type::regtype::text, ', ' ORDER BY i) INTO signature
        FROM unnest(one.given) WITH ORDINALITY AS g (type, i);
      BEGIN
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', one.proname, signature, one.result,
          ${body("format('hostile: %s(%s)', one.proname, signature)", 'one.result')});
      EXCEPTION WHEN OTHERS THEN
        NULL; -- A pseudo-type that no function may have.
      END;
    END LOOP;

    -- Types of the names that bodies write.
    FOREACH named IN ARRAY ARRAY['text', 'bytea', 'uuid', 'timestamptz', 'regclass', 'oid', 'xid8', 'name', 'regprocedure'] LOOP
      EXECUTE format('CREATE FUNCTION public.hostile_type_%s(pg_catalog.%1$s) RETURNS boolean LANGUAGE plpgsql AS %L', named,
        ${body("'hostile: type ' || named", "'boolean'")});
      EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.%1$I CHECK (public.hostile_type_%1$s(VALUE))', named);
    END LOOP;
  END $plant$`

/** Names of functions that stand unqualified in SQL text. */
const calledIn = (sql: string): string[] => [
  ...new Set([...sql.matchAll(/(?<![\w.])([a-z_][a-z0-9_]*)\(/g)].map(([, name]) => name as string)),
]

/** The role of the client plants for functions that the script calls. */
export async function plant(client: Client, script: string): Promise<void> {
  await client.query(PLANT(calledIn(script)))
}

const OWN_TYPES = [...TYPES.filter((type) => type !== 'hostile.thing'), 'snoflax._hostile']

const OVERLOAD = `
  SET search_path = pg_catalog, pg_temp;
  SET check_function_bodies = off;
  SET client_min_messages = error;
  DO $overload$
  DECLARE
    one record;
    signature text;
  BEGIN
    FOR one IN
      WITH called AS (
        SELECT DISTINCT name[1] AS name
          FROM pg_proc, regexp_matches(prosrc, 'snoflax\\.(\\w+)\\(', 'g') AS name
         WHERE pronamespace = 'snoflax'::regnamespace
        UNION SELECT proname::text FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND proname ~ '_lower_bound'
      ), own AS (
        -- With defaults, a call may have fewer arguments.
        SELECT p.proname AS name, (p.proargtypes::oid[])[0:] AS given, n, pronargs,
            CASE WHEN p.proretset THEN 'integer' ELSE p.prorettype::regtype::text END AS result
          FROM pg_proc p, generate_series(pronargs - pronargdefaults, pronargs::integer) AS n
         WHERE p.pronamespace = 'snoflax'::regnamespace AND p.prokind = 'f' AND p.proname IN (SELECT name FROM called)
      ), planted AS (
        SELECT name, given[1:n] AS given, result FROM own WHERE n < pronargs
        UNION SELECT name, given[1:i - 1] || a::oid || given[i + 1:n], result
          FROM own, unnest(${list(OWN_TYPES)}::regtype[]) AS a, generate_series(1, n) AS i
      )
      SELECT DISTINCT ON (name, given) name, given, result FROM planted
       WHERE NOT EXISTS (SELECT FROM own WHERE own.name = planted.name AND own.given = planted.given)
    LOOP
      SELECT coalesce(string_agg(type::regtype::text, ', ' ORDER BY i), '') INTO signature
        FROM unnest(one.given) WITH ORDINALITY AS g (type, i);
      EXECUTE format('CREATE FUNCTION snoflax.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', one.name, signature, one.result,
        ${body("format('hostile: %s(%s)', one.name, signature)", 'one.result')});
    END LOOP;
  END $overload$`

/**
 * The role of the client, which may create in the schema, plants functions of the names that our bodies call there, each with
 * another type in one place: of two functions, the one that has more of a call's exact types wins.
 */
export async function overload(client: Client): Promise<void> {
  await client.query('CREATE DOMAIN snoflax._hostile AS pg_catalog.text')
  await client.query(OVERLOAD)
}
