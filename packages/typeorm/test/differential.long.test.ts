import { compareOn, differentialPlaces } from './differential.js'

compareOn(differentialPlaces, { numRuns: Number.POSITIVE_INFINITY, interruptAfterTimeLimit: 20_000 })
