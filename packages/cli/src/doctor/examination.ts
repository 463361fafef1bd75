import type { AnyFamily } from '../ids/families.js'
import type { IdColumn } from './columns/column.js'
import type { LiveDatabase } from './live-database.js'
import type { Installation } from './postgres/installation.js'

/** What the checks work on. */
export interface Examination<Kind extends LiveDatabase = LiveDatabase> {
  readonly database: Kind
  /** Schema of the pg-sql functions. */
  readonly schema: string
  /** What pg-sql has put there; undefined without. */
  readonly installed: Installation | undefined
  readonly families: readonly AnyFamily[]
  readonly columns: readonly IdColumn[]
  /** Rows that are read of a table, unless all are. */
  readonly sample: number
  readonly full: boolean
  readonly nowMs: number
}
