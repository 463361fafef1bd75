import type { LiveDatabase } from '../live-database.js'
import type { Column } from './column.js'

const SAMPLE = 50
/** Rows that are looked at, so that a column of nulls doesn't cost a whole table. */
const LOOKED_AT = 5000

/** Some values of the column. */
export async function sampleOf(database: LiveDatabase, column: Column): Promise<unknown[]> {
  const { quotedName, quotedTable } = column
  const rows = await database.query(
    `SELECT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable} LIMIT ${LOOKED_AT}) AS looked_at
      WHERE value IS NOT NULL LIMIT ${SAMPLE}`,
  )
  return rows.map((row) => row['value'])
}
