import { readFileSync } from 'node:fs'
import type { StorageName } from '@snoflax/core'

// What `spec/cases` lists, for the tests of TypeScript and of SQL.

/** A file of spec/, parsed. */
export const specification = <Content>(path: string): Content =>
  JSON.parse(readFileSync(new URL(`../../../spec/${path}.json`, import.meta.url), 'utf8'))

export interface KnownId {
  readonly name?: string
  readonly text: string
  readonly hex: string
  readonly fields?: object
  readonly timeMs?: number
}

export interface Invalid {
  readonly name?: string
  readonly operation: string
  readonly input?: unknown
  readonly code: string
  readonly position?: number
  readonly skip?: readonly string[]
}

/** Unix milliseconds; infinities are spelt. */
export type Moment = number | 'Infinity' | '-Infinity'

export interface Bound {
  readonly timeMs: Moment
  readonly hex: string
  readonly text: string
}

interface Range {
  readonly fromMs: Moment
  readonly toMs: Moment
  readonly gte: string
  readonly lt: string
}

export interface HexForm {
  readonly text: string
  readonly hex: string
  readonly accepted: readonly string[]
}

export interface FamilyCases {
  readonly family?: string
  readonly options?: { readonly epoch?: number; readonly neighbourhood?: number }
  readonly valid: readonly KnownId[]
  readonly invalid: readonly Invalid[]
  readonly lowerBound: readonly Bound[]
  readonly upperBound: readonly Bound[]
  readonly range: readonly Range[]
  readonly variants?: readonly FamilyCases[]
  readonly hexForms?: readonly HexForm[]
  readonly hexRefused?: readonly {
    readonly input: string
    readonly code: string
    readonly position?: number
  }[]
  readonly bigintRefused?: readonly { readonly input: string; readonly code: string }[]
}

interface StoredId {
  readonly family: string
  readonly storage: StorageName
  readonly databases: readonly string[]
  readonly id: string
  readonly value: string
}

export interface StorageCases {
  readonly valid: readonly StoredId[]
  readonly invalid: readonly (Invalid & Omit<StoredId, 'id' | 'value'>)[]
}
