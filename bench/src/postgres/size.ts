import type { Row, Section } from '../report.js'
import { ROWS } from './insert.js'
import { createTable, OURS, PEERS, UUID, UUID_TEXT } from './keys.js'
import type { Place, Session } from './place.js'

interface Size {
  readonly name: string
  readonly table: number
  readonly index: number
}

/** Rows of a statement. Many statements, as in applications, so that the order of keys decides how pages fill. */
const BATCH = 1000

export const size: Section<Place> = {
  name: 'pg-size',
  run: async ({ session }) => {
    const sizes: Size[] = []
    for (const key of [...OURS, ...PEERS]) {
      await session.query(createTable(key, 'sized'))
      for (let rows = 0; rows < ROWS; rows += BATCH)
        await session.query(`INSERT INTO sized (number) SELECT generate_series(1, ${BATCH})`)
      sizes.push({ name: key.name, ...(await measure(session)) })
      await session.query('DROP TABLE sized')
    }
    const ofUuid = sizes.find(({ name }) => name === UUID.name) as Size
    const ofText = sizes.find(({ name }) => name === UUID_TEXT.name) as Size
    return {
      title: 'Size of table and index',
      about:
        `Bytes of ${ROWS.toLocaleString('en-US')} rows of id and integer, and of their primary key, ` +
        `inserted ${BATCH.toLocaleString('en-US')} at a time. The yardsticks' UUIDs are random.`,
      columns: ['the uuid table', 'the uuid index', 'uuid, both', 'uuid text, both'].map((title) => ({
        title,
        aims: {},
      })),
      rows: sizes.map(
        ({ name, table, index }): Row => ({
          name,
          ratios: [
            table / ofUuid.table,
            index / ofUuid.index,
            (table + index) / (ofUuid.table + ofUuid.index),
            (table + index) / (ofText.table + ofText.index),
          ],
        }),
      ),
    }
  },
}

async function measure(session: Session): Promise<{ table: number; index: number }> {
  const { rows } = await session.query<{ table: string; index: string }>(
    `SELECT pg_table_size('sized') AS table, pg_indexes_size('sized') AS index`,
  )
  return { table: Number(rows[0]?.table), index: Number(rows[0]?.index) }
}
