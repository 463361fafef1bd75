import type { FeatureCell } from './adapter.js'
import { FORMS } from './forms.js'

export const ORMS = ['Drizzle', 'Kysely', 'MikroORM', 'Prisma', 'TypeORM']

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
  const rows = Object.keys(FORMS).map(
    (form) => `| ${[form, ...ORMS.map((orm) => mark(orm, form))].join(' | ')} |`,
  )
  const databases = [...new Set(cells.map(({ database }) => database))].sort().join(', ')
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
