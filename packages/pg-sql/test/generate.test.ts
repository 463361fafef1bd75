import { postgres } from '@snoflax/test'
import { generateChecks } from './generate-checks.js'

generateChecks([postgres])
