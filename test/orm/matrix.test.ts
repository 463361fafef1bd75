import { describeItsMatrix } from './matrix.js'

await describeItsMatrix()
