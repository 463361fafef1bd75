// Runs a script in a bare JavaScript context, with the globals of every browser and none of Node.
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'

const { atob, console, crypto, performance, setTimeout, TextDecoder, TextEncoder, URL } = globalThis
const window = createContext({ atob, console, crypto, performance, setTimeout, TextDecoder, TextEncoder, URL })
window.window = window.self = window
runInContext(readFileSync(process.argv[2], 'utf8'), window)
