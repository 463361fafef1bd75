import { uid, type VectorClock } from '@snoflax/families'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { START_MS, wallClock } from '../../../core/test/generators/clocks.js'

const { vclock } = uid

function hosts(...nodes: readonly (string | number)[]) {
  const clock = wallClock()
  return { clock, generators: nodes.map((node) => uid.generator({ node, clock: clock.read })) }
}

test('create has one new id of its node; tick replaces it and puts it first', () => {
  const { generators } = hosts('a@h', 'b@h')
  const [a, b] = generators as [(typeof generators)[0], (typeof generators)[0]]
  const first = vclock.create(a)
  expect(first).toHaveLength(1)
  expect(uid.unpack(first[0] as never)).toMatchObject({ node: uid.fingerprint('a@h'), sequence: 0 })

  const second = vclock.tick(first, b)
  expect(second.slice(1)).toEqual(first)
  const third = vclock.tick(second, a)
  expect(third).toHaveLength(2)
  expect(third[1]).toBe(second[0])
  expect(uid.unpack(third[0] as never)).toMatchObject({ node: uid.fingerprint('a@h'), sequence: 1 })
  expect(first).toHaveLength(1)
})

test('a ticked clock descends from the one before, even if the wall clock moved back', () => {
  const { clock, generators } = hosts('a@h')
  const [a] = generators as [(typeof generators)[0]]
  let vector = vclock.create(a)
  for (const nowMs of [START_MS + 5, START_MS - 3_600_000, START_MS, START_MS + 300_000]) {
    clock.nowMs = nowMs
    const next = vclock.tick(vector, a)
    expect(vclock.descends(next, vector)).toBe(true)
    expect(vclock.descends(vector, next)).toBe(false)
    expect(vclock.diff(vector, next)).toHaveLength(1)
    vector = next
  }
})

test('a node is the same by name and by fingerprint', () => {
  const { clock, generators } = hosts('a@h', uid.fingerprint('a@h'))
  const [named, numbered] = generators as [(typeof generators)[0], (typeof generators)[0]]
  const first = vclock.create(named)
  clock.nowMs += 10
  const second = vclock.tick(first, numbered)
  expect(second).toHaveLength(1)
  expect(vclock.join(first, second)).toEqual(second)
  expect(vclock.descends(second, first)).toBe(true)
  expect(vclock.descendsExcept('a@h', first, second)).toBe(true)
  expect(vclock.descendsExcept(uid.fingerprint('a@h'), first, second)).toBe(true)
})

test('vector clocks order the events of hosts that exchange them', () => {
  const nodes = ['a@h', 'b@h', 'c@h'] as const
  const event = fc.record({
    host: fc.nat(2),
    from: fc.option(fc.nat(2), { nil: undefined }),
    stepMs: fc.integer({ min: -2_000, max: 2_000 }),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const { clock, generators } = hosts(...nodes)
      const clocks: VectorClock[] = generators.map((generator) => vclock.create(generator))
      // The events that each host has seen, by number: what the vector clocks have to tell.
      const seen = generators.map((_, host) => new Set([-1 - host]))
      for (const [number, { host, from, stepMs }] of events.entries()) {
        clock.nowMs += stepMs
        if (from !== undefined) {
          clocks[host] = vclock.join(clocks[host] as VectorClock, clocks[from] as VectorClock)
          for (const event of seen[from] as Set<number>) seen[host]?.add(event)
        }
        clocks[host] = vclock.tick(clocks[host] as VectorClock, generators[host] as (typeof generators)[0])
        seen[host]?.add(number)
      }
      for (const [i, a] of clocks.entries()) {
        for (const [j, b] of clocks.entries()) {
          const hasSeenAll = [...(seen[j] as Set<number>)].every((event) => seen[i]?.has(event))
          expect(vclock.descends(a, b)).toBe(hasSeenAll)
          expect(vclock.diff(a, b).length === 0).toBe(hasSeenAll)
          expect(vclock.descends(vclock.join(a, b), b)).toBe(true)
        }
      }
    }),
  )
})
