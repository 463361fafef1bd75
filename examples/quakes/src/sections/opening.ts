import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { storageFor } from '@snoflax/core'
import { isPrefixed } from '@snoflax/core/adapter'
import type { Quake } from '../data.js'
import { QuakeTable } from '../quake-table.js'
import type { Question } from '../questions.js'
import { openSqlite } from '../sqlite.js'
import type { KeyedFamily } from '../survey.js'
import type { Paint } from '../terminal/colour.js'
import { moment } from '../terminal/numbers.js'

/** One question about quakes with prefixed ids, in a new file of SQLite: its SQL, its answer and its plan; then one of them by its id. */
export async function opening(
  paint: Paint,
  families: readonly KeyedFamily[],
  { fromMs, toMs }: Question,
  file: string,
): Promise<string[]> {
  const { ids, rows } = families.find(({ ids }) => isPrefixed(ids.family)) as KeyedFamily
  await rm(file, { force: true })
  const engine = openSqlite(file)
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
      '',
      ...(found[0] === undefined ? [] : await findLines(paint, found[0].id, file)),
    ]
  } finally {
    await engine.close()
  }
}

const SNOFLAX = join(dirname(fileURLToPath(import.meta.resolve('snoflax/package.json'))), 'bin/snoflax.js')

/** The command, and what it prints. */
async function findLines(paint: Paint, id: string, file: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SNOFLAX, 'find', id, file], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  })
  return [
    `${paint('bold', 'And what is')} ${id}?`,
    '',
    paint('cyan', `  npx snoflax find ${id} ${file}`),
    '',
    ...stdout
      .trimEnd()
      .split('\n')
      .map((line) => line && `  ${line}`),
  ]
}

const answer = (id: string, { timeMs, magnitude, place }: Quake): string =>
  `  ${id}  ${moment(timeMs).slice(11, 19)}  ${magnitude.toFixed(1)}  ${place}`
