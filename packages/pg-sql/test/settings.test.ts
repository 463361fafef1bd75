import { checkSettings } from './settings-checks.js'

checkSettings(['standard_conforming_strings'], 1)
