import { controlOf } from '../control.js'
import * as parts from './codecs.js'

/** For `extensions` in `prisma.config.ts`. */
export default controlOf({ targetId: 'sqlite', ...parts })
