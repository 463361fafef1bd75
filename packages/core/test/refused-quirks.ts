import type { IdErrorCode } from '@snoflax/core'
import { flax, sno, storageFor } from '@snoflax/core'
import { type UidLocalFields, uid, uidLocal } from '@snoflax/families'
import { expect } from 'vitest'
import { bytesOf, hexOf, latin1 } from './bytes.js'
import { isAligned, type NativeUid, nodeOf, packGlobal, unalignedFields } from './uid-natives.js'
import type { Vector, VectorFile } from './vectors.js'

interface QuirkBase {
  readonly file: VectorFile
  readonly kinds: readonly string[]
  readonly tag?: string
  /** Which vectors of these kinds; all if left out. */
  readonly when?: (vector: never) => boolean
  /** Why ours does not do as the reference does. */
  readonly reason: string
  /** True if the kind's ordinary check holds besides. */
  readonly restHolds?: boolean
}

/** Something that a reference does and ours refuses. */
interface RefusedQuirk extends QuirkBase {
  readonly refused: IdErrorCode
  readonly position?: (vector: never) => number
  readonly attempts: (vector: never) => readonly (() => unknown)[]
}

/** Something that ours answers in a way of its own. */
interface ChangedQuirk extends QuirkBase {
  readonly instead: (vector: never) => void
}

type AnyVector<Q> = {
  [Key in keyof Q]: Q[Key] extends ((vector: never) => infer R) | undefined ? (vector: Vector) => R : Q[Key]
}
/** An entry of the table, once it is known to fit the vector. */
export type Quirk = AnyVector<RefusedQuirk> | AnyVector<ChangedQuirk>

interface FlaxTime {
  readonly timestampMs: number
  readonly randomHex: string
}
interface BadChars {
  readonly textHex: string
  readonly invalidAt: readonly number[]
}
interface JsonDocument {
  readonly json: string
  readonly canonical: boolean
  readonly error: unknown
}
interface Scan {
  readonly input: { readonly type: string; readonly value?: unknown }
}
interface Odd {
  readonly I: number
  readonly uid: NativeUid
}
interface OddText {
  readonly text: string
}

/** Every deliberate difference from the references that their vectors show. */
const QUIRKS: readonly (RefusedQuirk | ChangedQuirk)[] = [
  {
    file: 'flax',
    kinds: ['overflow', 'beforeEpoch'],
    reason: 'The reference writes a text that has lost time or order for moments that 40 bits cannot hold.',
    refused: 'TIME_OUT_OF_RANGE',
    attempts: ({ timestampMs, randomHex }: FlaxTime) => [
      () => flax.pack({ timeMs: timestampMs, random: bytesOf(randomHex) }),
      () => flax.generateAt(timestampMs),
      () => flax.generator().generateAt(new Date(timestampMs)),
    ],
  },
  {
    file: 'flax',
    kinds: ['falsyTimestamp'],
    when: ({ argument }: { argument: string }) => Number.parseFloat(argument) === 0,
    reason:
      'A time of 0 means now in the reference. Here it is the Unix epoch, which is before that of flax.',
    restHolds: true,
    refused: 'TIME_OUT_OF_RANGE',
    attempts: ({ argument }: { argument: string }) => [() => flax.generateAt(Number(argument))],
  },
  {
    file: 'flax',
    kinds: ['falsyTimestamp'],
    when: ({ argument }: { argument: string }) => Number.isNaN(Number.parseFloat(argument)),
    reason: 'None and False mean now in the reference. Here they are no times.',
    restHolds: true,
    refused: 'INVALID_TYPE',
    attempts: ({ argument }: { argument: string }) => [() => flax.generateAt(JSON.parse(argument))],
  },
  {
    file: 'sno',
    kinds: ['badChars'],
    reason: 'The reference decodes any 16 bytes, to an id that depends on the processor.',
    refused: 'INVALID_CHARACTER',
    position: ({ invalidAt }: BadChars) => invalidAt[0] as number,
    attempts: ({ textHex }: BadChars) => [
      () => sno.decode(latin1(textHex)),
      () => sno.parse(latin1(textHex)),
      () => storageFor(sno, 'postgres', { storage: 'text' }).fromDatabase(latin1(textHex)),
    ],
  },
  {
    file: 'sno',
    kinds: ['unmarshalJSON'],
    when: ({ json, canonical, error }: JsonDocument) =>
      !canonical && error === null && typeof JSON.parse(json) === 'number',
    reason:
      'The reference looks at the length of a JSON document only and takes an 18-digit number as an id.',
    refused: 'INVALID_TYPE',
    attempts: ({ json }: JsonDocument) => [() => sno.fromJson(JSON.parse(json))],
  },
  {
    file: 'sno',
    kinds: ['unmarshalJSON'],
    when: ({ json, canonical, error }: JsonDocument) =>
      !canonical && error === null && typeof JSON.parse(json) === 'string',
    reason: 'Upper case is foreign: an id has one text.',
    refused: 'INVALID_CHARACTER',
    attempts: ({ json }: JsonDocument) => [() => sno.fromJson(JSON.parse(json))],
  },
  {
    file: 'sno',
    kinds: ['scan'],
    when: ({ input }: Scan) => input.type === 'nil',
    reason: 'The reference reads a database null as the zero id. A missing value should not become an id.',
    instead: () => expect(storageFor(sno, 'postgres').fromDatabase(null)).toBe(null),
  },
  {
    file: 'sno',
    kinds: ['scan'],
    when: ({ input }: Scan) => input.type === 'sno.ID' || input.type === '[10]byte',
    reason: 'The reference refuses its own array types. In JavaScript ten bytes are one type, which is read.',
    instead: ({ input }: Scan) => {
      const bytes = bytesOf(input.value as string)
      expect(hexOf(sno.decode(storageFor(sno, 'postgres').fromDatabase(bytes)))).toBe(input.value)
    },
  },
  {
    file: 'uid',
    kinds: ['encodeOdd'],
    tag: 'interval-range',
    reason: 'The reference never returns for a neighbourhood outside 5 to 10.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ I }: Odd) => [() => uid.withNeighbourhood(I)],
  },
  {
    file: 'uid',
    kinds: ['decodeOdd'],
    tag: 'interval-range',
    when: ({ I }: Odd) => I < 5 || I > 10,
    reason: 'The reference decodes to other fields with a neighbourhood that it cannot encode with.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ I }: Odd) => [() => uid.withNeighbourhood(I)],
  },
  {
    file: 'uid',
    kinds: ['encodeOdd'],
    tag: 'node-width',
    reason:
      'A node of another width than 4 bytes shifts or cuts what follows it. Here it is a number of 32 bits.',
    refused: 'INVALID_TYPE',
    attempts: ({ uid: native }: Odd) => [
      () => uid.pack({ ...unalignedFields(native), node: bytesOf(native.nodeHex as string) as never }),
      () => uid.fingerprint(bytesOf(native.nodeHex as string) as never),
    ],
  },
  {
    file: 'uid',
    kinds: ['encodeOdd'],
    when: ({ tag }: Vector) =>
      tag === 'oversized-fields-keep-low-bits' || tag === 'negative-fields-two-complement',
    reason: 'The reference cuts numbers that do not fit to their low bits.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ uid: native }: Odd) => [packerOf(native)],
  },
  {
    file: 'uid',
    kinds: ['time'],
    when: ({ input: { t } }: { input: NativeUid }) => t.some((part) => part < 0),
    reason: 'A time below zero is part of a distance, not of an id.',
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ input }: { input: NativeUid }) => [packerOf(input)],
  },
  {
    file: 'uid',
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
    file: 'uid',
    kinds: ['time', 'toGlobal', 'toLocal', 'gtol'],
    when: ({ input }: { input: NativeUid }) => !isAligned(input),
    reason:
      'No id has these microseconds, only a tuple that was never encoded. The rest is checked one step down.',
    restHolds: true,
    refused: 'FIELD_OUT_OF_RANGE',
    attempts: ({ input }: { input: NativeUid }) => [packerOf(input)],
  },
  {
    file: 'uid',
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
    file: 'uid',
    kinds: ['nodeHash'],
    when: ({ node }: { node: string }) => node === '',
    reason: 'An empty name is what an unset variable gives, and would be one node for all hosts.',
    refused: 'INVALID_OPTION',
    attempts: () => [() => uid.fingerprint('')],
  },
  {
    file: 'uid',
    kinds: ['decode64Odd'],
    tag: 'local-last-character-low-bits-ignored',
    reason: 'The reference ignores the lower 2 bits of the last character, which gives an id four texts.',
    refused: 'NOT_CANONICAL',
    attempts: ({ text }: OddText) => [() => uidLocal.decode(text), () => uidLocal.parse(text)],
  },
  {
    file: 'uid',
    kinds: ['decode64Odd'],
    tag: 'seventeen-characters-drop-the-last',
    reason: 'The reference drops a seventeenth character.',
    refused: 'INVALID_LENGTH',
    attempts: ({ text }: OddText) => [() => uid.decode(text), () => uidLocal.decode(text)],
  },
  {
    file: 'uid',
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
    file: 'uid',
    kinds: ['b64decode'],
    when: ({ text }: OddText) => text.length !== 11 && text.length !== 16,
    reason: 'Texts of any length are no id. The reference cuts off the bits that fill no byte.',
    refused: 'INVALID_LENGTH',
    attempts: ({ text }: OddText) => [() => uid.decode(text), () => uidLocal.decode(text)],
  },
  {
    file: 'uid',
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

/** Packs a native tuple as it is, microseconds and all. */
function packerOf(native: NativeUid): () => unknown {
  const fields: UidLocalFields = unalignedFields(native)
  return native.nodeHex === undefined
    ? () => uidLocal.pack(fields)
    : () => uid.pack({ ...fields, node: nodeOf(native) })
}

function fits(quirk: RefusedQuirk | ChangedQuirk, file: VectorFile, vector: Vector): boolean {
  return (
    quirk.file === file &&
    quirk.kinds.includes(vector.kind) &&
    (quirk.tag === undefined || quirk.tag === vector.tag) &&
    ((quirk as Quirk).when?.(vector) ?? true)
  )
}

/** The quirk that a vector shows, if it does. */
export function quirkOf(file: VectorFile, vector: Vector): Quirk | undefined {
  return QUIRKS.find((quirk) => fits(quirk, file, vector)) as Quirk | undefined
}

/** All entries, for those who count. */
export const REFUSED_QUIRKS = QUIRKS as readonly Quirk[]
