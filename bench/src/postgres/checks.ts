import { againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, timed } from '../turns.js'
import type { Place } from './place.js'

const ROWS = 50_000
const OPTIONS = { rounds: 15, warmUps: 2 }
const AIM = 1.7

const PLAIN = { text: 'text', prefixed: 'text with a prefix', uuid: 'uuid' }

/** Columns by their declaration, and the ids that each gets. */
const COLUMNS: readonly (readonly [name: string, id: string, declaration: string])[] = [
  [PLAIN.text, 'flax', 'text COLLATE "C"'],
  ['flax as text, CHECK', 'flax', 'text COLLATE "C" CHECK (snoflax.flax_is_valid(id))'],
  ['flax as text, domain', 'flax', 'snoflax.flax_text'],
  ['sno as text, CHECK', 'sno', 'text COLLATE "C" CHECK (snoflax.sno_is_valid(id))'],
  [PLAIN.prefixed, 'customer', 'text COLLATE "C"'],
  [
    'flax as text with a prefix, CHECK',
    'customer',
    `text COLLATE "C" CHECK (snoflax.flax_is_valid(id, 'cus'))`,
  ],
  [PLAIN.uuid, 'flax_uuid', 'uuid'],
  ['flax as uuid, CHECK', 'flax_uuid', 'uuid CHECK (snoflax.flax_is_valid(id))'],
  ['flax as uuid, domain', 'flax_uuid', 'snoflax.flax_uuid'],
  ['flax as uuid8, domain', 'flax_uuid8', 'snoflax.flax_uuid8'],
]

/** Rows with ids that the table checks. */
export const checked: Section<Place> = {
  name: 'pg-check',
  run: async ({ session }) => {
    await session.query(`
      CREATE TABLE checked_ids AS
      SELECT number, id AS flax, 'cus_' || id AS customer, snoflax.flax_to_uuid(id) AS flax_uuid,
          snoflax.flax_to_uuid8(id) AS flax_uuid8, sno
        FROM (SELECT number, snoflax.flax_generate_text() COLLATE "C" AS id, snoflax.sno_generate_text() AS sno
                FROM generate_series(1, ${ROWS}) AS number OFFSET 0) AS made`)
    const tables = COLUMNS.map((_, i) => `checked_${i}`)
    for (const [i, [, , declaration]] of COLUMNS.entries())
      await session.query(
        `CREATE TABLE ${tables[i]} (id ${declaration} PRIMARY KEY, number integer NOT NULL)`,
      )
    const turns = COLUMNS.map(([name, id], i) => [
      name,
      timed(() => session.query(`INSERT INTO ${tables[i]} SELECT ${id}, number FROM checked_ids`)),
    ])
    try {
      const timings = await raceTurns<string>(Object.fromEntries(turns), {
        ...OPTIONS,
        before: async () => {
          await session.query(`TRUNCATE ${tables.join(', ')}`)
          await session.query('CHECKPOINT')
        },
      })
      const aims = (kind: string) =>
        Object.fromEntries(
          COLUMNS.filter(([name]) => name.startsWith('flax') && name.includes(`as ${kind},`)).map(
            ([name]) => [name, AIM],
          ),
        )
      return {
        title: 'Inserts of ids that the table checks',
        about:
          `${ROWS.toLocaleString('en-US')} ids of another table in one INSERT into an empty one, including its primary ` +
          'key, against the same column without a check.',
        ...againstYardsticks(timings, Object.values(PLAIN), {
          [PLAIN.text]: aims('text'),
          [PLAIN.prefixed]: aims('text with a prefix'),
          [PLAIN.uuid]: aims('uuid'),
        }),
      }
    } finally {
      await session.query(`DROP TABLE checked_ids, ${tables.join(', ')}`)
    }
  },
}

const CREATED_AT = 'created_at'
const TIMES: Readonly<Record<string, string>> = {
  'flax_time(text)': 'snoflax.flax_time(id)',
  'flax_time(text with a prefix)': 'snoflax.flax_time(customer)',
  'flax_time(uuid)': 'snoflax.flax_time(id_uuid)',
  'flax_time(bytea)': 'snoflax.flax_time(id_bytes)',
  'sno_time(text)': 'snoflax.sno_time(sno)',
  [CREATED_AT]: 'created_at',
}

/** Reports by day. */
export const report: Section<Place> = {
  name: 'pg-report',
  run: async ({ session }) => {
    await session.query(`
      CREATE TABLE reported AS
      SELECT id, 'cus_' || id AS customer, snoflax.flax_to_uuid(id) AS id_uuid, snoflax.flax_decode(id) AS id_bytes,
          sno, (number % 1000)::numeric / 7 AS amount, at AS created_at
        FROM (SELECT number, at, snoflax.flax_generate_at_text(at) COLLATE "C" AS id,
                  snoflax.sno_generate_text() AS sno
                FROM (SELECT number, timestamptz '2026-01-01Z' + number * interval '1 minute' AS at
                        FROM generate_series(1, ${ROWS}) AS number) AS times
              OFFSET 0) AS made`)
    await session.query('VACUUM ANALYZE reported')
    const turns = Object.entries(TIMES).map(([name, time]) => [
      name,
      timed(() =>
        session.query(`
          SELECT date_trunc('day', ${time}, 'Europe/Berlin') AS day, count(*), sum(amount)
            FROM reported GROUP BY 1 ORDER BY 1`),
      ),
    ])
    try {
      return {
        title: 'Orders of each day',
        about: `\`count\` and \`sum\` of ${ROWS.toLocaleString('en-US')} rows of seven columns, grouped by the day of a time zone.`,
        ...againstYardsticks(await raceTurns<string>(Object.fromEntries(turns), OPTIONS), [CREATED_AT], {
          [CREATED_AT]: { 'flax_time(text)': 2, 'flax_time(uuid)': 2 },
        }),
      }
    } finally {
      await session.query('DROP TABLE reported')
    }
  },
}
