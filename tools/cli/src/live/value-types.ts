import type { Database } from '@snoflax/core'

/** How a column stores ids. */
export type ValueType = 'text' | 'uuid' | 'binary' | 'number'

const STORED_AS: Readonly<Record<'postgres' | 'sqlite' | 'mysql', Readonly<Record<string, string>>>> = {
  postgres: {
    uuid: 'uuid',
    text: 'text',
    citext: 'text',
    varchar: 'text',
    bpchar: 'text',
    bytea: 'binary',
    int2: 'number',
    int4: 'number',
    int8: 'number',
    numeric: 'number',
  },
  // By affinity. Values are stored as they are, the likely kind first.
  sqlite: {
    text: 'text binary',
    blob: 'binary text number',
    integer: 'number text binary',
    numeric: 'text number binary',
    real: 'text number binary',
  },
  mysql: {
    uuid: 'uuid',
    char: 'text',
    varchar: 'text',
    text: 'text',
    binary: 'binary',
    varbinary: 'binary',
    blob: 'binary',
    tinyint: 'number',
    smallint: 'number',
    mediumint: 'number',
    int: 'number',
    bigint: 'number',
    decimal: 'number',
  },
}

/** How a column of a type may store ids. */
export const valueTypesIn = (kind: Database, type: string): readonly ValueType[] =>
  (STORED_AS[kind === 'mariadb' ? 'mysql' : kind][type]?.split(' ') ?? []) as ValueType[]
