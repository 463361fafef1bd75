import { checkDatabaseGenerator, flake, flax, sno, uid, uidLocal } from '@snoflax/core'
import { expect, test } from 'vitest'
import { ticket } from './ticket.js'

test.each([flax, sno, flake.withEpoch(5), uid, uid.withNeighbourhood(8), uidLocal, ticket])(
  'the database can make ids of $name',
  (family) => {
    expect(() => checkDatabaseGenerator(family)).not.toThrow()
  },
)

test('not of a uid of another neighbourhood', () => {
  expect(() => checkDatabaseGenerator(uid.withNeighbourhood(10))).toThrow(
    'uid: the database makes ids with a neighbourhood of 8, not 10',
  )
})
