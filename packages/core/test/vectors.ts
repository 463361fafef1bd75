import { readFileSync } from 'node:fs'

export const VECTOR_FILES = ['flax', 'sno', 'flake', 'uid'] as const
export type VectorFile = (typeof VECTOR_FILES)[number]

/** What every recorded vector has. The other members depend on its kind; `fields` in the file explains them. */
export interface Vector {
  readonly v: string
  readonly kind: string
  readonly tag?: string
}

/** All vectors of a file, or those of one kind, in the file's order. */
export function vectorsOf<V extends Vector = Vector>(file: VectorFile, kind?: string): V[] {
  const url = new URL(`../../../spec/vectors/${file}.json`, import.meta.url)
  const { vectors } = JSON.parse(readFileSync(url, 'utf8')) as { vectors: V[] }
  return kind === undefined ? vectors : vectors.filter((vector) => vector.kind === kind)
}
