import { flake, flax, type IdFamily, sno, storageFor } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import type { Client } from 'pg'

/** Good values, and such as each way of refusing needs, by type; literals that no planted type or function can touch. */
const IDS: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]
const texts = IDS.map((family) => family.lowerBound(new Date('2026-11-01')))
const hex = IDS.map((family, i) => Buffer.from(family.decode(texts[i] as string)).toString('hex'))
const uuids = IDS.flatMap((family, i) =>
  (['uuid', 'uuid8'] as const)
    .filter((storage) => family.storages.includes(storage))
    .map((storage) => String(storageFor(family, 'postgres', { storage }).toDatabase(texts[i] as string))),
)

const VALUES: Readonly<Record<string, readonly string[]>> = {
  bytea: [...hex, '', 'ff'.repeat(8)].map((one) => `'\\x${one}'::pg_catalog.bytea`),
  text: [
    ...texts,
    '',
    '0x1f',
    '01',
    'zzzzzzzzzzzzzzzz',
    '~~~~~~~~~~~',
    '18446744073709551616',
    '9999999999999999999',
    'é',
  ].map((one) => `'${one}'::pg_catalog.text`),
  uuid: [...uuids, '11111111-1111-4111-8111-111111111111'].map((one) => `'${one}'::pg_catalog.uuid`),
  bigint: ['0', '7', '-1', '1793491200000', '9223372036854775807'].map((one) => `(${one})::bigint`),
  integer: ['0', '7', '-1', '16', '1000', '1000000'].map((one) => `(${one})::integer`),
  boolean: ['true', 'false'],
  'timestamp with time zone': [
    '2026-11-01Z',
    '2026-11-01 00:00:00.123456Z',
    '1900-01-01Z',
    '9999-01-01Z',
    'infinity',
  ].map((one) => `'${one}'::pg_catalog.timestamptz`),
  interval: ["'1 month'::interval", "'1 day'::interval", "'1 hour'::interval"],
  regclass: ["'hostile_log'::pg_catalog.regclass"],
  ...Object.fromEntries(
    ['flax', 'sno', 'uid'].map((family) => [
      `snoflax.${family}_uuid8`,
      [
        `snoflax.${family}_to_uuid8(snoflax.${family}_lower_bound('2026-11-01Z'::pg_catalog.timestamptz${family === 'uid' ? ', 8' : ''}))::snoflax.${family}_uuid8`,
      ],
    ]),
  ),
  'snoflax.flax_fields': [
    "ROW(1793491200000, '\\x01020304050607')",
    "ROW(1793491200000, '\\x01')",
    'ROW(1, NULL)',
  ],
  'snoflax.sno_fields': [
    'ROW(1793491200000, 1, 2, 3, 4)',
    'ROW(1793491200001, 1, 2, 3, 4)',
    'ROW(1, 1, 2, 3, 4)',
  ],
  'snoflax.flake_fields': ['ROW(1793491200000, 1, 2, 3)', 'ROW(1793491200000, 99, 2, 3)'],
  'snoflax.uid_fields': ['ROW(1793, 491200, 1024, 2, 3)', 'ROW(1793, 491200, 1, 2, 3)'],
  'snoflax.uid_local_fields': ['ROW(1793, 491200, 1024, 2)', 'ROW(1793, 491200, 1, 2)'],
  'snoflax._lease_family': ['(SELECT f FROM snoflax._lease_family f LIMIT 1)'],
}

/** By name, where the type does not say enough. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  caller: ["'caller'::pg_catalog.text", "''::pg_catalog.text"],
  family: [
    "'sno'::pg_catalog.text",
    "'flake'::pg_catalog.text",
    "'uid_local'::pg_catalog.text",
    "'none'::pg_catalog.text",
  ],
  wanted: ["'sno'::pg_catalog.text", "'flake'::pg_catalog.text", "'none'::pg_catalog.text"],
  storage: ["'uuid'::pg_catalog.text", "'binary'::pg_catalog.text", "'text'::pg_catalog.text"],
  neighbourhood: ['8', '1'],
  meta: ['3', '300'],
  n: ['2', '-1'],
  tag: ["'01'::pg_catalog.text", "'05'::pg_catalog.text"],
  bytes_integer: ['12', '8'],
  ttl_ms: ['1000', '1'],
  shards: ['1'],
  first_number: ['1'],
  last_number: ['5', '0'],
}

/** Calls of every function, each with every value of each argument in turn and some of the combinations. */
export async function everyCall(client: Client, atMost = 60): Promise<string[]> {
  const { rows } = await client.query<{
    name: string
    kind: string
    names: string[] | null
    types: string[]
  }>(`
    SELECT p.oid::pg_catalog.regproc::pg_catalog.text AS name, p.prokind AS kind, p.proargnames AS names,
        ARRAY(SELECT pg_catalog.format_type(type, NULL) FROM pg_catalog.unnest(p.proargtypes) AS type) AS types
      FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) p.pronamespace
     WHERE s.nspname OPERATOR(pg_catalog.=) 'snoflax'::pg_catalog.name ORDER BY p.oid`)
  return rows.flatMap(({ name, kind, names, types }) => {
    if (kind === 'a')
      return (VALUES[types[0] as string] ?? []).map(
        (value) => `SELECT ${name}(x) FROM (VALUES (${value}), (${value})) v (x)`,
      )
    const values = types.map((type, i) => {
      const argument = names?.[i] ?? ''
      const own = NAMED[`${argument}_${type}`] ?? NAMED[argument] ?? VALUES[type]
      if (own === undefined) throw new Error(`no value for ${argument} ${type} of ${name}`)
      return own.map((value) =>
        type.startsWith('snoflax.') && value.startsWith('ROW') ? `${value}::${type}` : value,
      )
    })
    return combinations(values, atMost).map((input) => `SELECT ${name}(${input.join(', ')})`)
  })
}

function combinations(values: readonly (readonly string[])[], atMost: number): string[][] {
  const count = values.reduce((product, { length }) => product * length, 1)
  const step = Math.max(1, Math.floor(count / atMost))
  // A step that shares no factor with the counts, so that all values of each argument come up.
  const coprime =
    [step, step + 1, step + 2, step + 3, step + 5].find((one) =>
      values.every(({ length }) => one % length !== 0 || length === 1),
    ) ?? 1
  return Array.from({ length: Math.min(count, atMost) }, (_, i) => {
    let rest = (i * (count > atMost ? coprime : 1)) % count
    return values.map((own) => {
      const value = own[rest % own.length] as string
      rest = Math.floor(rest / own.length)
      return value
    })
  })
}
