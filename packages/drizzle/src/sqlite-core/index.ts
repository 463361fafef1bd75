export * from '../index.js'
export { SQLiteIdColumn, SQLiteIdColumnBuilder, type SQLiteIdConfig } from './column.js'
export { flakeId, flaxId, snoId, uidId, uidLocalId } from './families.js'
export {
  type IdColumn,
  idColumn,
  type SQLiteGeneratedIdOptions,
  type SQLiteStorageOption,
} from './id-column.js'
