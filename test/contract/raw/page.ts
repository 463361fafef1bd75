import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { groups } from '../matrix.js'
import type { RawCell, RawOutcome } from './suite.js'

const OPENING = `# Raw SQL with compact ids

Forms of SQL that an application may write; \`{id}\` is a bound id, \`{'id'}\` one in the text of the SQL, \`[customers.id]\` the ORM's own object for a column. The tests run each of them in every ORM beside tables whose ids are text, and compare the rows that it returns and leaves.

- **✓**: converted, as on text keys.
- **refused**: an \`IdError\` names the column; mark the id with \`parameter(column, id)\`, or a value that is none with \`asText(value)\`.
- **database**: the database refuses it, as it refuses such a text beside a key of its own.

Nothing is silent. On text columns all of them are ✓, and nothing reads the SQL. The tests write this page; don't edit it.`

const MARKS: Record<RawOutcome, string> = { converted: '✓', refused: 'refused', database: 'database' }

/** Writes the forms of the databases that the run tried in every ORM. The others keep their earlier results. */
export function writeRawPage(
  file: string,
  cells: readonly RawCell[],
  orms: readonly string[],
  headingOf: (cell: RawCell) => string,
): void {
  const sections = new Map(
    (existsSync(file) ? readFileSync(file, 'utf8') : '')
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]),
  )
  for (const [heading, those] of groups(cells, headingOf)) {
    if (orms.every((orm) => those.some((cell) => cell.orm === orm))) sections.set(heading, forms(those, orms))
  }
  if (sections.size === 0) return
  const parts = [...sections].sort().map(([heading, body]) => `## ${heading}\n\n${body}`)
  writeFileSync(file, `${[OPENING, ...parts].join('\n\n')}\n`)
}

/** The forms with the same outcome in every ORM as lists, the others as a table. */
function forms(cells: readonly RawCell[], orms: readonly string[]): string {
  const rows = [...groups(cells, ({ sql }) => sql)].map(([sql, ofForm]) => ({
    sql,
    marks: orms.map((orm) => markOf(ofForm.filter((cell) => cell.orm === orm))),
  }))
  const isAlike = ({ marks }: (typeof rows)[number]) => marks.every((mark) => mark === marks[0])
  const lists = [...groups(rows.filter(isAlike), ({ marks }) => marks[0] as string)].flatMap(
    ([mark, those]) => [`**${mark}** in every ORM:`, '', ...those.map(({ sql }) => `- \`${sql}\``), ''],
  )
  const others = rows
    .filter((one) => !isAlike(one))
    .map(({ sql, marks }) => `| \`${sql.replaceAll('|', '\\|')}\` | ${marks.join(' | ')} |`)
  const header = [`| form | ${orms.join(' | ')} |`, `| --- |${' --- |'.repeat(orms.length)}`]
  return [...lists, ...(others.length > 0 ? [...header, ...others] : [])].join('\n').trimEnd()
}

/** One mark, or one for each storage where they differ. */
function markOf(cells: readonly RawCell[]): string {
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
