import { type Dialect, Kysely } from 'kysely'
import type { DB } from './types.js'

export const connect = (dialect: Dialect) => new Kysely<DB>({ dialect })
