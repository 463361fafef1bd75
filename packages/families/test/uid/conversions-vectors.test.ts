import { type UidDistance, uid, uidLocal } from '@snoflax/families'
import { expect } from 'vitest'
import { checkVectors } from '../../../core/test/check-vectors.js'
import type { Conversion } from '../../../core/test/recorded-vectors.js'
import { expectRefusal } from '../../../core/test/refusal.js'
import {
  globalFields,
  localFields,
  type NativeUid,
  nodeOf,
  packGlobal,
  packLocal,
} from '../../../core/test/uid-natives.js'

interface Measured {
  readonly a: NativeUid
  readonly b: NativeUid
  readonly result: NativeUid | null
}

const microSeconds = ([megaSeconds, seconds, rest]: NativeUid['t']): bigint =>
  (BigInt(megaSeconds) * 1_000_000n + BigInt(seconds)) * 1_000_000n + BigInt(rest)

const cut = ({ t }: NativeUid): bigint => BigInt(t[2] % 1024)

/** The recorded distance, less what the two ids lose when their microseconds are cut. */
function expectedDistance({ a, b, result }: { a: NativeUid; b: NativeUid; result: NativeUid }): UidDistance {
  const delta = microSeconds(result.t) - cut(a) + cut(b)
  return {
    megaSeconds: Number(delta / 1_000_000_000_000n),
    seconds: Number((delta / 1_000_000n) % 1_000_000n),
    microSeconds: Number(delta % 1_000_000n),
    sequence: result.seq,
  }
}

checkVectors('uidConversions', {
  toGlobal({ localNode, input, result }: Conversion) {
    const id = uid.fromLocal(packLocal(input), { node: localNode })
    expect(uid.unpack(id)).toEqual(globalFields(result as NativeUid))
    expect(uid.fromLocal(packLocal(input), { node: nodeOf(result as NativeUid) })).toBe(id)
    expect(uid.toLocal(id, { node: localNode })).toBe(packLocal(input))
  },
  toLocal({ localNode, input, result }: Conversion) {
    const convert = () => uid.toLocal(packGlobal(input), { node: localNode })
    if (result === null) expectRefusal(convert, 'NODE_MISMATCH')
    else expect(uidLocal.unpack(convert())).toEqual(localFields(result))
  },
  gtol({ input, result }: Conversion) {
    if (result === null) expectRefusal(() => uid.forceLocal(packLocal(input) as never), 'INVALID_LENGTH')
    else expect(uidLocal.unpack(uid.forceLocal(packGlobal(input)))).toEqual(localFields(result))
  },
  distance({ a, b, result }: Measured) {
    const measure = () =>
      a.nodeHex === undefined
        ? uidLocal.distance(packLocal(a), packLocal(b))
        : uid.distance(packGlobal(a), packGlobal(b))
    if (result === null) expectRefusal(measure, 'NODE_MISMATCH')
    else expect(measure()).toEqual(expectedDistance({ a, b, result }))
  },
})
