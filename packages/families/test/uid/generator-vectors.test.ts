import { type UidId, uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { hexOf } from '../../../core/test/bytes.js'
import { wallClock } from '../../../core/test/generators/clocks.js'
import { globalFields, localFields, type NativeUid, packGlobal } from '../../../core/test/uid-natives.js'
import { type Vector, vectorsOf } from '../../../core/test/vectors.js'

interface Stamped extends Vector {
  readonly localNode: string
  readonly timestamp: readonly [number, number, number]
}

interface Generated extends Stamped {
  readonly local: NativeUid
  readonly global: NativeUid
  readonly localHex: string
  readonly globalHex: string
}

interface Ticked extends Stamped {
  readonly input: readonly NativeUid[]
  readonly result: readonly NativeUid[]
}

const clockAt = ([mega, seconds, micro]: Stamped['timestamp']): (() => number) =>
  wallClock((mega * 1_000_000 + seconds) * 1000 + micro / 1000).read

describe('uid.json generate', () => {
  test.each(vectorsOf<Generated>('uid', 'generate'))('$v', (vector) => {
    const clock = clockAt(vector.timestamp)
    const global = uid.generator({ node: vector.localNode, clock }).generate()
    expect(uid.unpack(global)).toEqual({ ...globalFields(vector.global), sequence: 0 })
    expect(hexOf(uid.decode(uid.pack({ ...uid.unpack(global), sequence: vector.global.seq })))).toBe(
      vector.globalHex,
    )

    const local = uidLocal.generator({ clock }).generate()
    expect(uidLocal.unpack(local)).toEqual({ ...localFields(vector.local), sequence: 0 })
    const same = uidLocal.pack({ ...uidLocal.unpack(local), sequence: vector.local.seq })
    expect(hexOf(uidLocal.decode(same))).toBe(vector.localHex)
  })
})

/** The ids of a recorded clock, the first of which a generator made. */
function withOurSequence([made, ...rest]: readonly NativeUid[]): UidId[] {
  return [
    uid.pack({ ...globalFields(made as NativeUid), sequence: 0 }),
    ...rest.map((native) => packGlobal(native)),
  ]
}

describe('uid.json vclockTick', () => {
  test.each(vectorsOf<Ticked>('uid', 'vclockTick'))('$v', ({ localNode, timestamp, input, result }) => {
    const generator = uid.generator({ node: localNode, clock: clockAt(timestamp) })
    const before = input.map((native) => packGlobal(native))
    expect(uid.vclock.tick(before, generator)).toEqual(withOurSequence(result))
  })
})

describe('uid.json vclockNew', () => {
  test.each(vectorsOf<Ticked>('uid', 'vclockNew'))('$v', ({ localNode, timestamp, result }) => {
    const generator = uid.generator({ node: localNode, clock: clockAt(timestamp) })
    expect(uid.vclock.create(generator)).toEqual(withOurSequence(result))
  })
})
