export type { SqliteConnection } from './connection.js'
export { type RegisterOptions, registerSnoflax } from './register.js'
