import { postgres } from '@snoflax/test'
import { generateChecks } from './generate-checks.js'
import { servers } from './installed.js'

generateChecks(servers.filter((kind) => kind !== postgres))
