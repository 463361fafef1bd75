import type { Row } from './live-database.js'

const ROWS_AT_ONCE = 5000

/** Rows that come one by one, some thousands at a time. */
export async function* inBatches(rows: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row as Row)
    if (batch.length < ROWS_AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
