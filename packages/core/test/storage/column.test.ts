import { type Database, type StorageName, storageFor } from '@snoflax/core'
import { expect, test } from 'vitest'
import { ALLOWED_COMBINATIONS, FAMILIES, type FamilyName, open } from './families.js'

const TEXT_LENGTH: Partial<Record<FamilyName, number>> = { flax: 16, sno: 16, uid: 16, uidLocal: 11 }
const BYTE_LENGTH: Record<FamilyName, number> = { flax: 12, sno: 10, flake: 8, uid: 12, uidLocal: 8 }

interface Column {
  readonly type: string
  readonly sql: string
  readonly length?: number | undefined
  readonly collation?: string
}

const mysql = {
  text: (name: FamilyName): Column => ({
    type: 'char',
    sql: `CHAR(${TEXT_LENGTH[name]}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    length: TEXT_LENGTH[name],
    collation: 'utf8mb4_bin',
  }),
  binary: (name: FamilyName): Column => ({
    type: 'binary',
    sql: `BINARY(${BYTE_LENGTH[name]})`,
    length: BYTE_LENGTH[name],
  }),
  bigint: (): Column => ({ type: 'bigint', sql: 'BIGINT UNSIGNED' }),
}

const COLUMNS: Record<Database, Partial<Record<StorageName, (name: FamilyName) => Column>>> = {
  postgres: {
    uuid: () => ({ type: 'uuid', sql: 'uuid' }),
    uuid8: () => ({ type: 'uuid', sql: 'uuid' }),
    text: (name) => ({ type: 'text', sql: 'text COLLATE "C"', length: TEXT_LENGTH[name], collation: 'C' }),
    binary: (name) => ({ type: 'bytea', sql: 'bytea', length: BYTE_LENGTH[name] }),
    bigint: () => ({ type: 'bigint', sql: 'bigint' }),
  },
  sqlite: {
    text: (name) => ({ type: 'text', sql: 'TEXT', length: TEXT_LENGTH[name], collation: 'BINARY' }),
    binary: (name) => ({ type: 'blob', sql: 'BLOB', length: BYTE_LENGTH[name] }),
    bigint: () => ({ type: 'integer', sql: 'INTEGER' }),
  },
  mysql,
  mariadb: mysql,
}

test.each(ALLOWED_COMBINATIONS)('$name in $storage on $database has this column type', (combination) => {
  const { name, database, storage } = combination
  const expected = COLUMNS[database][storage]?.(name)
  expect(open(combination).column).toEqual({ length: undefined, collation: undefined, ...expected })
})

test('families have these sizes in bytes and characters', () => {
  for (const [name, length] of Object.entries(BYTE_LENGTH)) {
    expect(FAMILIES[name as FamilyName].byteLength).toBe(length)
    expect(FAMILIES[name as FamilyName].textLength).toBe(TEXT_LENGTH[name as FamilyName])
    expect(storageFor(FAMILIES[name as FamilyName], 'postgres').family).toBe(FAMILIES[name as FamilyName])
  }
})
