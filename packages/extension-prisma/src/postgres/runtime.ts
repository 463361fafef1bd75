import { withIdsOf } from '../runtime.js'
import { partsOf } from './codecs.js'

export type { Generators, IdOptions } from '../runtime.js'

export const withIds = withIdsOf(partsOf)
