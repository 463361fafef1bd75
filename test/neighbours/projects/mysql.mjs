import * as ours from '@snoflax/drizzle/mysql-core'
import * as theirs from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2/promise'
import { exercise, relatedOf, tablesOf } from './exercise.mjs'

const tables = tablesOf('mysql', theirs, ours)
const client = createPool({ uri: process.env.URL, supportBigNumbers: true })
await exercise(drizzle({ client, mode: 'planetscale', ...relatedOf(tables) }), tables, ours)
await client.end()
