import { type UidId, uid, type VectorClockGap } from '@snoflax/families'
import { expect } from 'vitest'
import { checkVectors } from '../../../core/test/check-vectors.js'
import { isAligned, type NativeUid, packGlobal } from '../../../core/test/uid-natives.js'

interface Clocks {
  readonly a: readonly NativeUid[]
  readonly b: readonly NativeUid[]
}

/** The recorded clocks are of aligned tuples, so they are ids as they stand. */
function idOf(native: NativeUid): UidId {
  expect(isAligned(native)).toBe(true)
  return packGlobal(native)
}

const clockOf = (natives: readonly NativeUid[]): UidId[] => natives.map(idOf)

/** The reference gives the distance in place of the entry's time, where the other clock has the node. */
function gapAsRecorded({ id, behind }: VectorClockGap): object {
  const { node, sequence, ...time } = uid.unpack(id)
  const { sequence: seq, ...parts } = behind ?? { ...time, sequence }
  return {
    nodeHex: node.toString(16).padStart(8, '0'),
    t: [parts.megaSeconds, parts.seconds, parts.microSeconds],
    seq,
  }
}

const withoutName = ({ nodeHex, t, seq }: NativeUid): object => ({ nodeHex, t, seq })

checkVectors('uidVectorClocks', {
  vclockJoin({ a, b, result }: Clocks & { result: NativeUid[] }) {
    expect(uid.vclock.join(clockOf(a), clockOf(b))).toEqual(clockOf(result))
    expect(uid.vclock.join(clockOf(b), clockOf(a))).toEqual(clockOf(result))
  },
  vclockDescend({ a, b, result }: Clocks & { result: boolean }) {
    expect(uid.vclock.descends(clockOf(a), clockOf(b))).toBe(result)
    expect(uid.vclock.diff(clockOf(a), clockOf(b)).length === 0).toBe(result)
  },
  vclockDescendExcept({ node, a, b, result }: Clocks & { node: string; result: boolean }) {
    expect(uid.vclock.descendsExcept(node, clockOf(a), clockOf(b))).toBe(result)
    expect(uid.vclock.descendsExcept(uid.fingerprint(node), clockOf(a), clockOf(b))).toBe(result)
  },
  vclockDiff({ a, b, result }: Clocks & { result: NativeUid[] }) {
    const gaps = uid.vclock.diff(clockOf(a), clockOf(b))
    expect(gaps.map(gapAsRecorded)).toEqual(result.map(withoutName))
    const unseen = gaps.filter(({ behind }) => behind === undefined).map(({ id }) => uid.unpack(id).node)
    expect(unseen.filter((node) => clockOf(a).some((id) => uid.unpack(id).node === node))).toEqual([])
  },
})
