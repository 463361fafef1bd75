import { againstYardsticks, type Table } from '../ratios.js'
import type { Report, Row, Section } from '../report.js'
import { raceTurns, type Turn } from '../turns.js'
import { counting } from './compare.js'
import type { Place, Session } from './place.js'

const ORDERS = 1_000_000
const CUSTOMERS = 40_000
/** Ranges, spread over the table, since a planner's estimate depends on their place, and the rows of each. */
const RANGES = 5
const RANGE = 2_000
const OPTIONS = { rounds: 15, warmUps: 2 }

/** A kind of key. */
interface Keys {
  readonly type: string
  /** The function of a time that generates an id, and the one that returns the lowest of a time. */
  readonly generate: string
  readonly bound: string
  /** Of the key, as `ALTER TABLE … SET STATISTICS`. */
  readonly statistics?: number
}

const UUIDV7 = { type: 'uuid', generate: 'uuid7_generate_at', bound: 'uuid7_lower_bound' }
const FLAX_UUID = { type: 'uuid', generate: 'flax_generate_at_uuid', bound: 'flax_lower_bound_uuid' }
const YARDSTICK = 'UUIDv7 as uuid, statistics raised'

const KEYS: Readonly<Record<string, Keys>> = {
  'flax as text': {
    type: 'text COLLATE "C"',
    generate: 'flax_generate_at_text',
    bound: 'flax_lower_bound_text',
  },
  'flax as uuid, statistics raised': { ...FLAX_UUID, statistics: 10_000 },
  'flax as uuid': FLAX_UUID,
  'flax as binary': { type: 'bytea', generate: 'flax_generate_at', bound: 'flax_lower_bound' },
  [YARDSTICK]: { ...UUIDV7, statistics: 10_000 },
  'UUIDv7 as uuid': UUIDV7,
}

/** The time of an order. */
const timeOf = (number: string | number) => `timestamptz '2026-01-01Z' + ${number} * interval '10 ms'`

export const orders: Section<Place> = {
  name: 'pg-orders',
  run: async ({ session }): Promise<Report> => {
    const sizes = new Map<string, number>()
    const races: Record<string, Record<string, Turn>> = { range: {}, foreign: {}, join: {}, rangeJoin: {} }
    for (const [at, [name, keys]] of Object.entries(KEYS).entries()) {
      const [customers, table] = [`customers_${at}`, `orders_${at}`]
      await fill(session, customers, table, keys)
      const { rows } = await session.query<{ bytes: string }>(
        `SELECT pg_total_relation_size('${table}') AS bytes`,
      )
      sizes.set(name, Number(rows[0]?.bytes))
      const ranges = await rangesOf(session, keys)
      const add = async (race: string, query: string, expected: number) => {
        ;(races[race] as Record<string, Turn>)[name] = await counting(session, query, expected)
      }
      const inRanges = (query: (range: (alias: string) => string) => string) =>
        `SELECT sum(n) FROM (${ranges.map(query).join(' UNION ALL ')}) AS answers`
      await add(
        'range',
        inRanges((range) => `SELECT count(note) AS n FROM ${table} o WHERE ${range('o')}`),
        RANGES * RANGE,
      )
      await add(
        'foreign',
        `SELECT sum(n) FROM (SELECT id FROM ${customers} ORDER BY id LIMIT 1000) AS c,
           LATERAL (SELECT count(note) AS n FROM ${table} WHERE customer_id = c.id) AS found`,
        (1000 * ORDERS) / CUSTOMERS,
      )
      await add(
        'join',
        `SELECT count(c.name) FROM ${table} o JOIN ${customers} c ON c.id = o.customer_id`,
        ORDERS,
      )
      await add(
        'rangeJoin',
        inRanges(
          (range) => `SELECT count(*) AS n FROM ${table} o JOIN ${table} p ON p.customer_id = o.customer_id
            WHERE ${range('o')} AND ${range('p')}`,
        ),
        RANGES * RANGE,
      )
    }
    const tables: Table[] = []
    for (const turns of Object.values(races))
      tables.push(againstYardsticks(await raceTurns(turns, OPTIONS), [YARDSTICK]))
    return {
      title: 'A table of orders with a foreign key',
      about:
        `${ORDERS.toLocaleString('en-US')} orders of seven columns, with indexes on the key and on the foreign key, of ` +
        `${CUSTOMERS.toLocaleString('en-US')} customers. A range is ${RANGE.toLocaleString('en-US')} orders by time, at ${RANGES} places of ` +
        'the table; joined with itself it finds the orders of the same customer. Statistics are raised to 10,000.',
      columns: [
        'size of table and indexes',
        'orders of a time',
        'orders of 1,000 customers',
        'all orders with their customers',
        'orders of a time with those of the same customer',
      ].map((title) => ({ title, aims: {} })),
      rows: Object.keys(KEYS).map((name, at): Row => {
        const found = tables.map(({ rows }) => rows[at] as Row)
        return {
          name,
          ratios: [
            (sizes.get(name) as number) / (sizes.get(YARDSTICK) as number),
            ...found.map(({ ratios }) => ratios[0]),
          ],
          spread: Math.max(...found.map(({ spread = 0 }) => spread)),
        }
      }),
    }
  },
}

async function fill(
  session: Session,
  customers: string,
  table: string,
  { type, generate, statistics }: Keys,
): Promise<void> {
  const id = (number: string) => `snoflax.${generate}(${timeOf(number)})`
  // VACUUM can't run in a transaction, as statements sent together would.
  for (const sql of [
    `CREATE TABLE ${customers} (id ${type} PRIMARY KEY, number integer NOT NULL, name text NOT NULL)`,
    `INSERT INTO ${customers} SELECT ${id('number')}, number, 'customer ' || number
       FROM generate_series(0, ${CUSTOMERS - 1}) AS number`,
    `CREATE TABLE ${table} (id ${type} PRIMARY KEY, customer_id ${type} NOT NULL, status text NOT NULL,
       total integer NOT NULL, note text NOT NULL, paid boolean NOT NULL, at timestamptz NOT NULL)`,
    `CREATE INDEX ON ${table} (customer_id)`,
    `INSERT INTO ${table} SELECT ${id('n')}, c.id, 'sent', n, 'order ' || n, n % 2 = 0, ${timeOf('n')}
       FROM generate_series(0, ${ORDERS - 1}) AS n JOIN ${customers} c ON c.number = n % ${CUSTOMERS} ORDER BY n`,
    `ALTER TABLE ${table} ALTER id SET STATISTICS ${statistics ?? -1}`,
    `VACUUM ANALYZE ${customers}`,
    `VACUUM ANALYZE ${table}`,
  ])
    await session.query(sql)
}

/** The conditions of the ranges, with bounds as an application sends them. */
async function rangesOf(session: Session, { bound }: Keys): Promise<((alias: string) => string)[]> {
  const from = (start: string) => `snoflax.${bound}(${timeOf(start)})::text`
  const { rows } = await session.query<{ gte: string; lt: string }>(
    `SELECT ${from('start')} AS gte, ${from(`(start + ${RANGE})`)} AS lt
       FROM generate_series(1, ${RANGES}) AS place, LATERAL (SELECT place * ${ORDERS / (RANGES + 1)}::integer AS start) AS at`,
  )
  return rows.map(
    ({ gte, lt }) =>
      (alias) =>
        `${alias}.id >= '${gte}' AND ${alias}.id < '${lt}'`,
  )
}
