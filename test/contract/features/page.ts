import type { FeatureCell, WriteCell } from './adapter.js'
import { FORMS, type Form } from './forms.js'

export const ORMS = ['Drizzle', 'Kysely', 'MikroORM', 'Prisma', 'TypeORM']

const DATABASES = { sqlite: 'SQLite', postgres: 'PostgreSQL', pglite: 'PGlite', mysql: 'MariaDB' } as const

/** docs/features.txt: which forms of declaring have `find`, pages and ranges of time in which ORM, and why others don't. */
export function featuresPage(cells: readonly FeatureCell[]): string {
  const notes: string[] = []
  const mark = (orm: string, form: string) => {
    const [cell] = cells.filter((one) => one.orm === orm && one.form === form)
    if (cell === undefined) return ''
    if (cell.absent === undefined) return '✓'
    if (!notes.includes(cell.absent)) notes.push(cell.absent)
    return `${notes.indexOf(cell.absent) + 1}`
  }
  const rows = Object.entries<Form>(FORMS).map(([form, { databases }]) => {
    const only = databases && ' (PostgreSQL only)'
    return `| ${[form + (only ?? ''), ...ORMS.map((orm) => mark(orm, form))].join(' | ')} |`
  })
  const databases = [...new Set(cells.map(({ database }) => DATABASES[database]))].sort().join(', ')
  return `${[
    `Forms of declaring an id column, each tested with find, keyset, createdBetween, createdAfter and createdBefore.`,
    `Written by the tests, on ${databases}.`,
    '',
    `| an id column as | ${ORMS.join(' | ')} |`,
    `| --- |${' --- |'.repeat(ORMS.length)}`,
    ...rows,
    '',
    ...notes.map((note, at) => `${at + 1}. ${note}`),
  ].join('\n')}\n`
}

/** The table of docs/existing-keys.md: what writes do with a text that is no key of the column. */
export function writesTable(cells: readonly WriteCell[]): string {
  const rows = new Map<string, string[]>()
  const names = [...ORMS, ...cells.map(({ orm }) => orm)]
  const sorted = [...cells].sort((one, other) => names.indexOf(one.orm) - names.indexOf(other.orm))
  for (const { orm, write } of sorted) {
    const its = sorted.filter((cell) => cell.orm === orm && cell.write === write)
    const results = [
      resultsOf(its, 'error', false),
      resultsOf(its, 'notFound', false),
      resultsOf(its, 'notFound', true),
    ]
    const key = JSON.stringify([orm, results])
    rows.set(key, [...new Set([...(rows.get(key) ?? []), write])])
  }
  const lines = [...rows].map(([key, writes]) => {
    const [orm, results] = JSON.parse(key) as [string, string[]]
    const shown = writes.includes(orm) ? orm : `${orm}: ${writes.join(', ')}`
    return `| ${[shown, ...results].join(' | ')} |`
  })
  const head = "| | `'error'` | `'notFound'` | `'notFound'`, and a CHECK |"
  return [head, '| --- | --- | --- | --- |', ...lines].join('\n')
}

/** For ORMs without the option it is always `notFound`. */
function resultsOf(cells: readonly WriteCell[], onMismatch: 'error' | 'notFound', hasCheck: boolean): string {
  const some = cells.filter(
    (cell) => cell.hasCheck === hasCheck && (cell.onMismatch ?? 'notFound') === onMismatch,
  )
  return [...new Set(some.map(({ result }) => result))].sort().join(' or ')
}
