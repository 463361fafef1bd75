export { type RegisterOptions, registerSnoflax } from './register.js'
export type { SqliteConnection } from './sql-function.js'
