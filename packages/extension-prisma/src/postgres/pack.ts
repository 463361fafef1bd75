import { fieldsOf } from '../fields.js'
import { packOf } from '../pack.js'
import type { CodecTypes } from '../types.js'
import * as parts from './codecs.js'

const pack = packOf({ targetId: 'postgres', ...parts })

/** For `extensions` of a contract in TypeScript. */
export default pack as typeof pack & { readonly __codecTypes?: CodecTypes }

/**
 * Fields of a contract in TypeScript: `field.column(idColumn('Flax', { prefix: 'cus' }))` for references, and
 * `field.generated(generatedId('Flax', { prefix: 'cus' })).id()` for keys.
 */
export const { idColumn, generatedId } = fieldsOf({ targetId: 'postgres', ...parts })
