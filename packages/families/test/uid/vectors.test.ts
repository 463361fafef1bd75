import {
  type UidDistance,
  type UidId,
  type UidLocalFields,
  uid,
  uidLocal,
  type VectorClockGap,
} from '@snoflax/families'
import { expect, test } from 'vitest'
import { bytesOf, hexOf, latin1 } from '../../../core/test/bytes.js'
import { allQuirks, checkVectors, type Quirk } from '../../../core/test/check-vectors.js'
import { wallClock } from '../../../core/test/generators/clocks.js'
import {
  type Conversion,
  type EncodedUid,
  type OddEncoding,
  timeAfterCut,
} from '../../../core/test/recorded-vectors.js'
import { expectRefusal } from '../../../core/test/refusal.js'
import {
  cut,
  globalFields,
  isAligned,
  localFields,
  type NativeUid,
  nodeOf,
  packGlobal,
  packLocal,
  unalignedFields,
} from '../../../core/test/uid-natives.js'
import type { Vector } from '../../../core/test/vectors.js'

interface Encoded extends EncodedUid {
  readonly A: number
  readonly B: number
  readonly seq: number
}

interface Decoded {
  readonly I: number
  readonly hex: string
  readonly text?: string
  readonly result: NativeUid | null
}

/** The reference's texts are bytes; one character for each of them. */
const asBytes = (text: string): string => latin1(Buffer.from(text).toString('hex'))

function checkLocal(hex: string, text: string, native: NativeUid): void {
  const id = uidLocal.encode(bytesOf(hex))
  expect(id).toBe(text)
  expect(hexOf(uidLocal.decode(text))).toBe(hex)
  expect(uidLocal.unpack(id)).toEqual(localFields(native))
  expect(packLocal(native)).toBe(text)
}

function checkGlobal(neighbourhood: number, hex: string, text: string, native: NativeUid): void {
  const family = uid.withNeighbourhood(neighbourhood)
  const id = family.encode(bytesOf(hex))
  expect(id).toBe(text)
  expect(hexOf(family.decode(text))).toBe(hex)
  expect(family.unpack(id)).toEqual(globalFields(native))
  expect(packGlobal(native, family)).toBe(text)
}

function checkRefusedBytes(hex: string): void {
  expectRefusal(() => uid.encode(bytesOf(hex)), 'INVALID_LENGTH')
  expectRefusal(() => uidLocal.encode(bytesOf(hex)), 'INVALID_LENGTH')
}

/** Bare bytes of an id's size, in the family that has this size. */
function checkBareBytes(hex: string, text: string): void {
  const family = hex.length === 16 ? uidLocal : uid
  expect(family.encode(bytesOf(hex))).toBe(text)
  expect(hexOf(family.decode(text))).toBe(hex)
}

interface Measured {
  readonly a: NativeUid
  readonly b: NativeUid
  readonly result: NativeUid | null
}

const microSeconds = ([megaSeconds, seconds, rest]: NativeUid['t']): bigint =>
  (BigInt(megaSeconds) * 1_000_000n + BigInt(seconds)) * 1_000_000n + BigInt(rest)

const lost = ({ t }: NativeUid): bigint => BigInt(t[2] - cut(t[2]))

/** The recorded distance, less what the two ids lose when their microseconds are cut. */
function expectedDistance({ a, b, result }: { a: NativeUid; b: NativeUid; result: NativeUid }): UidDistance {
  const delta = microSeconds(result.t) - lost(a) + lost(b)
  return {
    megaSeconds: Number(delta / 1_000_000_000_000n),
    seconds: Number((delta / 1_000_000n) % 1_000_000n),
    microSeconds: Number(delta % 1_000_000n),
    sequence: result.seq,
  }
}

interface Sorted {
  readonly input: string[]
  readonly sorted: string[]
  readonly sortedText: string[]
}

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

interface Stamped {
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

/** The ids of a recorded clock, the first of which a generator made. */
function withOurSequence([made, ...rest]: readonly NativeUid[]): UidId[] {
  return [
    uid.pack({ ...globalFields(made as NativeUid), sequence: 0 }),
    ...rest.map((native) => packGlobal(native)),
  ]
}

/** Packs a native tuple as it is, microseconds and all. */
function packerOf(native: NativeUid): () => unknown {
  const fields: UidLocalFields = unalignedFields(native)
  return native.nodeHex === undefined
    ? () => uidLocal.pack(fields)
    : () => uid.pack({ ...fields, node: nodeOf(native) })
}

interface OddText {
  readonly text: string
}

/** Every deliberate difference from the reference. */
const QUIRKS: readonly Quirk[] = [
  {
    kinds: ['encodeOdd'],
    tag: 'interval-range',
    reason: 'The reference never returns for a neighbourhood outside 5 to 10.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ I }: OddEncoding) => [() => uid.withNeighbourhood(I)],
  },
  {
    kinds: ['decodeOdd'],
    tag: 'interval-range',
    when: ({ I }: OddEncoding) => I < 5 || I > 10,
    reason: 'The reference decodes to other fields with a neighbourhood that it cannot encode with.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ I }: OddEncoding) => [() => uid.withNeighbourhood(I)],
  },
  {
    kinds: ['encodeOdd'],
    tag: 'node-width',
    reason:
      'A node of another width than 4 bytes shifts or cuts what follows it. Here it is a number of 32 bits.',
    refused: 'INVALID_TYPE',
    attempts: ({ uid: native }: OddEncoding) => [
      () => uid.pack({ ...unalignedFields(native), node: bytesOf(native.nodeHex as string) as never }),
      () => uid.fingerprint(bytesOf(native.nodeHex as string) as never),
    ],
  },
  {
    kinds: ['encodeOdd'],
    when: ({ tag }: Vector) =>
      tag === 'oversized-fields-keep-low-bits' || tag === 'negative-fields-two-complement',
    reason: 'The reference cuts numbers that do not fit to their low bits.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ uid: native }: OddEncoding) => [packerOf(native)],
  },
  {
    kinds: ['time'],
    when: ({ input: { t } }: { input: NativeUid }) => t.some((part) => part < 0),
    reason: 'A time below zero is part of a distance, not of an id.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ input }: { input: NativeUid }) => [packerOf(input)],
  },
  {
    kinds: ['local', 'global'],
    when: ({ C }: { C: number }) => C % 1024 !== 0,
    reason:
      'An id keeps steps of 1024 µs. The reference drops the rest silently when it encodes; pack refuses it.',
    restHolds: true,
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({
      A,
      B,
      C,
      seq,
      nodeHex,
    }: {
      A: number
      B: number
      C: number
      seq: number
      nodeHex?: string
    }) => [packerOf({ t: [A, B, C], seq, ...(nodeHex === undefined ? {} : { nodeHex }) })],
  },
  {
    kinds: ['time', 'toGlobal', 'toLocal', 'gtol'],
    when: ({ input }: { input: NativeUid }) => !isAligned(input),
    reason:
      'No id has these microseconds, only a tuple that was never encoded. The rest is checked one step down.',
    restHolds: true,
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ input }: { input: NativeUid }) => [packerOf(input)],
  },
  {
    kinds: ['distance'],
    when: ({ a, b }: { a: NativeUid; b: NativeUid }) => !isAligned(a) || !isAligned(b),
    reason:
      'The same; the distance of the two aligned ids follows from the recorded one by exact arithmetic.',
    restHolds: true,
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ a, b }: { a: NativeUid; b: NativeUid }) =>
      [a, b].filter((native) => !isAligned(native)).map(packerOf),
  },
  {
    kinds: ['nodeHash'],
    when: ({ node }: { node: string }) => node === '',
    reason: 'An empty name is what an unset variable gives, and would be one node for all hosts.',
    refused: 'INVALID_OPTION',
    attempts: () => [() => uid.fingerprint('')],
  },
  {
    kinds: ['decode64Odd'],
    tag: 'local-last-character-low-bits-ignored',
    reason: 'The reference ignores the lower 2 bits of the last character, which gives an id four texts.',
    refused: 'NOT_CANONICAL',
    attempts: ({ text }: OddText) => [() => uidLocal.decode(text), () => uidLocal.parse(text)],
  },
  {
    kinds: ['decode64Odd'],
    tag: 'seventeen-characters-drop-the-last',
    reason: 'The reference drops a seventeenth character.',
    refused: 'INVALID_LENGTH',
    attempts: ({ text }: OddText) => [() => uid.decode(text), () => uidLocal.decode(text)],
  },
  {
    kinds: ['b64'],
    when: ({ hex }: { hex: string }) => hex.length !== 16 && hex.length !== 24,
    reason: 'Bytes of any number are no id.',
    refused: 'INVALID_LENGTH',
    attempts: ({ hex, text }: { hex: string; text: string }) => [
      () => uid.encode(bytesOf(hex)),
      () => uidLocal.encode(bytesOf(hex)),
      () => uid.decode(text),
      () => uidLocal.decode(text),
    ],
  },
  {
    kinds: ['b64decode'],
    when: ({ text }: OddText) => text.length !== 11 && text.length !== 16,
    reason: 'Texts of any length are no id. The reference cuts off the bits that fill no byte.',
    refused: 'INVALID_LENGTH',
    attempts: ({ text }: OddText) => [() => uid.decode(text), () => uidLocal.decode(text)],
  },
  {
    kinds: ['sortTerms'],
    reason:
      'Tuples that were never encoded sort by node name first. Ids have one order, that of their texts.',
    instead: ({ input }: { input: readonly NativeUid[] }) => {
      const ids = input.map((native) => packGlobal(native)).sort(uid.compare)
      const sorted = input
        .map((native) => packGlobal(native))
        .map((id) => hexOf(uid.decode(id)))
        .sort()
      expect(ids.map((id) => hexOf(uid.decode(id)))).toEqual(sorted)
    },
  },
]

checkVectors(
  'uid',
  {
    local({ A, B, C, seq, hex, text, decoded, timeMs }: Encoded) {
      checkLocal(hex, text, decoded)
      expect(packLocal({ t: [A, B, C], seq })).toBe(text)
      expect(uidLocal.time(uidLocal.parse(text))).toEqual(new Date(timeAfterCut(timeMs, C)))
    },
    global({
      A,
      B,
      C,
      seq,
      nodeHex,
      I,
      hex,
      text,
      decoded,
      timeMs,
    }: Encoded & { nodeHex: string; I: number }) {
      checkGlobal(I, hex, text, decoded)
      const family = uid.withNeighbourhood(I)
      expect(packGlobal({ t: [A, B, C], seq, nodeHex }, family)).toBe(text)
      expect(family.time(family.parse(text))).toEqual(new Date(timeAfterCut(timeMs, C)))
    },
    time({ input, timeMs }: { input: NativeUid; timeMs: number }) {
      const expected = timeAfterCut(timeMs, input.t[2])
      if (input.nodeHex === undefined) expect(uidLocal.timeMs(packLocal(input))).toBe(expected)
      else expect(uid.timeMs(packGlobal(input))).toBe(expected)
    },
    nodeHash({ node, hash, nodeHex }: { node: string; hash: number; nodeHex: string }) {
      expect(uid.fingerprint(node)).toBe(hash)
      expect(uid.fingerprint(hash)).toBe(hash)
      expect(hash.toString(16).padStart(8, '0')).toBe(nodeHex)
    },
    decodeOnNode({ I, hex, text, result }: Required<Decoded>) {
      checkGlobal(I, hex, text, result as NativeUid)
      const name = result?.node
      if (typeof name === 'string') expect(uid.fingerprint(name)).toBe(globalFields(result as NativeUid).node)
    },
    encodeOdd({ uid: native, result }: { uid: NativeUid; result: string }) {
      expect(hexOf(uidLocal.decode(packLocal(native)))).toBe(result)
    },
    decodeOdd({ I, hex, result }: Decoded) {
      if (result === null) checkRefusedBytes(hex)
      else if (result.nodeHex === undefined) checkLocal(hex, uidLocal.encode(bytesOf(hex)), result)
      else checkGlobal(I, hex, uid.encode(bytesOf(hex)), result)
    },
    decode64Odd({
      I,
      tag,
      text,
      result,
    }: {
      I: number
      tag: string
      text: string
      result: NativeUid | null
    }) {
      if (result !== null) {
        checkGlobal(I, hexOf(uid.decode(text)), text, result)
      } else if (tag === 'alphabet') {
        expectRefusal(() => uid.decode(asBytes(text)), 'INVALID_CHARACTER')
      } else {
        expectRefusal(() => uid.decode(text), 'INVALID_LENGTH')
        expectRefusal(() => uidLocal.decode(text), 'INVALID_LENGTH')
      }
    },
    b64: ({ hex, text }: { hex: string; text: string }) => checkBareBytes(hex, text),
    b64decode: ({ text, result }: { text: string; result: string }) => checkBareBytes(result, text),

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

    sortLocal({ input, sorted, sortedText }: Sorted) {
      const ids = input.map((hex) => uidLocal.encode(bytesOf(hex)))
      expect([...ids].sort(uidLocal.compare)).toEqual(sortedText)
      expect([...ids].sort()).toEqual(sortedText)
      expect(sortedText.map((text) => hexOf(uidLocal.decode(text)))).toEqual(sorted)
    },
    sortGlobal({
      I,
      input,
      sorted,
      sortedText,
      sortedUids,
    }: Sorted & { I: number; sortedUids: NativeUid[] }) {
      const family = uid.withNeighbourhood(I)
      const ids = input.map((hex) => family.encode(bytesOf(hex)))
      expect([...ids].sort(family.compare)).toEqual(sortedText)
      expect([...ids].sort()).toEqual(sortedText)
      expect(sortedText.map((text) => hexOf(family.decode(text)))).toEqual(sorted)
      expect(sortedText.map((text) => family.unpack(family.parse(text)))).toEqual(
        sortedUids.map(globalFields),
      )
    },
    sortTerms: allQuirks,

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

    // The reference's sequence is a counter of the whole virtual machine, mod 16384; ours starts at 0 in each step.
    generate({ localNode, timestamp, ...recorded }: Generated) {
      const clock = clockAt(timestamp)
      const global = uid.generator({ node: localNode, clock }).generate()
      expect(uid.unpack(global)).toEqual({ ...globalFields(recorded.global), sequence: 0 })
      const sameGlobal = uid.pack({ ...uid.unpack(global), sequence: recorded.global.seq })
      expect(hexOf(uid.decode(sameGlobal))).toBe(recorded.globalHex)
      const local = uidLocal.generator({ clock }).generate()
      expect(uidLocal.unpack(local)).toEqual({ ...localFields(recorded.local), sequence: 0 })
      const sameLocal = uidLocal.pack({ ...uidLocal.unpack(local), sequence: recorded.local.seq })
      expect(hexOf(uidLocal.decode(sameLocal))).toBe(recorded.localHex)
    },
    vclockTick({ localNode, timestamp, input, result }: Ticked) {
      const generator = uid.generator({ node: localNode, clock: clockAt(timestamp) })
      const before = input.map((native) => packGlobal(native))
      expect(uid.vclock.tick(before, generator)).toEqual(withOurSequence(result))
    },
    vclockNew({ localNode, timestamp, result }: Ticked) {
      const generator = uid.generator({ node: localNode, clock: clockAt(timestamp) })
      expect(uid.vclock.create(generator)).toEqual(withOurSequence(result))
    },
  },
  QUIRKS,
)

// Erlang's phash2 of an atom is the ELF hash of its bytes: Latin-1 where one byte does, else UTF-8.
test.each(['\u00ff', '\u0100', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}'])(
  'the fingerprint of a name with %j',
  (name) => {
    const point = name.codePointAt(0) as number
    let hash = 0n
    for (const byte of point < 0x100 ? [point] : new TextEncoder().encode(name)) {
      hash = ((hash << 4n) + BigInt(byte)) & 0xffff_ffffn
      const top = hash & 0xf000_0000n
      hash ^= (top >> 24n) ^ top
    }
    expect(uid.fingerprint(name)).toBe(Number(hash))
  },
)
