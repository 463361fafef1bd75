import type { CodecTypes as IdCodecTypes } from '../types.js'

export type { QueryOperationTypes } from '../types.js'

/** What the columns hold, for `contract.d.ts`, and what conditions give, for which SQLite has no codec of Prisma's. */
export type CodecTypes = IdCodecTypes & {
  readonly 'pg/bool@1': { readonly input: boolean; readonly output: boolean; readonly traits: 'boolean' }
}
