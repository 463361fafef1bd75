import { withIdsOf } from '../runtime.js'
import * as parts from './codecs.js'

export type { Generators, IdOptions } from '../runtime.js'

export const withIds = withIdsOf({ targetId: 'postgres', ...parts })
