import { compareOn } from './differential.js'
import { flaxPlaces } from './sources.js'

compareOn(flaxPlaces, { numRuns: Number.POSITIVE_INFINITY, interruptAfterTimeLimit: 20_000 })
