import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storageFor } from '@snoflax/core'
import { isPrefixed } from '@snoflax/core/adapter'
import type { Quake } from '../data.js'
import { QuakeTable } from '../quake-table.js'
import type { Question } from '../questions.js'
import { openSqlite } from '../sqlite.js'
import type { KeyedFamily } from '../survey.js'
import type { Paint } from '../terminal/colour.js'
import { moment } from '../terminal/numbers.js'

/** One question about quakes with prefixed ids, in a file of SQLite: its SQL, its answer and its plan. */
export async function opening(
  paint: Paint,
  families: readonly KeyedFamily[],
  { fromMs, toMs }: Question,
): Promise<string[]> {
  const { ids, rows } = families.find(({ ids }) => isPrefixed(ids.family)) as KeyedFamily
  const folder = await mkdtemp(join(tmpdir(), 'snoflax-demo-'))
  const engine = openSqlite(join(folder, 'quakes.db'))
  try {
    const table = new QuakeTable(engine, storageFor(ids.family, 'sqlite'), 'earthquakes')
    await table.fill(rows)
    const range = ids.family.range(fromMs, toMs)
    const quakes = new Map(rows.map(({ id, quake }) => [id, quake]))
    const found = await table.byKeyRange(range)
    const plan = await table.explainKeyRange(range)
    return [
      paint('bold', 'Which earthquakes came in the hour after the largest one? By the primary key alone:'),
      '',
      paint('cyan', `  SELECT * FROM ${table.name} WHERE id >= '${range.gte}' AND id < '${range.lt}'`),
      '',
      ...found.map(({ id }) => answer(id, quakes.get(id) as Quake)),
      '',
      ...plan.map((line) => paint('dim', `  ${line}`)),
    ]
  } finally {
    await engine.close()
    await rm(folder, { recursive: true })
  }
}

const answer = (id: string, { timeMs, magnitude, place }: Quake): string =>
  `  ${id}  ${moment(timeMs).slice(11, 19)}  ${magnitude.toFixed(1)}  ${place}`
