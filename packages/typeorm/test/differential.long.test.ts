import { compareOn, differentialPlaces } from './differential.js'

const HALF_A_MINUTE = { numRuns: Number.POSITIVE_INFINITY, interruptAfterTimeLimit: 30_000 }
compareOn(differentialPlaces, process.env['SNOFLAX_SEED'] ? HALF_A_MINUTE : { numRuns: 30 })
