import { postgres } from '@snoflax/test'
import { servers } from './installed.js'
import { CASES } from './random.js'
import { crossChecks } from './random-checks.js'

crossChecks(
  CASES / 2,
  servers.filter((kind) => kind === postgres),
)
