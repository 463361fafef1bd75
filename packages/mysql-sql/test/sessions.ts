import type { Connection } from 'mysql2/promise'

/** What each statement changes, ours or any other. */
const CHANGING = [
  'error_count',
  'identity',
  'insert_id',
  'last_gtid',
  'last_insert_id',
  'original_commit_timestamp',
  'rand_seed1',
  'rand_seed2',
  'statement_id',
  'timestamp',
  'warning_count',
]

/** All of a session that outlasts a statement. */
export async function sessionState(connection: Connection, isMariadb: boolean): Promise<unknown> {
  // Read without the session's own limits.
  const query = async (text: string) => {
    const limitless = isMariadb
      ? `SET STATEMENT sql_select_limit = DEFAULT, sql_big_selects = 1 FOR ${text}`
      : text.replace(
          'SELECT',
          'SELECT /*+ SET_VAR(sql_big_selects = 1) SET_VAR(sql_select_limit = DEFAULT) */',
        )
    return (await connection.query(limitless))[0] as Record<string, unknown>[]
  }
  const variables = await query(
    isMariadb
      ? 'SELECT variable_name AS name, variable_value AS value FROM information_schema.session_variables LIMIT 5000'
      : 'SELECT variable_name AS name, variable_value AS value FROM performance_schema.session_variables LIMIT 5000',
  )
  const session = variables
    .map(({ name, value }) => [String(name).toLowerCase(), value] as const)
    .filter(([name]) => !CHANGING.includes(name) && !name.startsWith('gtid_'))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
  const rest = await query(
    isMariadb
      ? `SELECT @@in_transaction AS open, database() AS place,
           (SELECT count(*) FROM information_schema.user_variables WHERE variable_value IS NOT NULL) AS own LIMIT 1`
      : `SELECT (SELECT count(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = connection_id()) AS open,
           database() AS place, (SELECT count(*) FROM performance_schema.user_variables_by_thread v
             JOIN performance_schema.threads t USING (thread_id)
            WHERE t.processlist_id = connection_id() AND v.variable_value IS NOT NULL) AS own LIMIT 1`,
  )
  return { session, rest }
}

/** Settings that statements of ours meet in sessions, by the servers' manuals. Each is tried alone. */
export const SETTINGS: readonly string[] = [
  "sql_mode = ''",
  "sql_mode = 'ANSI'",
  "sql_mode = 'TRADITIONAL'",
  "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,IGNORE_SPACE,NO_UNSIGNED_SUBTRACTION,PAD_CHAR_TO_FULL_LENGTH,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY,REAL_AS_FLOAT'",
  "sql_mode = 'ORACLE'",
  "sql_mode = 'SIMULTANEOUS_ASSIGNMENT'",
  "sql_mode = 'EMPTY_STRING_IS_NULL'",
  "sql_mode = 'TIME_ROUND_FRACTIONAL'",
  'sql_safe_updates = 1',
  'sql_select_limit = 0',
  'sql_select_limit = 1',
  'sql_big_selects = 0',
  'max_join_size = 1',
  'sql_auto_is_null = 1',
  'sql_buffer_result = 1',
  'sql_notes = 0',
  'sql_warnings = 1',
  'sql_quote_show_create = 0',
  'sql_log_off = 1',
  'group_concat_max_len = 20',
  "time_zone = '+05:30'",
  "time_zone = '-11:00'",
  'timestamp = 1',
  'timestamp = 2000000000.5',
  'autocommit = 0',
  "completion_type = 'CHAIN'",
  "completion_type = 'RELEASE'",
  "transaction_isolation = 'READ-UNCOMMITTED'",
  "transaction_isolation = 'READ-COMMITTED'",
  "transaction_isolation = 'SERIALIZABLE'",
  "tx_isolation = 'READ-UNCOMMITTED'",
  "tx_isolation = 'READ-COMMITTED'",
  "tx_isolation = 'SERIALIZABLE'",
  'innodb_snapshot_isolation = 1',
  'innodb_snapshot_isolation = 0',
  'innodb_lock_wait_timeout = 1',
  'innodb_strict_mode = 0',
  'innodb_table_locks = 1',
  'lock_wait_timeout = 1',
  'max_statement_time = 100',
  'max_execution_time = 100000',
  "character_set_client = 'latin1'",
  "character_set_client = 'gbk'",
  "character_set_connection = 'ucs2'",
  "character_set_connection = 'binary'",
  'character_set_results = NULL',
  "collation_connection = 'utf16_bin'",
  "collation_connection = 'latin1_german2_ci'",
  "collation_connection = 'utf8mb4_unicode_ci'",
  "collation_database = 'latin1_bin'",
  "collation_server = 'ucs2_general_ci'",
  "default_collation_for_utf8mb4 = 'utf8mb4_general_ci'",
  "character_set_collations = ''",
  'div_precision_increment = 0',
  'div_precision_increment = 30',
  "default_regex_flags = 'DOTALL,DUPNAMES,EXTENDED,MULTILINE,UNGREEDY'",
  'default_week_format = 7',
  "lc_time_names = 'ja_JP'",
  "lc_messages = 'de_DE'",
  "block_encryption_mode = 'aes-256-cbc'",
  "default_storage_engine = 'MyISAM'",
  "default_tmp_storage_engine = 'MyISAM'",
  "enforce_storage_engine = 'InnoDB'",
  "internal_tmp_mem_storage_engine = 'MEMORY'",
  'big_tables = 1',
  'tmp_table_size = 1024',
  'max_heap_table_size = 16384',
  'sort_buffer_size = 32768',
  'join_buffer_size = 1024',
  'max_sort_length = 64',
  'max_error_count = 0',
  'max_length_for_sort_data = 4',
  'max_seeks_for_key = 1',
  'max_sp_recursion_depth = 0',
  'eq_range_index_dive_limit = 1',
  'optimizer_search_depth = 1',
  'optimizer_prune_level = 0',
  "optimizer_switch = 'derived_merge=off,materialization=off,semijoin=off'",
  "optimizer_switch = 'index_merge=off,mrr=on,mrr_cost_based=off'",
  "optimizer_switch = 'use_index_extensions=off,index_condition_pushdown=off'",
  "optimizer_switch = 'derived_condition_pushdown=on,prefer_ordering_index=off,hypergraph_optimizer=off'",
  'optimizer_use_condition_selectivity = 1',
  'range_optimizer_max_mem_size = 1',
  'range_alloc_block_size = 4096',
  'unique_checks = 0',
  'foreign_key_checks = 0',
  'check_constraint_checks = 0',
  'low_priority_updates = 1',
  'updatable_views_with_limit = NO',
  'explicit_defaults_for_timestamp = 0',
  'auto_increment_increment = 7',
  'auto_increment_offset = 5',
  'information_schema_stats_expiry = 1',
  'query_prealloc_size = 8192',
  "binlog_format = 'ROW'",
  "binlog_row_image = 'MINIMAL'",
  'binlog_direct_non_transactional_updates = 1',
  'sql_log_bin = 0',
  'sql_if_exists = 1',
  "old_mode = ''",
  'skip_replication = 1',
  'show_create_table_verbosity = 1',
  'sql_require_primary_key = 1',
  'sql_generate_invisible_primary_key = 1',
  'session_track_state_change = 1',
  'windowing_use_high_precision = 0',
  'system_versioning_asof = DEFAULT',
  "use_secondary_engine = 'OFF'",
  'secure_timestamp = 0',
  "terminology_use_previous = 'NONE'",
  'idle_transaction_timeout = 5',
  'profiling = 1',
  'userstat = 0',
  'long_query_time = 0',
  "log_slow_verbosity = 'explain'",
]
