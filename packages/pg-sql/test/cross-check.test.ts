import { CASES } from './random.js'
import { crossChecks } from './random-checks.js'

crossChecks(CASES)
