import { flake, flax, type IdFamily, type StorageName, sno, storageFor } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'

/** A primary key that the database fills in. */
export interface Key {
  readonly name: string
  readonly type: string
  readonly maker: string
}

function keyOf(family: IdFamily<string>, storage: StorageName): Key {
  const name = family.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return {
    name: `${family.name} as ${storage}`,
    type: storageFor(family, 'postgres', { storage }).column.sql,
    maker: `snoflax.${name}_generate${storage === 'binary' ? '' : `_${storage}`}()`,
  }
}

export const UUID: Key = { name: 'UUIDv4 as uuid', type: 'uuid', maker: 'gen_random_uuid()' }
export const UUIDV7: Key = { name: 'UUIDv7 as uuid', type: 'uuid', maker: 'uuidv7()' }
// Sorted by bytes like ours: a collation by language would make it slower.
export const UUID_TEXT: Key = {
  name: 'UUIDv4 as text',
  type: 'text COLLATE "C"',
  maker: 'gen_random_uuid()::text',
}
export const PEERS: readonly Key[] = [
  UUID,
  UUIDV7,
  { name: 'UUIDv7 in SQL, as uuid', type: 'uuid', maker: 'sql_uuidv7()' },
  { name: 'ULID in PL/pgSQL, as text', type: 'text COLLATE "C"', maker: 'plpgsql_ulid()' },
  { name: 'Snowflake in PL/pgSQL, as bigint', type: 'bigint', maker: 'plpgsql_snowflake()' },
  UUID_TEXT,
]

/** Each family in each of its storages in PostgreSQL. */
export const OURS: readonly Key[] = [flax, sno, flake, uid, uidLocal].flatMap((family) =>
  (['uuid', 'bigint', 'binary', 'uuid8', 'text'] as const)
    .filter((storage) => family.storages.includes(storage))
    .map((storage) => keyOf(family as IdFamily<string>, storage)),
)

export const createTable = ({ type, maker }: Key, table: string): string =>
  `CREATE TABLE ${table} (id ${type} PRIMARY KEY DEFAULT ${maker}, number integer NOT NULL)`
