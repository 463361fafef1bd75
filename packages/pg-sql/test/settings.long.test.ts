import { checkSettings, SETTINGS } from './settings-checks.js'

checkSettings(Object.keys(SETTINGS), 4)
