import {
  accepting,
  flax,
  type IdFamily,
  prefixed,
  registry,
  sno,
  typeid,
  ulid,
  uuid7,
  uuid7or4,
} from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

const families = {
  customer: prefixed(flax, 'cus'),
  order: prefixed(sno, 'ord'),
  line: prefixed(flax, 'ord_line'),
  user: typeid('user'),
  request: prefixed(uuid7, 'req'),
  plan: prefixed(ulid, 'pn'),
  trace: uuid7or4,
}
const ids = registry(families)
const made = Object.entries(families).map(([name, family]) => [name, family.generate()] as const)

/** Texts in which an id, written as §, stands alone. */
const ALONE = [
  '§',
  'an id: §.',
  '(§)',
  '"§"',
  "'§',",
  '{"id":"§"}',
  '{\\"id\\":\\"§\\"}',
  '"a\\n§\\n"',
  '"a\\t§"',
  '\\u0022§\\u0022',
  'https://example.org/orders/§',
  'https://example.org/orders/§?page=2',
  'https://example.org/?id=§&next=1',
  '?next=%2Forders%2F§%3Fpage',
  'one §\nand',
  'one §\r\nand',
  '\u001b[36m§\u001b[0m',
  '<a href="/c/§">',
  '&quot;§&quot;',
  '[§](x)',
  '`§`',
  '**§**',
  'id=§;',
  'é§é',
  '“§”',
  '§,',
  '/§/',
]

/** Texts in which it is a part of something else. */
const PART = ['x§', '§x', '1§', '§0', '_§', '§_', 'A§A']

describe.each(made)('an id of %s', (name, id) => {
  test.each(ALONE)('stands alone in %j', (form) => {
    const text = form.replaceAll('§', id)
    const index = text.indexOf(id)
    const family = families[name as 'customer']
    expect(ids.idsIn(text)).toEqual([{ name, family, id, index, time: family.time(id as never) }])
  })

  test.each(PART)('is a part in %j', (form) => {
    expect(ids.idsIn(form.replaceAll('§', id))).toEqual([])
  })
})

test('all ids of a text, in their order', () => {
  const text = made.map(([, id]) => id).join(' ')
  expect(ids.idsIn(text).map(({ name, id, index }) => [name, id, index])).toEqual(
    made.map(([name, id]) => [name, id, text.indexOf(id)]),
  )
})

test('the longer prefix is meant, and the shorter one where the longer has no id', () => {
  const shop = registry({ order: prefixed(flax, 'ord'), line: prefixed(flax, 'ord_line') })
  const found = (text: string) => shop.idsIn(text).map(({ name }) => name)
  expect(found(`ord_line_${flax.generate()}`)).toEqual(['line'])
  expect(found('ord_line_0123456789A')).toEqual(['order'])
})

test('a UUID of version 4 has no time; texts of other forms, other prefixes and other cases are no ids', () => {
  const [found] = ids.idsIn('919108f7-52d1-4320-9bac-f847db4148a8')
  expect(found).toMatchObject({ name: 'trace', time: undefined })
  const id = families.customer.generate()
  for (const text of [
    '',
    'cus_',
    'cus_abc',
    id.slice(0, -1),
    id.toUpperCase(),
    id.replace('cus', 'cuss'),
    id.slice(4),
  ])
    expect(ids.idsIn(text)).toEqual([])
})

test('a family without a prefix finds words of its form, not parts of them, and accepted keys', () => {
  const bare = registry({ row: flax })
  expect(
    bare.idsIn('KpcanAM1FakODT4k x-KpcanAM1FakODT4k KpcanAM1FakODT4k-x').map(({ index }) => index),
  ).toEqual([0])
  const old = registry({ user: accepting(prefixed(flax, 'usr'), /user[0-9]{3}/) })
  expect(old.idsIn('user123, user1234, usr_KpcanAM1FakODT4k').map(({ id }) => id)).toEqual([
    'user123',
    'usr_KpcanAM1FakODT4k',
  ])
})

test('in a megabyte of what nearly begins an id, in time that grows with its length', () => {
  const id = families.customer.generate()
  for (const filler of ['cus_', 'a', '-', 'cus_KpcanAM1FakODT4', '%2F', '\\u0022', '919108f7-52d1-4320-']) {
    const text = `${filler.repeat(Math.ceil(1_000_000 / filler.length))} ${id} ${filler.repeat(10)}`
    expect(ids.idsIn(text).map((found) => found.id)).toEqual([id])
  }
})

test.each([undefined, 5, ['cus_'], new String('cus_')])('refuses %j', (value) => {
  expectRefusal(() => ids.idsIn(value as string), 'INVALID_TYPE')
})

test('the result is of the kinds that were declared', () => {
  const [found] = ids.idsIn(families.order.generate())
  if (found?.name === 'order') {
    const id: (typeof families.order)['min'] = found.id
    expect(families.order.is(id)).toBe(true)
    const family: IdFamily<typeof id> = found.family
    expect(family).toBe(families.order)
  } else expect.fail()
})
