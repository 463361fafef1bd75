import { describeItsMatrix } from './matrix.js'

await describeItsMatrix({ isWhole: true })
