import { pglite } from '@snoflax/test'
import { uuid7Checks } from './uuid7-checks.js'

uuid7Checks([pglite])
