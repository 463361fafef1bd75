import { describeItsFeatures } from './features.js'

await describeItsFeatures({ isWhole: true })
