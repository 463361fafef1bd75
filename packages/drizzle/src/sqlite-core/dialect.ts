import type { IdDialect } from '../dialect.js'

export const SQLITE: IdDialect = { database: 'sqlite', bytesLiteral: (hex) => `x'${hex}'` }
