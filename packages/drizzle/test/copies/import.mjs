import * as ours from '@snoflax/drizzle/sqlite-core'
import { program } from './program.cjs'

const load = (module = '') => import(`${process.argv[2]}${module}/index.js`)
console.log(
  JSON.stringify(program(ours, await load(), await load('/sqlite-core'), await load('/better-sqlite3'))),
)
