import { installSql } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setNumbers } from './faults/generators.js'
import { everyCall } from './hostile/calls.js'
import { openPostgres } from './installed.js'

/** Settings of a session that change how SQL is read, planned, run or printed. */
export const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  standard_conforming_strings: ['off'],
  backslash_quote: ['off', 'on'],
  escape_string_warning: ['off'],
  quote_all_identifiers: ['on'],
  search_path: ['', 'hostile, public', 'pg_temp, snoflax'],
  bytea_output: ['escape'],
  DateStyle: ['SQL, DMY', 'German', 'Postgres, MDY'],
  IntervalStyle: ['sql_standard', 'iso_8601', 'postgres_verbose'],
  TimeZone: ['Asia/Kathmandu', 'America/St_Johns'],
  timezone_abbreviations: ['India'],
  extra_float_digits: ['-15', '3'],
  client_encoding: ['LATIN1', 'SQL_ASCII'],
  lc_messages: ['C'],
  lc_numeric: ['C'],
  lc_time: ['C'],
  client_min_messages: ['debug1', 'error'],
  check_function_bodies: ['off'],
  row_security: ['off'],
  transform_null_equals: ['on'],
  array_nulls: ['off'],
  xmloption: ['document'],
  xmlbinary: ['hex'],
  default_transaction_isolation: ['read uncommitted', 'repeatable read', 'serializable'],
  default_transaction_read_only: ['on'],
  default_transaction_deferrable: ['on'],
  session_replication_role: ['replica', 'local'],
  synchronous_commit: ['off', 'remote_apply'],
  lock_timeout: ['60000'],
  statement_timeout: ['600000'],
  transaction_timeout: ['600000'],
  idle_in_transaction_session_timeout: ['60000'],
  idle_session_timeout: ['60000'],
  plan_cache_mode: ['force_generic_plan', 'force_custom_plan'],
  jit_above_cost: ['0'],
  force_parallel_mode: ['regress'],
  debug_parallel_query: ['regress'],
  max_parallel_workers_per_gather: ['0'],
  enable_async_append: ['off'],
  enable_bitmapscan: ['off'],
  enable_hashagg: ['off'],
  enable_hashjoin: ['off'],
  enable_indexscan: ['off'],
  enable_material: ['off'],
  enable_memoize: ['off'],
  enable_mergejoin: ['off'],
  enable_nestloop: ['off'],
  enable_partition_pruning: ['off'],
  enable_seqscan: ['off'],
  enable_sort: ['off'],
  enable_tidscan: ['off'],
  constraint_exclusion: ['on'],
  cursor_tuple_fraction: ['0.001'],
  from_collapse_limit: ['1'],
  join_collapse_limit: ['1'],
  geqo_threshold: ['2'],
  random_page_cost: ['0'],
  work_mem: ['64kB'],
  hash_mem_multiplier: ['1'],
  temp_buffers: ['800kB'],
  temp_tablespaces: ['pg_default'],
  default_tablespace: ['pg_default'],
  default_table_access_method: ['heap'],
  default_text_search_config: ['pg_catalog.german'],
  default_toast_compression: ['pglz'],
  createrole_self_grant: ['set, inherit'],
  lo_compat_privileges: ['on'],
  password_encryption: ['md5'],
  gin_fuzzy_search_limit: ['1'],
  track_functions: ['all'],
  'plpgsql.variable_conflict': ['use_variable', 'use_column'],
  'plpgsql.extra_errors': ['all'],
  'plpgsql.print_strict_params': ['on'],
}

/** What a setting forbids is an error that says so. */
const ERRORS: Readonly<Record<string, string>> = {
  default_transaction_read_only: '25006',
}

const PREPARE = `
  CREATE TABLE public.hostile_log ();
  CREATE SCHEMA hostile;
  CREATE FUNCTION hostile.octet_length(bytea) RETURNS integer LANGUAGE sql IMMUTABLE RETURN -1;
  CREATE FUNCTION hostile.encode(bytea, text) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'hostile';
  CREATE FUNCTION hostile.char_length(text) RETURNS integer LANGUAGE sql IMMUTABLE RETURN -1;
  CREATE TABLE keyed_default (id text COLLATE "C" DEFAULT ('cus_'::text || snoflax.flax_generate_text())) PARTITION BY RANGE (id);
  CREATE TABLE keyed_check (id text COLLATE "C" CHECK (snoflax.flax_is_valid(id, 'cus'))) PARTITION BY RANGE (id);
  CREATE TABLE keyed_pattern (id text COLLATE "C" CHECK (id ~ '^cus_')) PARTITION BY RANGE (id);
  CREATE TABLE keyed_bare (id text COLLATE "C" CHECK (snoflax.flax_is_valid(id))) PARTITION BY RANGE (id);
  CREATE TABLE keyed_uuid (id uuid) PARTITION BY RANGE (id);
  CREATE TABLE keyed_bytea (id bytea) PARTITION BY RANGE (id);

  -- The partitions that the statements create, in this session and under its settings.
  CREATE FUNCTION public.partitions(parent regclass, storage text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    ddl text;
    days CONSTANT pg_catalog.interval := pg_catalog.make_interval(days => 10);
  BEGIN
    FOR ddl IN
      SELECT d FROM snoflax.partition_ddl(parent, 'flax'::text, storage, '2026-11-01Z'::pg_catalog.timestamptz, '2026-12-01Z'::pg_catalog.timestamptz, days) d
    LOOP EXECUTE ddl; END LOOP;
    PERFORM pg_catalog.set_config('bytea_output', 'hex', true), pg_catalog.set_config('quote_all_identifiers', 'off', true),
      pg_catalog.set_config('standard_conforming_strings', 'on', true);
    RETURN (SELECT pg_catalog.string_agg(c.relname || ' ' || pg_catalog.pg_get_expr(c.relpartbound, c.oid), ';' ORDER BY c.relname COLLATE pg_catalog."C")
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_inherits i ON i.inhrelid OPERATOR(pg_catalog.=) c.oid
     WHERE i.inhparent OPERATOR(pg_catalog.=) parent);
  END $$;

  -- The value that each query returns, or its SQLSTATE. What it changes is undone.
  CREATE FUNCTION public.outcomes(queries text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
  DECLARE
    query text;
    value text;
    context text;
  BEGIN
    FOREACH query IN ARRAY queries LOOP
      BEGIN
        EXECUTE query INTO value;
        value := pg_catalog.concat('=', value);
        RAISE SQLSTATE 'SNF01';
      EXCEPTION
        WHEN SQLSTATE 'SNF01' THEN NULL;
        WHEN OTHERS THEN value := SQLSTATE;
      END;
      RETURN NEXT value;
    END LOOP;
  END $$`

const PARTITIONS = [
  ...['default', 'check', 'pattern', 'bare'].map((how) => [`keyed_${how}`, 'text']),
  ['keyed_uuid', 'uuid'],
  ['keyed_uuid', 'uuid8'],
  ['keyed_bytea', 'binary'],
].map(([table, storage]) => `SELECT public.partitions('public.${table}'::pg_catalog.regclass, '${storage}')`)

const SENT = "pg_catalog.encode(pg_catalog.record_send(r), 'hex')"

/** All calls as queries of one text that no setting changes: of volatile functions whether they return. */
async function queriesOf(client: Client, atMost: number): Promise<string[]> {
  const { rows } = await client.query(
    "SELECT proname AS name FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND provolatile = 'v'",
  )
  const isVolatile = new Set(rows.map(({ name }) => name))
  const calls = await everyCall(client, atMost)
  const queries = calls.map((call) => {
    const name = /snoflax\.(\w+)\(/.exec(call)?.[1]
    // What no setting reads in another way.
    const text = call
      .replaceAll("'hostile_log'", "'public.hostile_log'")
      .replaceAll("'\\x", "E'\\\\x")
      .replaceAll("'é'", name === 'uid_fingerprint' ? 'pg_catalog.chr(233)' : "'~'")
    return isVolatile.has(name)
      ? `SELECT pg_catalog.count(*) FROM (${text}) r`
      : `SELECT pg_catalog.string_agg(${SENT}, ',' ORDER BY ${SENT}) FROM (${text}) r`
  })
  return [...queries, ...PARTITIONS]
}

// Definitions in the server's words, of which it quotes those of settings if asked to.
const DEFINITIONS = `SELECT md5(string_agg(object || replace(parts::text, E'\\\\"', ''), ' ' ORDER BY object COLLATE "C")) AS o
  FROM snoflax._definitions()`

/** What the queries answer in a session of their own, and at the end what an installation there comes to. */
async function outcomes(
  database: PostgresDatabase,
  queries: readonly string[],
  setting?: readonly [string, string],
): Promise<string[]> {
  const session = await database.connect()
  try {
    await session.query("DO 'BEGIN END'") // loads PL/pgSQL, whose settings exist then
    if (setting) await session.query('SELECT pg_catalog.set_config($1, $2, false)', [...setting])
    const { rows } = await session.query('SELECT o FROM public.outcomes($1) o', [queries])
    const installed = await session.query(`BEGIN; ${installSql()}`).then(
      async () => (await session.query(DEFINITIONS)).rows[0].o,
      ({ code }) => code,
    )
    return [...rows.map(({ o }) => o), installed]
  } finally {
    await session.end()
  }
}

/** Runs calls of every function, and the installation, under each of the settings that this server has. */
export function checkSettings(names: readonly string[], atMost: number): void {
  describe('every function answers as with the default settings', () => {
    let database: PostgresDatabase
    let queries: string[]
    let usual: string[]
    let known: Set<string>
    beforeAll(async () => {
      database = await openPostgres()
      await database.query(PREPARE)
      await setNumbers(database, 7)
      const owner = await database.connect()
      queries = await queriesOf(owner, atMost)
      const { rows } = await owner
        .query("DO 'BEGIN END'")
        .then(() => owner.query('SELECT lower(name) AS name FROM pg_settings'))
      known = new Set(rows.map(({ name }) => name as string))
      usual = await outcomes(database, queries)
    })
    afterAll(() => database.close())

    test('with the default settings, too', async () => {
      expect(usual.filter((one) => one.startsWith('=')).length).toBeGreaterThan(usual.length / 4)
      expect(usual.slice(-1 - PARTITIONS.length, -1)).toEqual(
        PARTITIONS.map(() => expect.stringMatching(/^=keyed_/)),
      )
      expect(usual.at(-1)).toMatch(/^[0-9a-f]{32}$/)
      expect(await outcomes(database, queries)).toEqual(usual)
    })

    const table = names.flatMap((name) =>
      (SETTINGS[name] as readonly string[]).map((value) => [name, value] as const),
    )
    test.for(table)('%s = %s', async ([name, value], { skip }) => {
      if (!known.has(name.toLowerCase())) return skip('this version has no such setting')
      // Each query starts a process there.
      const isChosen = (_: unknown, i: number) =>
        !name.includes('parallel_') || i % 20 === 0 || i >= queries.length
      const chosen = queries.filter(isChosen)
      const found = await outcomes(database, chosen, [name, value])
      const before = usual.filter(isChosen)
      const different = found.flatMap((one, i) =>
        one === before[i] || one === ERRORS[name]
          ? []
          : [`${chosen[i] ?? 'install'}: ${before[i]}, now ${one}`],
      )
      expect(different).toEqual([])
    })
  })
}
