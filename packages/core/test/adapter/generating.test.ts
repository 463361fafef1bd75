import { accepting, flax, prefixed, sno, typeid } from '@snoflax/core'
import { checkGenerating, checkKeyset, type GeneratingColumn, readKeyset } from '@snoflax/core/adapter'
import { expect, test } from 'vitest'
import { expectRefusal, thrownBy } from '../refusal.js'

const column = (
  path: string,
  family: GeneratingColumn['family'],
  place = path,
  target?: string,
): GeneratingColumn => ({ path, place, family, target })
const customerId = prefixed(flax, 'cus')
const cure = (target?: string) => `cure(${target ?? ''})`

test.each([
  [column('a.id', customerId), column('b.id', prefixed(flax, 'ord'))],
  [column('a.id', flax), column('b.id', flax)],
  [column('A.id', customerId, 'a.id'), column('B.id', customerId, 'a.id')],
])('columns that generate different ids %#', (...columns) => {
  checkGenerating(columns, cure)
})

test.each([
  ['one definition', customerId, customerId],
  ['two of one prefix', customerId, prefixed(sno, 'cus')],
  ['beside keys that are kept', customerId, accepting(customerId, /[a-z]{5}/)],
  ['TypeIDs', typeid('cus'), typeid('cus')],
])('%s in two columns is refused', (_, one, other) => {
  const columns = [column('a.id', one), column('b.aId', other)]
  expectRefusal(() => checkGenerating(columns, cure), 'INVALID_OPTION', { family: 'cus', path: 'b.aId' })
  expect(() => checkGenerating(columns, cure)).toThrow(
    /^b\.aId: generates ids with the prefix cus, as a\.id does; .*declare it as cure\(a\.id\); .*cure\(\)$/,
  )
})

test('a foreign key that generates ids is refused', () => {
  const columns = [column('a.id', flax), column('b.aId', flax, 'b.a_id', 'a.id')]
  expect(() => checkGenerating(columns, cure)).toThrow(/^b\.aId: references a\.id, .* as cure\(a\.id\)$/)
})

const orders = { path: 'orders.id', family: prefixed(flax, 'ord') }
const id = orders.family.generate()

test.each([
  [{ after: id }, { order: 'asc', after: id }],
  [{ after: undefined }, { order: 'asc', after: undefined }],
  [
    { after: null, order: 'desc' },
    { order: 'desc', after: undefined },
  ],
])('a page of a keyset %#', (options, expected) => {
  expect(readKeyset(orders, options, 'never')).toEqual(expected)
})

test.each(['', 'nope', ' ', 5, 0, false, [], {}, Number.NaN, id.slice(4), `cus_${id.slice(4)}`, [id]])(
  'a cursor that is no id of the column is refused with status 400: %j',
  (after) => {
    expect(thrownBy(() => readKeyset(orders, { after }, 'never'))).toMatchObject({
      path: 'orders.id',
      statusCode: 400,
    })
  },
)

test.each([undefined, null, 0, -1, 1.5, '20', Number.POSITIVE_INFINITY])(
  'a page needs a positive number of rows, not %j',
  (take) => {
    expectRefusal(() => readKeyset(orders, { take }, 'required'), 'INVALID_OPTION', { field: 'take' })
    expectRefusal(() => checkKeyset({ take }, 'required'), 'INVALID_OPTION', { field: 'take' })
  },
)

test('the options of a page are checked without a column', () => {
  const options = { after: 'anything', order: 'desc', take: 1, field: 'id' }
  expect(checkKeyset(options, 'required', { field: 'any' }).order).toBe('desc')
  for (const none of [undefined, {}]) {
    expectRefusal(() => checkKeyset(none, 'required'), 'INVALID_OPTION', { field: 'take' })
  }
})
