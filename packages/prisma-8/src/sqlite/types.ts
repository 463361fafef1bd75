import type { CodecTypes as IdCodecTypes } from '../types.js'

export type { QueryOperationTypes } from '../types.js'

/** Types for `contract.d.ts`: of the columns' values, and of conditions, for which Prisma's SQLite package has no codec. */
export type CodecTypes = IdCodecTypes & {
  readonly 'pg/bool@1': { readonly input: boolean; readonly output: boolean; readonly traits: 'boolean' }
}
