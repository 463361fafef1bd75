export * from '../index.js'
export { MySqlIdColumn, MySqlIdColumnBuilder, type MySqlIdConfig } from './column.js'
export { flakeId, flaxId, snoId, uidId, uidLocalId } from './families.js'
export { type IdColumn, idColumn } from './id-column.js'
