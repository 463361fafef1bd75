import {
  accepting,
  type Database,
  flax,
  type IdFamily,
  prefixed,
  type StorageName,
  sno,
  storageFor,
} from '@snoflax/core'
import { checkComparable } from '@snoflax/core/adapter'
import { expect, test } from 'vitest'

const column = (place: string, family: IdFamily, storage: StorageName, database: Database = 'postgres') => ({
  place,
  family,
  storage: () => storageFor(family, database, { storage }),
})
const check = (a: ReturnType<typeof column>, b: ReturnType<typeof column>) => () => {
  checkComparable(a, b)
  checkComparable(b, a)
}

test('columns are comparable if they store equal ids as equal values', () => {
  const stored = prefixed(flax, 'cus')
  for (const [one, other] of [
    [column('a', flax, 'uuid'), column('b', flax, 'uuid')],
    [column('a', flax, 'binary'), column('b', prefixed(flax, 'cus'), 'binary')],
    [column('a', stored, 'text'), column('b', stored, 'text')],
    [column('a', accepting(stored, /.+/), 'text'), column('b', sno, 'text')],
  ] as const) {
    expect(check(one, other)).not.toThrow()
  }
  for (const [one, other] of [
    [column('a', flax, 'uuid'), column('b', flax, 'binary')],
    [column('a', flax, 'binary'), column('b', sno, 'binary')],
    [column('a', stored, 'text'), column('b', flax, 'text')],
    [column('a', accepting(flax, /.+/), 'text'), column('b', flax, 'binary')],
  ] as const) {
    expect(check(one, other)).toThrow('are never equal in the database')
  }
})

test('the error names both columns and what they store', () => {
  const orders = column('orders.customer_id', flax, 'text')
  const customers = column('customers.id', prefixed(flax, 'cus'), 'text')
  expect(check(orders, customers)).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      family: 'flax',
      path: 'orders.customer_id',
      message:
        'orders.customer_id: orders.customer_id (flax as text) and customers.id (cus_flax as text) are never equal in the ' +
        'database; use columns of one family and storage',
    }),
  )
})
