import { postgres } from '@snoflax/test'
import { servers } from './installed.js'
import { uuid7Checks } from './uuid7-checks.js'

uuid7Checks(servers.filter((kind) => kind !== postgres))
