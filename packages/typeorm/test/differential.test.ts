import { compareOn } from './differential.js'
import { flaxPlaces } from './sources.js'
import { VERSION } from './version.js'

// The other storages and databases are for the matrix, and for differential.long.test.ts.
compareOn(
  flaxPlaces.filter(
    ({ kind, storage }) => VERSION !== '' || (kind.name === 'sqlite' && ['text', 'binary'].includes(storage)),
  ),
  { numRuns: 12 },
)
