import { packsOf } from '../fields.js'
import { partsOf } from './codecs.js'

const { pack, ...fields } = packsOf(partsOf)

/** For `extensions` of a contract in TypeScript. */
export default pack

export const { idColumn, generatedId, withFamilies } = fields
