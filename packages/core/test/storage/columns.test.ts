import {
  accepting,
  type Database,
  flake,
  flax,
  type IdFamily,
  prefixed,
  type StorageName,
  sno,
  storageFor,
  typeid,
  uuid7,
} from '@snoflax/core'
import { plainStorage } from '@snoflax/core/adapter'
import { uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { ALLOWED_COMBINATIONS, DATABASES, FAMILIES, FAMILY_NAMES, type FamilyName, open } from './families.js'

const TEXT_LENGTH: Partial<Record<FamilyName, number>> = { flax: 16, sno: 16, uid: 16, uidLocal: 11 }
const BYTE_LENGTH: Record<FamilyName, number> = { flax: 12, sno: 10, flake: 8, uid: 12, uidLocal: 8 }

/** With % for the length. */
const SQL: Record<'postgres' | 'sqlite' | 'mysql', Partial<Record<StorageName, string>>> = {
  postgres: {
    uuid: 'uuid',
    uuid8: 'uuid',
    text: 'text COLLATE "C"',
    binary: 'bytea',
    bigint: 'bigint',
  },
  sqlite: { text: 'TEXT', binary: 'BLOB', bigint: 'INTEGER' },
  mysql: {
    text: 'CHAR(%) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    binary: 'BINARY(%)',
    bigint: 'BIGINT UNSIGNED',
  },
}
const COLLATIONS = { postgres: 'C', sqlite: 'BINARY', mysql: 'utf8mb4_bin' }

test.each(ALLOWED_COMBINATIONS)('$name in $storage on $database has this column type', (combination) => {
  const { name, storage } = combination
  const database = combination.database === 'mariadb' ? 'mysql' : combination.database
  const length = { text: TEXT_LENGTH[name], binary: BYTE_LENGTH[name] }[storage as string]
  const sql = SQL[database][storage]?.replace('%', String(length))
  expect(open(combination).column).toEqual({
    type: sql?.split(/[ (]/)[0]?.toLowerCase(),
    sql,
    length,
    collation: storage === 'text' ? COLLATIONS[database] : undefined,
  })
})

test('families have these sizes in bytes and characters', () => {
  for (const [name, length] of Object.entries(BYTE_LENGTH)) {
    expect(FAMILIES[name as FamilyName].byteLength).toBe(length)
    expect(FAMILIES[name as FamilyName].textLength).toBe(TEXT_LENGTH[name as FamilyName])
    expect(storageFor(FAMILIES[name as FamilyName], 'postgres').family).toBe(FAMILIES[name as FamilyName])
  }
})

test.each([
  ['flax', 'sqlite', 'uuid', 'SQLite has no uuid type'],
  ['flax', 'mysql', 'uuid8', 'MySQL has no uuid type'],
  ['flax', 'mariadb', 'uuid', 'reorders the bytes'],
  ['flake', 'postgres', 'text', 'allows bigint, binary, uuid8'],
  ['flax', 'postgres', 'bigint', 'allows text, uuid, binary, uuid8'],
  ['uidLocal', 'postgres', 'uuid', 'allows text, bigint, binary, uuid8'],
] as const)('%s in %s, %s: %s', (name, database, storage, reason) => {
  const { message } = expectRefusal(
    () => storageFor(FAMILIES[name], database, { storage }),
    'STORAGE_REFUSED',
  )
  expect(message).toContain(reason)
})

describe('bigint', () => {
  test.each([flake, uidLocal])(
    '$name: is refused in SQLite unless the driver reads all 64 bits',
    (family) => {
      for (const exactBigint of [undefined, false]) {
        const error = expectRefusal(
          () => storageFor(family as never, 'sqlite', { storage: 'bigint', exactBigint }),
          'STORAGE_REFUSED',
        )
        expect(error.message).toContain('2^53')
        expect(error.message).not.toContain('or bigint')
      }
      const exact = { storage: 'bigint', exactBigint: true } as const
      expect(storageFor(family as never, 'sqlite', exact).name).toBe('bigint')
    },
  )

  test('is refused in other databases if the driver says that it does not', () => {
    for (const database of ['postgres', 'mysql', 'mariadb'] as const) {
      expectRefusal(
        () => storageFor(flake, database, { storage: 'bigint', exactBigint: false }),
        'STORAGE_REFUSED',
      )
    }
  })
})

describe('the default storage', () => {
  const text = { flax: 'text', sno: 'text', uid: 'text', uidLocal: 'text' } as const
  const best: Record<Database, Record<string, StorageName>> = {
    postgres: { ...text, flake: 'bigint' },
    sqlite: text,
    mysql: { ...text, flake: 'bigint' },
    mariadb: { ...text, flake: 'bigint' },
  }

  test.each(DATABASES)('%s', (database) => {
    const named = FAMILY_NAMES.filter((name) => name in best[database])
    const chosen = named.map((name) => [name, storageFor(FAMILIES[name], database).name])
    expect(Object.fromEntries(chosen)).toEqual(best[database])
    expect(storageFor(sno, database, { storage: undefined }).name).toBe(best[database]['sno'])
  })
})

test('flake has no default in SQLite, where drivers round its numbers', () => {
  const { message } = expectRefusal(() => storageFor(flake, 'sqlite'), 'STORAGE_REFUSED')
  expect(message).toBe(
    'flake in sqlite: cannot use storage bigint: the driver may round integers above 2^53 (exactBigint: true says that ' +
      'it does not); use binary',
  )
  expect(storageFor(flake, 'sqlite', { exactBigint: true }).name).toBe('bigint')
})

test('an unknown database or storage is refused by name', () => {
  const database = expectRefusal(() => storageFor(flax, 'oracle' as Database), 'INVALID_OPTION')
  expect(database).toMatchObject({ family: 'flax', field: 'database', value: 'oracle' })
  expect(database.message).toContain('oracle')
  const storage = expectRefusal(
    () => storageFor(flax, 'sqlite', { storage: 'varchar' as StorageName }),
    'STORAGE_REFUSED',
  )
  expect(storage).toMatchObject({ family: 'flax', field: 'storage', value: 'varchar' })
  expect(storage.message).not.toContain('uuid type')
})

test.each<[string, IdFamily, StorageName | undefined, string | RegExp]>([
  ['flax', flax, undefined, 'text'],
  ['uuid7', uuid7, undefined, 'uuid'],
  ['uuid7 with UUIDs of version 4', accepting(uuid7, uuid7.withVersion4()), undefined, 'uuid'],
  ['uuid7 with other keys', accepting(uuid7, /user-\d+/), undefined, 'text'],
  ['uuid7 behind a prefix', prefixed(uuid7, 'cus'), 'uuid', /: nothing converts; use text$/],
  ['typeid', typeid('cus'), 'uuid', /: nothing converts; use text$/],
  ['flax as uuid', flax, 'uuid', /: nothing converts; use text$/],
  ['flake', flake, undefined, /: nothing converts; use another family$/],
])('%s is stored without conversion, or refused', (_, family, wanted, expected) => {
  const open = () => plainStorage(family, 'postgres', wanted, 'nothing converts').name
  if (typeof expected === 'string') expect(open()).toBe(expected)
  else expect(open).toThrow(expected)
})
