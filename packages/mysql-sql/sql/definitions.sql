-- The objects of the schema, and what defines each, as one query.

SELECT concat(lower(r.routine_type), ' ', r.routine_name) AS object, r.routine_name AS name,
    sha2(concat(r.routine_definition, concat_ws(' ', r.dtd_identifier, r.is_deterministic, r.sql_data_access, r.security_type,
      r.sql_mode, p.list)), 256) AS definition
  FROM information_schema.routines r
  LEFT JOIN (SELECT specific_name, group_concat(concat_ws(' ', parameter_mode, parameter_name, dtd_identifier) ORDER BY ordinal_position) AS list
               FROM information_schema.parameters WHERE specific_schema = 'snoflax' GROUP BY specific_name) p
    ON p.specific_name = r.routine_name
 WHERE r.routine_schema = 'snoflax'
UNION ALL
SELECT concat('view ', table_name), table_name, sha2(concat(view_definition, security_type), 256)
  FROM information_schema.views WHERE table_schema = 'snoflax'
UNION ALL
SELECT concat('table ', table_name), table_name, sha2(engine, 256)
  FROM information_schema.tables WHERE table_schema = 'snoflax' AND table_type = 'BASE TABLE'
UNION ALL
SELECT concat('column ', table_name, '.', column_name), table_name,
    sha2(concat_ws(' ', column_type, is_nullable, collation_name, coalesce(column_default, 'NULL')), 256)
  FROM information_schema.columns WHERE table_schema = 'snoflax' AND left(table_name, 1) = '_'
UNION ALL
SELECT concat('index ', table_name, '.', index_name, ' at ', seq_in_index), table_name, sha2(concat(column_name, non_unique), 256)
  FROM information_schema.statistics WHERE table_schema = 'snoflax'
UNION ALL
SELECT concat('trigger ', event_object_table, '.', trigger_name), event_object_table, sha2(action_statement, 256)
  FROM information_schema.triggers WHERE event_object_schema = 'snoflax'
UNION ALL
SELECT concat('row ', family, ' of _lease_family'), '_lease_family', sha2(concat(last_number, ' ', max_shards), 256)
  FROM snoflax._lease_family
