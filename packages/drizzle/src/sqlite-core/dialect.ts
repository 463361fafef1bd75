import type { IdDialect } from '../dialect.js'

export const SQLITE: IdDialect = { database: 'sqlite' }
