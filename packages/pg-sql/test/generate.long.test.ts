import { pglite } from '@snoflax/test'
import { generateChecks } from './generate-checks.js'

generateChecks([pglite])
