/** Calls of each function that only the owner may execute, without the schema. */
export const OWNERS: readonly string[] = [
  'sno_set_partition(9)',
  'flake_set_worker(9, 9)',
  "uid_set_node('there')",
  'uid_set_node(9)',
  "lease_set_max_ttl('sno', 9)",
  "lease_confirm_max_ttl('sno')",
  "lease_adopt('sno')",
  "lease_reset('sno', 1, 9)",
  "_lease_define('sno', 9, 1)",
  "_lease_take('sno', 9, 0, 'caller')",
  "_clock_set_number('sno', 9)",
  "_clock_take_number('sno', 9, 0, 'caller')",
  "_clock_constant('_sno_number', 9)",
  "_clock_mend('sno')",
]

/** Calls of those that roles of `grantLeases` may execute too. */
export const LEASES: readonly string[] = [
  "lease_acquire('sno', 'a', 1000, 1, 64, 100, 0)",
  'lease_renew(NULL, 1000, 0)',
  'lease_release(NULL, 0)',
]
