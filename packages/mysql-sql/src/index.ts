export { type ColumnOptions, type ColumnSql, columnSql, type Server } from './column-sql.js'
