import { install } from '@snoflax/pg-sql'
import { agreeAll } from './agreement.js'
import { type Quake, repeatWeek, strongestOf } from './data.js'
import type { Engine } from './engine.js'
import { quakeIds } from './ids.js'
import { openPglite } from './pglite.js'
import { picture } from './picture.js'
import { days, lastSixHours, type Question, STRONG, strongByDay } from './questions.js'
import { agreementTable } from './sections/agreements.js'
import { dayChart } from './sections/days.js'
import { intro } from './sections/intro.js'
import { planOf } from './sections/plan.js'
import { sizeTable } from './sections/sizes.js'
import { extraRows, refusals, surveyTable } from './sections/surveys.js'
import { timeTable } from './sections/times.js'
import { verdict } from './sections/verdict.js'
import { measureSizes } from './sizes.js'
import { openSqlite } from './sqlite.js'
import type { Stopwatch } from './stopwatch.js'
import { checksOf, type KeyedFamily, type Survey, surveyAll } from './survey.js'
import { grouped, seconds } from './terminal/numbers.js'
import type { Screen } from './terminal/screen.js'

/** Every family in every storage of both databases, checked: whether all is right. */
export async function everything(
  screen: Screen,
  watch: Stopwatch,
  quakes: readonly Quake[],
  families: readonly KeyedFamily[],
  hour: Question,
  weeks: number,
): Promise<boolean> {
  const { paint } = screen
  const progress = screen.progress.bind(screen)
  screen.print(...intro(paint, quakes))

  screen.section(
    'One quake, seven ids',
    'Text, hex and time of the strongest quake in each family, then the fields, bit by bit. eq is flax',
    'with a prefix, which text columns store.',
  )
  const strongest = quakes.indexOf(strongestOf(quakes))
  for (const { ids, rows } of families) {
    screen.print(...picture(paint, ids, rows[strongest]?.id ?? ''), '')
  }

  const sqlite = await watch.measure('SQLite: start', () => openSqlite())
  screen.announce('starting PGlite')
  const pglite = await watch.measure('PGlite: start', openPglite)
  const engines = [sqlite, pglite]

  const byDay = days(quakes)
  const strong = strongByDay(quakes)
  const questions = { byTime: [...byDay, hour, lastSixHours(quakes)], byMagnitude: strong, explained: hour }

  const surveys: Survey[] = []
  for (const engine of engines) {
    const found = await surveyAll(engine, families, questions, watch, progress)
    surveys.push(...found)
    screen.section(
      `${engine.name} ${engine.version}: ${found.length} tables of ${grouped(quakes.length)} quakes`,
      'Read back: the ids are those written, with their times. Order: by id is by time (uid: uid.compare).',
      "Index: EXPLAIN shows the key's index. Answers: key ranges find the same rows as the time column, for",
      'each day, the hour after the strongest quake and the last six hours; for sno also the strong ones.',
    )
    screen.print(
      ...surveyTable(paint, found),
      '',
      ...extraRows(found),
      ...refusals(
        engine,
        families.map(({ ids }) => ids.family),
      ),
    )
  }

  const tellsMagnitude = surveys.find(({ answers }) =>
    answers.some(({ question }) => strong.includes(question)),
  )
  if (tellsMagnitude !== undefined) {
    const { answers, table } = tellsMagnitude
    screen.section(
      'The week, day by day (UTC)',
      `Counted by key ranges of ${table.name} in ${table.engine.name}; strong means magnitude ${STRONG} or more.`,
    )
    screen.print(
      ...dayChart(
        paint,
        answers.filter(({ question }) => byDay.includes(question)),
        answers.filter(({ question }) => strong.includes(question)),
      ),
    )
  }

  screen.section(
    `How ${hour.title} is found`,
    'The plan of each database for its first table; the others were checked in the same way.',
  )
  for (const engine of engines) {
    const [first] = surveys.filter(({ table }) => table.engine === engine)
    if (first !== undefined) screen.print(...planOf(paint, first, hour))
  }

  const moments = [0, strongestOf(quakes).timeMs, ...questions.byTime.flatMap((q) => [q.fromMs, q.toMs])]
  const { version } = await watch.measure('PGlite: install snoflax', () => install(pglite.postgres))
  const inPglite = surveys.filter(({ table }) => table.engine === pglite)
  const agreements = await agreeAll(pglite, inPglite, families, moments, watch, progress)
  screen.section(
    `Both sides: the functions of @snoflax/pg-sql ${version} in ${pglite.name}`,
    'Insert: rows inserted without ids, whose ids TypeScript reads. Text and time of those ids, and the',
    `bounds of ${moments.length} times, are equal in SQL and TypeScript, as are text, time and key of every quake.`,
  )
  screen.print(...agreementTable(paint, agreements))

  await showSizes(screen, watch, engines, quakes, weeks)

  screen.section('Times', `${seconds(watch.totalMs)} in total.`)
  screen.print(...timeTable(paint, watch))

  const { passed, lines } = verdict(paint, [
    ...surveys.map((survey) => ({
      engine: survey.table.engine.name,
      table: survey.table.name,
      checks: checksOf(survey),
    })),
    ...agreements.map(({ table, checks }) => ({ engine: pglite.name, table, checks })),
  ])
  screen.print('', ...lines)
  return passed
}

async function showSizes(
  screen: Screen,
  watch: Stopwatch,
  engines: readonly Engine[],
  quakes: readonly Quake[],
  weeks: number,
): Promise<void> {
  const progress = screen.progress.bind(screen)
  const manyQuakes = repeatWeek(quakes, weeks)
  const made = await watch.measure('generate ids for the sizes', () =>
    quakeIds(manyQuakes)
      .filter(({ family }) => !('prefix' in family)) // stored as their base
      .map(({ family, make }) => ({ family, ids: manyQuakes.map(make) })),
  )
  for (const engine of engines) {
    const sizes = await watch.measure(`${engine.name}: measure the sizes`, () =>
      measureSizes(engine, manyQuakes, made, progress),
    )
    screen.section(
      `Sizes in ${engine.name}: ${grouped(manyQuakes.length)} quakes`,
      `Tables of id and magnitude: the week ${weeks} times, inserted in order of time. Random UUIDs go`,
      'anywhere in the index and leave its pages partly empty.',
    )
    screen.print(...sizeTable(screen.paint, sizes))
    await engine.close()
  }
}
