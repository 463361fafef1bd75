import { describeOwnFamilies } from './own-families.js'

await describeOwnFamilies({ isWhole: true })
