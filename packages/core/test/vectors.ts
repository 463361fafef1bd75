import { readFileSync } from 'node:fs'

export const VECTOR_FILES = ['flax', 'sno', 'flake', 'uid'] as const
export type VectorFile = (typeof VECTOR_FILES)[number]

/** What every recorded vector has. The other members depend on its kind; `fields` in the file explains them. */
export interface Vector {
  readonly v: string
  readonly kind: string
  readonly tag?: string
}

/** Which tests check which kinds. vectors/coverage.test.ts asserts that nothing is left over or claimed twice. */
export const CLAIMS = {
  flaxCodec: {
    file: 'flax',
    kinds: [
      'encode',
      'base64',
      'intSeconds',
      'floatSeconds',
      'falsyTimestamp',
      'overflow',
      'beforeEpoch',
      'sort',
      'regex',
    ],
  },
  snoCodec: {
    file: 'sno',
    kinds: ['id', 'badText', 'badChars', 'badBytes', 'sort', 'compare', 'partition'],
  },
  snoConversions: { file: 'sno', kinds: ['marshal', 'unmarshalJSON', 'scan'] },
  flakeCodec: { file: 'flake', kinds: ['id', 'format', 'sort'] },
  uidCodec: {
    file: 'uid',
    kinds: [
      'local',
      'global',
      'time',
      'nodeHash',
      'decodeOnNode',
      'encodeOdd',
      'decodeOdd',
      'decode64Odd',
      'b64',
      'b64decode',
    ],
  },
  uidConversions: { file: 'uid', kinds: ['toGlobal', 'toLocal', 'gtol', 'distance'] },
  uidOrder: { file: 'uid', kinds: ['sortLocal', 'sortGlobal', 'sortTerms'] },
  uidVectorClocks: {
    file: 'uid',
    kinds: ['vclockJoin', 'vclockDescend', 'vclockDescendExcept', 'vclockDiff'],
  },
  snoGenerators: { file: 'sno', kinds: ['generator', 'newWithTime', 'snapshot'] },
  flakeGenerators: { file: 'flake', kinds: ['script', 'fullMillisecond', 'callbackScript', 'options'] },
  uidGenerators: { file: 'uid', kinds: ['generate', 'vclockTick', 'vclockNew'] },
} as const satisfies Record<string, { readonly file: VectorFile; readonly kinds: readonly string[] }>

export type ClaimName = keyof typeof CLAIMS

/** All vectors of a file, or those of one kind, in the file's order. */
export function vectorsOf<V extends Vector = Vector>(file: VectorFile, kind?: string): V[] {
  const url = new URL(`../../../spec/vectors/${file}.json`, import.meta.url)
  const { vectors } = JSON.parse(readFileSync(url, 'utf8')) as { vectors: V[] }
  return kind === undefined ? vectors : vectors.filter((vector) => vector.kind === kind)
}
