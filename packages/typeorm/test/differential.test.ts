import { compareOn, differentialPlaces } from './differential.js'
import { VERSION } from './version.js'

const TESTED = ['text', 'binary', 'accepting']
// The other storages and databases are for the matrix, and for differential.long.test.ts.
compareOn(
  differentialPlaces.filter(
    ({ kind, storage }) => VERSION !== '' || (kind.name === 'sqlite' && TESTED.includes(storage)),
  ),
  { numRuns: 12 },
)
