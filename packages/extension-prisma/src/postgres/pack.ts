import type { IdFamily } from '@snoflax/core'
import { fieldsOf } from '../fields.js'
import { packOf } from '../pack.js'
import type { CodecTypes } from '../types.js'
import { partsOf } from './codecs.js'

const pack = packOf(partsOf())

type TypedPack = typeof pack & { readonly __codecTypes?: CodecTypes }

/** For `extensions` of a contract in TypeScript. */
export default pack as TypedPack

/**
 * Fields of a contract in TypeScript: `field.column(idColumn('Flax', { prefix: 'cus' }))` for references, and
 * `field.generated(generatedId('Flax', { prefix: 'cus' })).id()` for keys.
 */
export const { idColumn, generatedId } = fieldsOf(partsOf())

/**
 * The same with families of your own.
 *
 * @example
 * const { pack: snoflax, idColumn, generatedId } = withFamilies([ksuid])
 * field.generated(generatedId('Ksuid')).id()
 */
export function withFamilies(families: readonly IdFamily[]) {
  const parts = partsOf(families)
  return { pack: packOf(parts) as TypedPack, ...fieldsOf(parts) }
}
