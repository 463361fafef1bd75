import { controlOf } from '../control.js'
import * as parts from './codecs.js'
import { contractSpace, spaceVersions } from './space.js'

/** For `extensions` in `prisma.config.ts`. */
export default {
  ...controlOf({ targetId: 'postgres', ...parts }),
  // The SQL that text columns and `flaxDb()` need, and that ranges of time in SQL of your own may use.
  contractSpace: contractSpace(spaceVersions()),
}
