import { againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, type Turn, timed } from '../turns.js'
import type { Place, Session } from './place.js'

const MANY = 32
const CALLS = 500
const OPTIONS = { rounds: 30, warmUps: 3 }

const generators = {
  'sno_generate()': 'snoflax.sno_generate()',
  'flake_generate_bigint()': 'snoflax.flake_generate_bigint()',
  'uid_generate()': 'snoflax.uid_generate()',
  'flax_generate()': 'snoflax.flax_generate()',
  'nextval()': "nextval('plain')",
  'gen_random_uuid()': 'gen_random_uuid()',
}

const withClients = (name: string, clients: number): string =>
  clients === 1 ? `${name}, 1 client` : `${name}, ${clients} clients`

const ONE_UUID = withClients('gen_random_uuid()', 1)
const MANY_UUIDS = withClients('gen_random_uuid()', MANY)

export const clients: Section<Place> = {
  name: 'pg-clients',
  run: async ({ database, session }) => {
    await session.query('CREATE SEQUENCE plain')
    const sessions: Session[] = []
    while (sessions.length < MANY) sessions.push(await database.connect())
    try {
      // A turn has the same total number of calls for any number of clients.
      const one = turnsOf([session], CALLS * MANY)
      const many = turnsOf(sessions, CALLS)
      const alone = await raceTurns(one.turns, { ...OPTIONS, baseline: one.baseline })
      const together = await raceTurns(many.turns, { ...OPTIONS, baseline: many.baseline })
      const { columns, rows } = againstYardsticks({ ...alone, ...together }, [ONE_UUID, MANY_UUIDS], {
        [ONE_UUID]: { [withClients('sno_generate()', 1)]: 2 },
        [MANY_UUIDS]: { [withClients('sno_generate()', MANY)]: 3 },
      })
      return {
        title: 'Many clients at once',
        about: `${(CALLS * MANY).toLocaleString('en-US')} calls with the round trip to the server: in one session, and ${CALLS} in each of ${MANY}.`,
        columns,
        rows: rows.map((row) => ({
          ...row,
          ratios: row.ratios.map((ratio, i) =>
            Object.hasOwn(i === 0 ? alone : together, row.name) ? ratio : undefined,
          ),
        })),
      }
    } finally {
      await Promise.all(sessions.map((one) => one.end()))
      await session.query('DROP SEQUENCE plain')
    }
  },
}

function turnsOf(
  sessions: readonly Session[],
  calls: number,
): { turns: Record<string, Turn>; baseline: Turn } {
  const turn = (expression: string): Turn => {
    const text = `SELECT count(${expression}) FROM generate_series(1, ${calls}) AS number`
    return timed(() => Promise.all(sessions.map((session) => session.query({ name: expression, text }))))
  }
  const turns = Object.entries(generators).map(([name, generator]) => [
    withClients(name, sessions.length),
    turn(generator),
  ])
  return { turns: Object.fromEntries(turns), baseline: turn('number') }
}
