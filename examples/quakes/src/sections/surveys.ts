import type { IdFamily } from '@snoflax/core'
import type { Check } from '../checks.js'
import type { Engine } from '../engine.js'
import { storagesOf } from '../storages.js'
import type { Survey } from '../survey.js'
import type { Paint } from '../terminal/colour.js'
import { grouped } from '../terminal/numbers.js'
import { table } from '../terminal/table.js'

/** A line for each table: the stored key of the strongest quake, and which checks passed. */
export function surveyTable(paint: Paint, surveys: readonly Survey[]): string[] {
  const mark = ({ failure }: Check): string =>
    failure === undefined ? paint('green', '✓') : paint('red', '✗')
  return table(
    paint,
    [
      { title: 'family' },
      { title: 'storage' },
      { title: "the strongest quake's key" },
      { title: 'read back' },
      { title: 'order' },
      { title: 'index' },
      { title: 'answers', align: 'right' },
    ],
    surveys.map(({ table: { storage }, storedKey, readBack, order, plan, answers }) => {
      const passed = answers.filter(({ failure }) => failure === undefined).length
      return [
        storage.family.name,
        storage.name,
        shown(storedKey),
        mark(readBack),
        mark(order),
        mark(plan),
        paint(passed === answers.length ? 'green' : 'red', `${passed}/${answers.length}`),
      ]
    }),
  )
}

/** The storages that the database doesn't have, and the library's message for one of them. */
export function refusals(engine: Engine, families: readonly IdFamily[]): string[] {
  const messages = families.flatMap((family) => storagesOf(family, engine).refused)
  const [first] = messages
  return first === undefined ? [] : [`Refused by design: ${messages.length} storages, such as`, `  ${first}`]
}

/** The extra rows of outer bounds, for each family that has them. */
export function extraRows(surveys: readonly Survey[]): string[] {
  const inexact = surveys.filter(({ table: { storage } }) => !storage.family.exactRange)
  const oneEach = new Map(inexact.map((survey) => [survey.table.storage.family.name, survey]))
  return [...oneEach].map(([name, { answers }]) => {
    const extra = answers.reduce((sum, answer) => sum + answer.extraRows, 0)
    const kept = answers.reduce((sum, { quakes }) => sum + quakes.length, 0)
    return `Ranges of ${name} are not exact: ${answers.length} queries for ${grouped(kept)} rows also selected ${extra}, removed by ${name}.timeMs.`
  })
}

function shown(key: unknown): string {
  return key instanceof Uint8Array ? `\\x${Buffer.from(key).toString('hex')}` : String(key)
}
