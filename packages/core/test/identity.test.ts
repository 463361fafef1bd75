import { flake, flax, type IdFamily, isSameFamily, prefixed, registry, sno, storageFor } from '@snoflax/core'
import { idSource } from '@snoflax/core/adapter'
import { fieldBits, isPlausible, readings, refusals } from '@snoflax/core/inspect'
import { uid, uidLocal } from '@snoflax/families'
import { expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'
import { ticket } from './ticket.js'

test.each([
  ['each family and itself', sno, sno],
  ['two of one epoch', flake.withEpoch(5), flake.withEpoch(5)],
  ['an epoch and the default that it is', flake.withEpoch(flake.layout.epochMs), flake],
  ['two of one neighbourhood', uid.withNeighbourhood(5), uid.withNeighbourhood(5)],
  ['copies', { ...ticket }, { ...ticket, layout: structuredClone(ticket.layout) }],
] as const)('isSameFamily is true: %s', (_, a, b) => {
  expect(isSameFamily(a, b)).toBe(true)
  expect(isSameFamily(b, a)).toBe(true)
})

test.each([
  ['two families', flax, sno],
  ['both forms of uid', uid, uidLocal],
  ['two epochs', flake.withEpoch(5), flake],
  ['two neighbourhoods', uid.withNeighbourhood(5), uid],
  ['equal bits under another name', ticket, { ...ticket, name: 'other' }],
  ['another unit', ticket, { ...ticket, layout: { ...ticket.layout, unitMs: 1 } }],
  [
    'other names of the bits',
    ticket,
    { ...ticket, layout: { ...ticket.layout, fields: [{ name: 'time', bits: 64 }] } },
  ],
] as const)('isSameFamily is false: %s', (_, a, b) => {
  expect(isSameFamily(a, b)).toBe(false)
  expect(isSameFamily(b, a)).toBe(false)
})

test.each([
  [undefined, 'undefined; check for a circular import'],
  [null, 'null'],
  ['flax', '"flax"'],
  [{ ...flax, decode: undefined }, 'an object'],
  [flax.generator(), 'an object'],
])('%o is not a family', (input, shown) => {
  const family = input as unknown as IdFamily
  const calls: [string, () => unknown][] = [
    ['family', () => storageFor(family, 'sqlite')],
    ['family', () => idSource({ family, usage: String })],
    ['prefixed: the base', () => prefixed(family, 'cus')],
    ['registry: order', () => registry({ order: family })],
    ['readings: 1', () => readings('Kpcan0M1FakODT4k', [flax, family])],
    ['refusals: 1', () => refusals('Kpcan0M1FakODT4k', [flax, family])],
    ['isPlausible: family', () => isPlausible(family, 'Kpcan0M1FakODT4k')],
    ['fieldBits: family', () => fieldBits(family, 'Kpcan0M1FakODT4k')],
  ]
  for (const [what, call] of calls) {
    const error = expectRefusal(call, 'INVALID_OPTION', { field: 'family', value: input })
    expect(error.message).toBe(`${what} must be a family such as flax, not ${shown}`)
  }
})

test.each([undefined, null, 'flax'])('%o is refused as a list of families', (input) => {
  for (const call of [
    () => registry(input as never),
    () => readings('x', input as never),
    () => refusals('x', input as never),
  ]) {
    const error = expectRefusal(call, 'INVALID_OPTION', { field: 'families', value: input })
    expect(error.message).toMatch(/: families must be an object or an array, not /)
  }
})
