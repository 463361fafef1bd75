import { packOf } from '../pack.js'
import type { CodecTypes } from '../types.js'
import * as parts from './codecs.js'

const pack = packOf({ targetId: 'sqlite', ...parts })

/** For `extensions` of a contract in TypeScript. */
export default pack as typeof pack & { readonly __codecTypes?: CodecTypes }
