import type { IdStorage } from '@snoflax/core'
import type { ValueTransformer } from 'typeorm'
import { placed } from '../placed.js'

/** Ids ⇄ database values of one column. Errors say which. TypeORM calls it twice at times, which changes nothing. */
export class IdTransformer implements ValueTransformer {
  constructor(
    readonly storage: IdStorage<string>,
    /** Entity and property. */
    readonly place: string,
  ) {}

  to(value: unknown): unknown {
    // A function stands for SQL, a list is the value of `Any`, and undefined asks for the column's default.
    if (value === undefined || typeof value === 'function') return value
    if (Array.isArray(value)) return value.map((one) => this.to(one))
    return placed(this.place, () => this.storage.toDatabase(value))
  }

  from(value: unknown): unknown {
    if (value === undefined) return undefined
    return placed(this.place, () => this.storage.fromDatabase(revived(value)))
  }
}

/** TypeORM caches results as JSON, in which a Buffer is `{ type: 'Buffer', data: […] }`. */
function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { type, data } = value as { readonly type?: unknown; readonly data?: unknown }
  return type === 'Buffer' && Array.isArray(data) ? Uint8Array.from(data as number[]) : value
}
