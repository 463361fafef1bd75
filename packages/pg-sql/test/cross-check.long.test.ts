import { servers } from './installed.js'
import { CASES } from './random.js'
import { crossChecks } from './random-checks.js'

crossChecks(5 * CASES, servers)
