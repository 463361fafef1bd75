import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { matrix, noted } from './matrix.js'
import type { Cell } from './record.js'

/** The server that the contract calls mysql: one suite serves both. */
export type MysqlServer = 'MySQL' | 'MariaDB'

const HEADINGS = ['PostgreSQL', 'PGlite', 'SQLite', 'MySQL', 'MariaDB']
const NOTES = 'Notes'
const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Writes the results of a run for one ORM, which docs/write-paths.md explains. Databases that the run didn't have keep their earlier results. */
export function writeMatrixPage(
  folder: string,
  orm: string,
  cells: readonly Cell[],
  mysqlServer: MysqlServer,
): void {
  const file = join(folder, `${orm.toLowerCase().replaceAll(' ', '-')}.txt`)
  const earlier = existsSync(file) ? sections(readFileSync(file, 'utf8')) : new Map<string, string[]>()
  const found = HEADINGS.flatMap((heading): [string, string[]][] => {
    const seen = cells.filter((cell) => headingOf(cell, mysqlServer) === heading)
    const lines = seen.length > 0 ? matrix(seen) : earlier.get(heading)
    return lines === undefined ? [] : [[heading, lines]]
  })
  const parts = found.map(([heading, lines], at) => {
    const [[base = '', first = []] = []] = found
    return section(heading, at === 0 ? lines : shortened(lines, first, base))
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${numbered([opening(orm), ...parts].join('\n\n'))}\n`)
}

export function headingOf({ database }: Pick<Cell, 'database'>, mysqlServer: MysqlServer): string {
  switch (database) {
    case 'postgres':
      return 'PostgreSQL'
    case 'pglite':
      return 'PGlite'
    case 'sqlite':
      return 'SQLite'
    case 'mysql':
      return mysqlServer
  }
}

const opening = (orm: string) => `${orm}: paths that the tests run. See docs/write-paths.md`

const section = (heading: string, lines: readonly string[]) =>
  [heading, '='.repeat(heading.length), '', ...lines].join('\n')

const operationOf = (line: string) => /^- ([^:⟦]+)/.exec(line)?.[1]

/** With one line for all lists that are those of the page's first database. It names the operations whose lists are not. */
function shortened(lines: readonly string[], first: readonly string[], base: string): string[] {
  const listed = first.filter((line) => operationOf(line) !== undefined)
  const others = listed.filter((line) => !lines.includes(line)).map(operationOf)
  if (others.length === listed.length) return [...lines]
  const rest = lines.filter((line) => !listed.includes(line))
  rest.splice(
    2,
    0,
    `- as in ${[base, ...(others.length > 0 ? [others.join('; ')] : [])].join(', but for: ')}`,
  )
  return rest
}

function expanded(lines: readonly string[], first: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const named = /^- as in \w+(?:, but for: (.+))?$/.exec(line)
    if (named === null) return [line]
    const others = named[1]?.split('; ') ?? []
    return first.filter((one) => {
      const operation = operationOf(one)
      return operation !== undefined && !others.includes(operation)
    })
  })
}

/** Numbers the notes of a page, and lists them at its end. */
function numbered(page: string): string {
  const notes: string[] = []
  const text = page.replaceAll(/⟦(.+?)⟧/g, (_, note: string) => {
    if (!notes.includes(note)) notes.push(note)
    return `${notes.indexOf(note) + 1}`.replaceAll(/\d/g, (digit) => DIGITS[Number(digit)] as string)
  })
  if (notes.length === 0) return text
  return `${text}\n\n${section(
    NOTES,
    notes.map((note, at) => `${at + 1}. ${note}`),
  )}`
}

/** Heading → its lines, as `matrix` made them. */
function sections(page: string): Map<string, string[]> {
  const bodies = new Map(
    page
      .split(/^(?=\w+\n=+$)/m)
      .slice(1)
      .map((part) => {
        const [heading = '', , ...lines] = part.trim().split('\n')
        return [heading, lines.join('\n').trim()] as const
      }),
  )
  const notes = (bodies.get(NOTES) ?? '').split('\n').map((line) => line.replace(/^\d+\. /, ''))
  const found = new Map<string, string[]>()
  for (const [heading, body] of bodies) {
    const lines = body
      .replaceAll(/[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (digits) => {
        const number = Number([...digits].map((digit) => DIGITS.indexOf(digit)).join(''))
        return noted(notes[number - 1] as string)
      })
      .split('\n')
    const [first = lines] = found.values()
    found.set(heading, expanded(lines, first))
  }
  return found
}
