import { againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, timed } from '../turns.js'
import { createTable, OURS, PEERS, UUID, UUID_TEXT, UUIDV7 } from './keys.js'
import type { Place } from './place.js'

export const ROWS = 100_000
const OPTIONS = { rounds: 7, warmUps: 1 }

/** The preferred storage of each family, and flax and sno also in other common ones. */
const NAMES = [
  'flax as uuid',
  'flax as binary',
  'flax as text',
  'sno as uuid',
  'sno as binary',
  'sno as text',
  'flake as bigint',
  'uid as uuid',
  'uidLocal as bigint',
]
const keys = [...OURS.filter(({ name }) => NAMES.includes(name)), ...PEERS]

export const insert: Section<Place> = {
  name: 'pg-insert',
  run: async ({ session }) => {
    for (const [i, key] of keys.entries()) await session.query(createTable(key, `inserted_${i}`))
    const turns = keys.map((key, i) => [
      key.name,
      timed(async () => {
        const { rowCount } = await session.query(
          `INSERT INTO inserted_${i} (number) SELECT generate_series(1, ${ROWS})`,
        )
        if (rowCount !== ROWS) throw new Error(`${key.name}: ${rowCount} rows`)
      }),
    ])
    const tables = keys.map((_, i) => `inserted_${i}`).join(', ')
    try {
      const timings = await raceTurns(Object.fromEntries(turns), {
        ...OPTIONS,
        // Every turn starts with empty tables, and no turn writes out the pages of another.
        before: async () => {
          await session.query(`TRUNCATE ${tables}`)
          await session.query('CHECKPOINT')
        },
      })
      return {
        title: `${ROWS.toLocaleString('en-US')} rows by column default`,
        about: 'One INSERT … SELECT into an empty table with a primary key.',
        ...againstYardsticks(timings, [UUID.name, UUIDV7.name, UUID_TEXT.name], {
          [UUIDV7.name]: { 'flax as text': 1.3, 'sno as text': 1.3, 'flake as bigint': 1.3 },
        }),
      }
    } finally {
      await session.query(`DROP TABLE ${tables}`)
    }
  },
}
