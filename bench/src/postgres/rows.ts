import { type Aims, againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, type Turn, timed } from '../turns.js'
import { createTable, type Key, OURS, UUIDV7 } from './keys.js'
import type { Place, Session } from './place.js'

const CUSTOMER: Key = {
  name: 'flax as text, with a prefix',
  type: 'text COLLATE "C"',
  maker: "('cus_'::text || snoflax.flax_generate_text())",
}
const NAMES = ['flax as text', 'flax as uuid', 'flax as binary', 'sno as text', 'flake as bigint']
const keys = [...OURS.filter(({ name }) => NAMES.includes(name)), CUSTOMER, UUIDV7]

const ROWS = 50
const MANY_ROWS = 320
const OPTIONS = { rounds: 40, warmUps: 3 }

/** One row at a time, as applications write them. */
export const oneRow: Section<Place> = {
  name: 'pg-row',
  run: (place) =>
    withTables(place, async (tables) => {
      const race = (named: boolean) =>
        raceTurns(
          Object.fromEntries(
            tables.map(({ key, table }) => [
              key.name,
              timed(() => insert(place.session, table, ROWS, named)),
            ]),
          ),
          OPTIONS,
        )
      const kinds = { unnamed: await race(false), named: await race(true) }
      return {
        title: 'One row by column default',
        about:
          'One INSERT of one row for each statement and transaction, with the round trip. An unnamed statement, which every ' +
          'ORM sends by default, is planned each time; a named one once.',
        ...sideBySide(kinds, (kind) => `UUIDv7, ${kind}`, 1.15, 1.15),
      }
    }),
}

/** The same, with many clients at once. */
export const manyWriters: Section<Place> = {
  name: 'pg-writers',
  run: (place) =>
    withTables(place, async (tables) => {
      const race = async (clients: number) => {
        const sessions: Session[] = []
        while (sessions.length < clients) sessions.push(await place.database.connect())
        try {
          const turn = (table: string): Turn =>
            timed(() =>
              Promise.all(sessions.map((session) => insert(session, table, MANY_ROWS / clients, false))),
            )
          const turns = tables.map(({ key, table }) => [key.name, turn(table)])
          return await raceTurns(Object.fromEntries(turns), OPTIONS)
        } finally {
          await Promise.all(sessions.map((session) => session.end()))
        }
      }
      const kinds = { 8: await race(8), 32: await race(32) }
      return {
        title: 'Many clients, each inserting rows by column default',
        about: `${MANY_ROWS} rows in all, one for each transaction, in unnamed statements.`,
        ...sideBySide(kinds, (clients) => `UUIDv7, ${clients} clients`, 1 / 0.85, 1 / 0.75),
      }
    }),
}

/** A column for each kind, whose yardstick is UUIDv7 of the same kind. */
function sideBySide(
  kinds: Readonly<Record<string, Awaited<ReturnType<typeof raceTurns>>>>,
  title: (kind: string) => string,
  flaxAim: number,
  stateAim: number,
) {
  const aims: Aims<string> = Object.fromEntries(
    keys
      .filter(({ name }) => name !== UUIDV7.name)
      .map(({ name }) => [name, name.startsWith('flax') ? flaxAim : stateAim]),
  )
  const tables = Object.entries(kinds).map(([kind, timings]) => ({
    kind,
    ...againstYardsticks(timings, [UUIDV7.name], { [UUIDV7.name]: aims }),
  }))
  return {
    columns: tables.map(({ kind }) => ({ title: title(kind), aims })),
    rows: keys.map(({ name }) => {
      const rows = tables.map((table) => table.rows.find((row) => row.name === name))
      return {
        name,
        ratios: rows.map((row) => row?.ratios[0]),
        spread: Math.max(...rows.map((row) => row?.spread ?? 0)),
      }
    }),
  }
}

async function insert(session: Session, table: string, rows: number, named: boolean): Promise<void> {
  const text = `INSERT INTO ${table} (number) VALUES ($1) RETURNING id`
  for (let row = 0; row < rows; row++) {
    await session.query(named ? { name: table, text, values: [row] } : { text, values: [row] })
  }
}

async function withTables<Result>(
  { session }: Place,
  use: (tables: readonly { key: Key; table: string }[]) => Promise<Result>,
): Promise<Result> {
  const tables = keys.map((key, i) => ({ key, table: `row_${i}` }))
  for (const { key, table } of tables) await session.query(createTable(key, table))
  try {
    return await use(tables)
  } finally {
    await session.query(`DROP TABLE ${tables.map(({ table }) => table).join(', ')}`)
  }
}
