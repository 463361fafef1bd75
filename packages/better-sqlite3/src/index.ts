export type { SqliteConnection } from './connection.js'
export type { IdSource } from './generator-functions.js'
export { type RegisterOptions, registerSnoflax } from './register.js'
