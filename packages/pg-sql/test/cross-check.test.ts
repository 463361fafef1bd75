import { postgres } from '@snoflax/test'
import { CASES } from './random.js'
import { crossChecks } from './random-checks.js'

crossChecks(CASES / 2, [postgres])
