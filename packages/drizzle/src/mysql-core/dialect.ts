import type { IdDialect } from '../dialect.js'

export const MYSQL: IdDialect = { database: 'mysql' }
