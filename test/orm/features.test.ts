import { describeItsFeatures } from './features.js'

await describeItsFeatures()
