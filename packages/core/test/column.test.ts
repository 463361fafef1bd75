import {
  accepting,
  betterAuthIds,
  columnFor,
  type Database,
  flake,
  flax,
  prefixed,
  sno,
  storageFor,
} from '@snoflax/core'
import { checkCondition } from '@snoflax/core/adapter'
import { uid } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { thrownBy } from './refusal.js'

const customer = prefixed(flax, 'cus')

describe('columnFor', () => {
  test.each([
    [customer, 'postgres', 'text COLLATE "C"', "length(id) = 20 AND substr(id, 1, 4) = 'cus_'"],
    [
      customer,
      'sqlite',
      'TEXT',
      "(id IS NULL OR typeof(id) = 'text') AND length(id) = 20 AND id GLOB 'cus_*'",
    ],
    [flax, 'sqlite', 'TEXT', "(id IS NULL OR typeof(id) = 'text') AND length(id) = 16"],
    [sno, 'mysql', 'CHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin', 'char_length(id) = 16'],
  ] as const)('$name in %s', (family, database, type, check) => {
    const column = columnFor(family as typeof customer, database)
    expect(column).toMatchObject({ family, type })
    expect(column.check('id')).toBe(check)
    expect(family.is(column.generate())).toBe(true)
  })

  const idGlob = `usr_${'[0-9A-Za-z_-]'.repeat(16)}`
  test.each([
    ['postgres', "id ~ '^(usr_[0-9A-Za-z_-]{16}|[1-9][0-9]{0,})$'"],
    [
      'sqlite',
      `(id IS NULL OR typeof(id) = 'text') AND (id GLOB '${idGlob}' OR id GLOB '[1-9]*' AND substr(id,2) NOT GLOB '*[^0-9]*') AND instr(id,char(0)) = 0`,
    ],
    ['mysql', "id REGEXP '^(usr_[0-9A-Za-z_-]{16}|[1-9][0-9]{0,})$' AND id NOT REGEXP '[^0-9A-Za-z_-]'"],
  ] as const)('checks ids and accepted keys by their patterns in %s', (database, check) => {
    expect(columnFor(accepting(prefixed(flax, 'usr'), /[1-9]\d*/), database).check('id')).toBe(check)
  })

  test('refuses an accepted pattern that databases read differently', () => {
    const { check } = columnFor(accepting(customer, /.{24}/), 'postgres')
    expect(thrownBy(() => check('id'))).toMatchObject({ code: 'INVALID_OPTION', field: 'check' })
  })

  test.each([
    [customer, 'postgres', 'binary', 'length(id) = 12'],
    [customer, 'postgres', 'uuid', undefined],
    [flake, 'mysql', 'bigint', undefined],
    [flake, 'sqlite', 'bigint', "(id IS NULL OR typeof(id) = 'integer')"],
    [customer, 'sqlite', 'binary', "(id IS NULL OR typeof(id) = 'blob') AND length(id) = 12"],
  ] as const)('checks of $name in %s as %s', (family, database, storage, check) => {
    const stored = storageFor(family as typeof customer, database, { storage, exactBigint: true })
    expect(checkCondition(stored, 'id')).toBe(check)
  })

  test('a range has both bounds, or is refused', () => {
    const column = columnFor(uid, 'postgres', { generator: uid.generator({ node: 'a@b' }) })
    const [from, to] = [new Date('2026-11-01'), new Date('2026-12-01')]
    expect(column.range(from, to)).toEqual(uid.range(from, to))
    const ever = thrownBy(() => columnFor(flax, 'sqlite').range(from, 8.64e15))
    expect(ever).toMatchObject({ code: 'TIME_OUT_OF_RANGE' })
    expect(thrownBy(() => column.range(to, from))).toMatchObject({ code: 'INVALID_OPTION' })
  })

  test('a page is checked', () => {
    const { keyset } = columnFor(customer, 'sqlite')
    const after = customer.generate()
    expect(keyset({ take: 2 })).toEqual({ after: undefined, operator: '>', order: 'asc', take: 2 })
    expect(keyset({ take: 2, after, order: 'desc' })).toEqual({
      after,
      operator: '<',
      order: 'desc',
      take: 2,
    })
    for (const wrong of [{ take: 0 }, { take: 1, order: 'up' }, { take: 1, offset: 3 }]) {
      expect(thrownBy(() => keyset(wrong as never))).toMatchObject({ code: 'INVALID_OPTION' })
    }
    expect(thrownBy(() => keyset({ take: 1, after: 'wrong' }))).toMatchObject({
      code: 'WRONG_PREFIX',
      statusCode: 400,
    })
  })

  test('what has to be converted is refused, with the way out', () => {
    for (const database of ['postgres', 'mysql', 'mariadb'] satisfies Database[]) {
      const message = `flake: ${database} stores these ids as bigint, which has to be converted; use storageFor(flake, '${database}')`
      expect(thrownBy(() => columnFor(flake, database))).toMatchObject({ code: 'STORAGE_REFUSED', message })
    }
    expect(thrownBy(() => columnFor(uid, 'sqlite'))).toMatchObject({ code: 'GENERATOR_REQUIRED' })
    const other = sno.generator({ partition: 1 }) as never
    expect(thrownBy(() => columnFor(flax, 'sqlite', { generator: other }))).toMatchObject({
      code: 'INVALID_OPTION',
    })
  })
})

describe('betterAuthIds', () => {
  const user = prefixed(flax, 'usr')

  test('generates ids of the family of the model, and flax for others', () => {
    const generateId = betterAuthIds({ user, session: sno.generator({ partition: 7 }) })
    expect(user.is(generateId({ model: 'user' }))).toBe(true)
    expect(sno.unpack(sno.parse(generateId({ model: 'session' }))).partition).toBe(7)
    for (const model of ['passkey', 'constructor', '__proto__'])
      expect(flax.is(generateId({ model }))).toBe(true)
    expect(sno.is(betterAuthIds({}, { others: sno })({ model: 'user' }))).toBe(true)
  })

  test('refuses at the start what generates no ids, and names the model', () => {
    expect(thrownBy(() => betterAuthIds({ user: flake as never }))).toMatchObject({
      code: 'GENERATOR_REQUIRED',
      path: 'user',
    })
    for (const wrong of [undefined, 'usr', {}, { generate: () => 'x' }]) {
      expect(thrownBy(() => betterAuthIds({ user: wrong as never }))).toMatchObject({
        code: 'INVALID_OPTION',
        path: 'user',
      })
    }
    expect(thrownBy(() => betterAuthIds({}, { other: sno } as never))).toMatchObject({
      code: 'INVALID_OPTION',
    })
  })
})
