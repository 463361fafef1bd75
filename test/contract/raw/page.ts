import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { groups } from '../matrix.js'
import type { RawCell, RawOutcome } from './suite.js'

const OPENING = 'Forms of raw SQL beside compact ids, which the tests run. See docs/raw-sql.md'

const MARKS: Record<RawOutcome, string> = { converted: '✓', refused: 'refused', database: 'database' }

/** Form → database → what it does there. */
type Forms = Map<string, Map<string, string>>

/** Writes the forms of the databases that the run tried in every ORM. The others keep their earlier results. */
export function writeRawPage(
  file: string,
  cells: readonly RawCell[],
  orms: readonly string[],
  headingOf: (cell: RawCell) => string,
): void {
  const forms = existsSync(file) ? formsOf(readFileSync(file, 'utf8')) : new Map()
  for (const [database, those] of groups(cells, headingOf)) {
    if (!orms.every((orm) => those.some((cell) => cell.orm === orm))) continue
    for (const marks of forms.values()) marks.delete(database)
    for (const [form, ofForm] of groups(those, shortened)) {
      forms.set(form, (forms.get(form) ?? new Map()).set(database, markOf(ofForm, orms)))
    }
  }
  if (forms.size === 0) return
  writeFileSync(file, `${[OPENING, ...lists(forms)].join('\n\n')}\n`)
}

const shortened = ({ sql }: RawCell) =>
  sql
    .replace(/^SELECT name FROM customers (?=WHERE)/, '')
    .replaceAll('SELECT name FROM customers', '…')
    .replace(/ ORDER BY email$/, '')

/** A list for each outcome, below a line that names the databases: `MariaDB, SQLite = ✓`. */
function lists(forms: Forms): string[] {
  const rows = [...forms]
    .filter(([, marks]) => marks.size > 0)
    .map(([form, marks]) => ({ form, outcome: outcomeOf(marks) }))
  return [...groups(rows, ({ outcome }) => outcome)].flatMap(([outcome, those]) => [
    outcome,
    those.map(({ form }) => `  ${form}`).join('\n'),
  ])
}

function outcomeOf(marks: ReadonlyMap<string, string>): string {
  const byMark = groups([...marks].sort(), ([, mark]) => mark)
  return [...byMark].map(([mark, of]) => `${of.map(([name]) => name).join(', ')} = ${mark}`).join(' · ')
}

function formsOf(page: string): Forms {
  const forms: Forms = new Map()
  let marks: [string, string][] = []
  for (const line of page.split('\n')) {
    const [, form] = /^ {2}(.+)$/.exec(line) ?? []
    if (form !== undefined) forms.set(form, new Map(marks))
    else if (line.includes(' = ')) {
      marks = line.split(' · ').flatMap((part) => {
        const [, names = '', mark = ''] = /^(.+?) = (.+)$/.exec(part) ?? []
        return names.split(', ').map((name): [string, string] => [name, mark])
      })
    }
  }
  return forms
}

/** One mark, or one for each ORM where they differ. */
function markOf(cells: readonly RawCell[], orms: readonly string[]): string {
  const marks = orms.map((orm) => markOfOrm(cells.filter((cell) => cell.orm === orm)))
  return new Set(marks).size === 1
    ? (marks[0] as string)
    : orms.map((orm, at) => `${orm} (${marks[at]})`).join(', ')
}

/** One mark, or one for each storage where they differ. */
function markOfOrm(cells: readonly RawCell[]): string {
  const compact = cells.filter(({ storage }) => storage !== 'text')
  const outcomes = [...groups(compact, ({ outcome }) => outcome)]
  if (outcomes.length < 2) return outcomes.map(([outcome]) => MARKS[outcome as RawOutcome]).join('')
  return outcomes
    .map(
      ([outcome, those]) =>
        `${those.map(({ storage }) => storage).join(', ')}: ${MARKS[outcome as RawOutcome]}`,
    )
    .join('; ')
}
