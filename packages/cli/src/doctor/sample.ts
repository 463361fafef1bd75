import type { Column, LiveDatabase, Row } from './live-database.js'

/** How many rows are read in each part of a table. */
const ROWS = 100
/** How many values suffice to recognize a column, and in how many rows a sparse one is searched for them. */
const ENOUGH = 8
const SEARCHED = 5000

/** Some values of each column, from the table's beginning, middle and end. */
export async function sampleTable(
  database: LiveDatabase,
  columns: readonly Column[],
): Promise<ReadonlyMap<Column, unknown[]>> {
  const [first] = columns as readonly [Column]
  const list = columns.map(({ quotedName }, n) => `${quotedName} AS c${n}`).join(', ')
  const head = `SELECT ${list} FROM ${first.quotedTable}`
  const start = await database.query(`${head} LIMIT ${3 * ROWS}`)
  const isWhole = start.length < 3 * ROWS
  const key = columns.find(({ isKey }) => isKey) ?? columns.find(({ isIndexed }) => isIndexed)
  const parts = isWhole ? [] : database.partsOf(first, key)
  const rows: Row[] = isWhole ? start : start.slice(0, ROWS)
  for (const part of parts) rows.push(...(await database.query(`${head} ${part} LIMIT ${ROWS}`)))
  const values = new Map<Column, unknown[]>()
  for (const [n, column] of columns.entries()) {
    const own = rows.map((row) => row[`c${n}`]).filter((value) => value != null)
    values.set(column, isWhole || own.length >= ENOUGH ? own : await searched(database, column))
  }
  return values
}

async function searched(database: LiveDatabase, { quotedName, quotedTable }: Column): Promise<unknown[]> {
  const rows = await database.query(
    `SELECT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable} LIMIT ${SEARCHED}) AS looked_at
      WHERE value IS NOT NULL LIMIT ${ROWS}`,
  )
  return rows.map((row) => row['value'])
}
