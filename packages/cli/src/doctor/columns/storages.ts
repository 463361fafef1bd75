import type { Database, StorageName } from '@snoflax/core'
import type { Column } from './column.js'

const UUID = ['uuid', 'uuid8']
const TEXT = ['text']
const BINARY = ['binary']
const BIGINT = ['bigint']

const BY_TYPE: Readonly<Record<Database, Readonly<Record<string, readonly string[]>>>> = {
  postgres: {
    uuid: UUID,
    text: TEXT,
    varchar: TEXT,
    bpchar: TEXT,
    bytea: BINARY,
    int8: BIGINT,
  },
  // By affinity. SQLite keeps what it is given, so the values decide.
  sqlite: {
    text: ['text', 'binary'],
    blob: ['binary', 'text', 'bigint'],
    integer: ['bigint', 'text', 'binary'],
    numeric: ['text', 'bigint', 'binary'],
    real: ['text', 'bigint', 'binary'],
  },
  mysql: {
    char: TEXT,
    varchar: TEXT,
    text: TEXT,
    binary: BINARY,
    varbinary: BINARY,
    blob: BINARY,
    bigint: BIGINT,
  },
  // It refuses UUIDv8 of our variant.
  mariadb: { uuid: ['uuid'] },
}

/** The storages that a column's type can be. */
export function storagesOf(kind: Database, { type }: Column): readonly StorageName[] {
  const found = BY_TYPE[kind][type] ?? (kind === 'mariadb' ? BY_TYPE.mysql[type] : undefined)
  return (found ?? []) as readonly StorageName[]
}
