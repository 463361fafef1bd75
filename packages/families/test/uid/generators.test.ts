import { type UidId, uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { START_MS, scriptedClock, slow, wallClock } from '../../../core/test/generators/clocks.js'
import { isPendingAfter, settled, virtualTime } from '../../../core/test/generators/virtual-time.js'
import { expectRefusal } from '../../../core/test/refusal.js'

const HOUR_MS = 3_600_000
const IDS_A_STEP = 16_384

virtualTime()

const microSeconds = (fields: { megaSeconds: number; seconds: number; microSeconds: number }): number =>
  (fields.megaSeconds * 1e6 + fields.seconds - START_MS / 1000) * 1e6 + fields.microSeconds

/** Microseconds from the start, and sequence. */
const place = (id: UidId): readonly [number, number] => [
  microSeconds(uid.unpack(id)),
  uid.unpack(id).sequence,
]

const make = (clock: () => number) => uid.generator({ node: 'orders@10.0.0.7', clock })

// Those of uidLocal are the same but for the node: see "local and global" below.
describe('uid: steps', () => {
  test('has the step of the clock, down to the microsecond, and counts within it', () => {
    const clock = scriptedClock(...[0, 1.023, 1.024, 2.047, 999.999, 1000].map((ms) => START_MS + ms))
    expect(make(clock.read).batch(6).map(place)).toEqual([
      [0, 0],
      [0, 1],
      [1024, 0],
      [1024, 1],
      [976 * 1024, 0],
      [1_000_000, 0],
    ])
  })

  test('keeps the last step while the clock is behind, and continues with the clock afterwards', () => {
    const times = [0, -1, -2, -HOUR_MS, 0, 2.048]
    const clock = scriptedClock(...times.map((ms) => START_MS + ms))
    const ids = make(clock.read).batch(times.length)
    expect(ids.map(place)).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 4],
      [2048, 0],
    ])
    expect(ids).toEqual([...ids].sort())
  })

  test('have 16,384 ids', () => {
    const generator = make(slow(() => START_MS))
    expect(generator.batch(IDS_A_STEP).map((id) => place(id)[1])).toEqual([...Array(IDS_A_STEP).keys()])
    expect(expectRefusal(() => generator.generate(), 'SEQUENCE_EXHAUSTED').message).toContain('16384')
  })

  test.each([11, 500, 999, 1500, 60_000, HOUR_MS])(
    'used up, with the clock %d ms behind: CLOCK_MOVED_BACK at once, and the call succeeds after the stated time',
    (behind) => {
      // At the end of a second, so that the clock is behind within it as well as in others.
      let [nowMs, reads] = [START_MS + 999, 0]
      const generator = uid.generator({
        node: 1,
        backfill: { sequenceMin: 3, sequenceMax: 9 },
        clock: () => {
          reads++
          return nowMs
        },
      })
      generator.batch(3)
      nowMs -= behind
      reads = 0
      const { message, waitMs } = expectRefusal(() => generator.generate(), 'CLOCK_MOVED_BACK')
      expect(reads).toBe(1)
      expect(message).toContain(`${waitMs} ms`)
      expect(waitMs).toBeGreaterThanOrEqual(behind)
      expect(waitMs).toBeLessThanOrEqual(behind + 3)
      nowMs += waitMs as number
      expect(place(generator.generate())[1]).toBe(0)
    },
  )

  test('are there for the first and the last time', () => {
    expect(place(make(() => 0).generate())).toEqual([-START_MS * 1000, 0])
    const [microSeconds] = place(make(() => uid.lastMs).generate())
    expect(microSeconds).toBe(((uid.lastMs - 999 - START_MS) / 1000) * 1e6 + 975 * 1024)
  })
})

describe('uid: node', () => {
  test('a name and its fingerprint generate the same ids', () => {
    const node = 'orders@10.0.0.7'
    const clock = (): number => START_MS
    const named = uid.generator({ node, clock }).batch(3)
    expect(uid.generator({ node: uid.fingerprint(node), clock }).batch(3)).toEqual(named)
    expect(named.map((id) => uid.unpack(id).node)).toEqual([0, 1, 2].map(() => uid.fingerprint(node)))
  })

  test('fingerprints go up to 32 bits', () => {
    for (const node of [0, 2 ** 31, 2 ** 32 - 1]) {
      expect(uid.unpack(uid.generator({ node, clock: () => START_MS }).generate()).node).toBe(node)
    }
  })

  test('another neighbourhood keeps the fields', () => {
    for (const neighbourhood of [5, 6, 7, 8, 9, 10]) {
      const family = uid.withNeighbourhood(neighbourhood)
      const fields = family.unpack(
        family.generator({ node: 0xdeadbeef, clock: () => START_MS + 5.12 }).generate(),
      )
      expect(fields).toMatchObject({ node: 0xdeadbeef, microSeconds: 5120, sequence: 0 })
      expect(microSeconds(fields)).toBe(5120)
    }
  })

  test('no node is GENERATOR_REQUIRED', () => {
    for (const options of [undefined, {}, { node: undefined }]) {
      const error = expectRefusal(() => uid.generator(options as never), 'GENERATOR_REQUIRED')
      expect(error).toMatchObject({ family: 'uid', field: 'node' })
      expect(error.message).toContain('{ node }')
    }
  })

  test('an empty name is refused', () => {
    expect(expectRefusal(() => uid.generator({ node: '' }), 'INVALID_OPTION')).toMatchObject({
      field: 'node',
    })
  })

  test.each([-1, 2 ** 32, 0.5, Number.NaN])('a fingerprint of %d is out of range', (node) => {
    const error = expectRefusal(() => uid.generator({ node }), 'FIELD_OUT_OF_RANGE')
    expect(error).toMatchObject({ family: 'uid', field: 'node', value: node })
    expect(error.message).toContain(String(node))
  })

  test.each([null, 5n, true, {}, Uint8Array.of(1, 2, 3, 4)])('%o is not a node', (node) => {
    expectRefusal(() => uid.generator({ node: node as never }), 'INVALID_TYPE')
  })
})

describe('uid: local and global', () => {
  const node = 'orders@10.0.0.7'
  const clock = (): number => START_MS + 77.777

  test('ids of the local generator convert to global ones, and back', () => {
    const locals = uidLocal.generator({ clock }).batch(50)
    const globals = uid.generator({ node, clock }).batch(50)
    for (const host of [{ node }, { node: uid.fingerprint(node) }]) {
      expect(locals.map((id) => uid.fromLocal(id, host))).toEqual(globals)
      expect(globals.map((id) => uid.toLocal(id, host))).toEqual(locals)
    }
    expect(globals.map((id) => uid.forceLocal(id))).toEqual(locals)
    expect(uid.time(globals[0] as never)).toEqual(uidLocal.time(locals[0] as never))
  })

  test('local and global ids of a generator share their numbers, so none become equal', () => {
    const generator = uid.generator({ node, clock })
    const made = [
      generator.generate(),
      ...generator.local.batch(2),
      generator.generate(),
      generator.local.generate(),
    ]
    const globals = made.map((id) => (uid.is(id) ? id : uid.fromLocal(uidLocal.parse(id), { node })))
    expect(made.map((id) => id.length)).toEqual([16, 11, 11, 16, 11])
    expect(globals).toEqual(uid.generator({ node, clock }).batch(5))
    expect(generator.local.family).toBe(uidLocal)
  })

  test('local and global ids use up a step together', async () => {
    const wall = wallClock()
    let read = slow(wall.read, 5)
    const generator = uid.generator({ node, clock: () => read() })
    generator.batch(IDS_A_STEP / 2)
    generator.local.batch(IDS_A_STEP / 2)
    for (const call of [() => generator.generate(), () => generator.local.generate()]) {
      expectRefusal(call, 'SEQUENCE_EXHAUSTED')
    }
    read = wall.read
    const waiting = Promise.all([generator.local.generateAsync(), generator.generateAsync()])
    expect(await isPendingAfter(waiting, 10)).toBe(true)
    wall.nowMs += 2
    const [local, global] = await settled(waiting)
    expect([uidLocal.unpack(local).sequence, uid.unpack(global).sequence]).toEqual([0, 1])
  })

  test("another node's id does not convert to a local one, unless forced", () => {
    const [id] = uid.generator({ node: 'other@10.0.0.7', clock }).batch(1)
    const error = expectRefusal(() => uid.toLocal(id as never, { node }), 'NODE_MISMATCH')
    expect(error).toMatchObject({ family: 'uid', field: 'node', value: id })
    expect(uid.forceLocal(id as never)).toBe(uidLocal.generator({ clock }).generate())
  })

  test('the distance of generated ids is the time and the numbers between them', () => {
    const wall = wallClock(START_MS)
    const generator = uid.generator({ node, clock: wall.read })
    const early = generator.generate()
    wall.nowMs += 86_400_000 * 20 + 10.24
    const [, , late] = generator.batch(3)
    const distance = { megaSeconds: 1, seconds: 728_000, microSeconds: 10_240, sequence: 2 }
    expect(uid.distance(late as never, early)).toEqual(distance)
    expect(uid.distance(early, late as never)).toEqual({
      megaSeconds: -1,
      seconds: -728_000,
      microSeconds: -10_240,
      sequence: -2,
    })
    expectRefusal(() => uid.distance(early, uid.generator({ node: 1, clock }).generate()), 'NODE_MISMATCH')
  })
})
