import { readFileSync } from 'node:fs'
import { type Database, type IdErrorCode, type StorageName, storageFor } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { readings, written } from './driver-forms.js'
import { ALLOWED_COMBINATIONS, FAMILIES, type FamilyName, REFUSED_COMBINATIONS } from './families.js'

interface Case {
  readonly name: string
  readonly family: FamilyName
  readonly storage: StorageName
  readonly databases: readonly Database[]
}

interface Invalid extends Case {
  readonly operation: 'define' | 'toDatabase' | 'fromDatabase'
  readonly input: string
  readonly code: IdErrorCode
  readonly position?: number
}

const cases = JSON.parse(
  readFileSync(new URL('../../../../spec/cases/storage.json', import.meta.url), 'utf8'),
) as {
  readonly tags: readonly { readonly family: FamilyName | 'user'; readonly tag: number }[]
  readonly valid: readonly (Case & { readonly id: string; readonly value: string })[]
  readonly invalid: readonly Invalid[]
}

test.each(cases.tags.filter(({ family }) => family !== 'user'))('tag of $family', ({ family, tag }) => {
  expect(FAMILIES[family as FamilyName].tag).toBe(tag)
})

test.each(cases.valid)('$name', ({ family, storage: name, databases, id, value }) => {
  for (const database of databases) {
    const storage = storageFor(FAMILIES[family], database, { storage: name })
    expect(storage).toMatchObject({ name, database, family: FAMILIES[family] })
    expect(written(storage.toDatabase(id))).toBe(value)
    for (const reading of readings(name, value)) expect(storage.fromDatabase(reading)).toBe(id)
  }
})

describe.each(cases.invalid)('$family in $storage: $operation $name', (invalid) => {
  const { family: name, storage, databases, operation, input, code, position } = invalid
  const family = FAMILIES[name]

  test.each(databases)(`%s: ${code}`, (database) => {
    if (operation === 'define') {
      const facts = { family: name, field: 'storage', value: storage }
      const { message } = expectRefusal(() => storageFor(family, database, { storage }), code, facts)
      expect(message).toContain(`${name} in ${database}: cannot use storage ${storage}`)
      const [, advice] = message.split('; use ') as [string, string]
      for (const alternative of advice.split(' or ') as StorageName[]) {
        const options = { storage: alternative, exactBigint: true }
        expect(storageFor(family, database, options).family).toBe(family)
      }
      return
    }
    const { toDatabase, fromDatabase } = storageFor(family, database, { storage })
    if (operation === 'toDatabase') {
      expect(expectRefusal(() => toDatabase(input), code)).toMatchObject({ family: name, value: input })
      return
    }
    for (const reading of readings(storage, input)) {
      const error = expectRefusal(() => fromDatabase(reading), code)
      expect(error.family).toBe(name)
      if (position !== undefined) expect(error.position).toBe(position)
      // A filter takes any storage's form, and this is none: which rule it breaks first may differ.
      expect(() => toDatabase(reading)).toThrow(expect.objectContaining({ name: 'IdError', family: name }))
    }
  })
})

describe('the cases of spec/cases/storage.json', () => {
  const keyOf = (family: string, storage: string, database: string): string =>
    `${family} ${storage} ${database}`

  test('contain a valid one for every allowed combination, except bigint in SQLite, which needs an option', () => {
    const there = new Set(
      cases.valid.flatMap(({ family, storage, databases }) =>
        databases.map((db) => keyOf(family, storage, db)),
      ),
    )
    const byOption = ({ database, storage }: { database: string; storage: string }) =>
      database === 'sqlite' && storage === 'bigint'
    const wanted = ALLOWED_COMBINATIONS.filter((combination) => !byOption(combination)).map((combination) =>
      keyOf(combination.name, combination.storage, combination.database),
    )
    expect([...there].sort()).toEqual(wanted.sort())
  })

  test('refuse every other combination', () => {
    const refused = cases.invalid
      .filter(({ operation }) => operation === 'define')
      .flatMap(({ family, storage, databases }) =>
        databases.map((database) => keyOf(family, storage, database)),
      )
    const wanted = REFUSED_COMBINATIONS.map(({ name, storage, database }) => keyOf(name, storage, database))
    expect(refused.sort()).toEqual(wanted.sort())
  })
})
