import type { Cell } from './record.js'

const HEADINGS: Record<Cell['database'], string> = {
  postgres: 'PostgreSQL',
  pglite: 'PGlite',
  sqlite: 'SQLite',
  mysql: 'MariaDB',
}
const STORAGES = ['uuid', 'text', 'binary', 'uuid8', 'bigint'] as const
const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** The paths of one ORM on each database, which docs/write-paths.md explains. */
export function writePathsPage(orm: string, cells: readonly Cell[]): string {
  const found = Object.entries(HEADINGS).flatMap(([database, heading]) => {
    const seen = cells.filter((cell) => cell.database === database)
    return seen.length > 0 ? [{ heading, lines: matrix(seen) }] : []
  })
  const [base] = found
  const parts = found.map((one) =>
    section(
      one.heading,
      base === undefined || one === base ? one.lines : shortened(one.lines, base.lines, base.heading),
    ),
  )
  return `${numbered([`${orm}: paths that the tests run. See docs/write-paths.md`, ...parts].join('\n\n'))}\n`
}

const section = (heading: string, lines: readonly string[]) =>
  [heading, '='.repeat(heading.length), '', ...lines].join('\n')

/** How a note stands in the lines of a section. The page numbers them. */
const noted = (note: string) => `⟦${note}⟧`

/** Notes become numbers, below which they stand once. */
function numbered(page: string): string {
  const notes: string[] = []
  const text = page.replaceAll(/ ?⟦(.*?)⟧/g, (_, note: string) => {
    if (!notes.includes(note)) notes.push(note)
    return `${notes.indexOf(note) + 1}`.replaceAll(/\d/g, (digit) => DIGITS[Number(digit)] as string)
  })
  if (notes.length === 0) return text
  const lines = notes.map((note, at) => `${at + 1}. ${note}`)
  return `${text}\n\n${section('Notes', lines)}`
}

/** The paths that work with every storage by operation, then a table of the others with a column for each storage. */
function matrix(cells: readonly Cell[]): string[] {
  const storages = STORAGES.filter((storage) => cells.some((cell) => cell.storage === storage))
  const inStorage = (of: readonly Cell[], storage: string) => of.filter((cell) => cell.storage === storage)
  const paths = [...groups(cells, ({ operation, path }) => `${operation} | ${path}`).values()].map(
    (those) => ({
      operation: those[0]?.operation as string,
      path: those[0]?.path as string,
      works: storages.every((storage) => inStorage(those, storage).length > 0) && !those.some(isRefused),
      marks: storages.map((storage) => mark(inStorage(those, storage))).join(' | '),
      notes: uncheckedIn(those, storages),
    }),
  )
  const works = paths.filter(({ works }) => works)
  const others = paths.filter(({ works }) => !works)
  const table = [...groups(others, ({ operation, marks }) => `${operation} | ${marks}`).values()].map(
    (those) => `| ${those[0]?.operation}: ${listed(those)} | ${those[0]?.marks} |`,
  )
  return [
    [...groups(cells, ({ storage }) => storage)]
      .map(([storage, those]) => `${storage}: ${familiesOf(those).join(', ')}`)
      .join('; '),
    '',
    ...[...groups(works, ({ operation }) => operation)].map(([operation, those]) => {
      const [notes = ''] = those.map((one) => one.notes)
      return those.every((one) => one.notes === notes)
        ? `- ${operation}${notes}: ${listed(those)}`
        : `- ${operation}: ${those.map((one) => one.path + one.notes).join('; ')}`
    }),
    ...(table.length > 0
      ? ['', `| path | ${storages.join(' | ')} |`, `| --- |${' :-: |'.repeat(storages.length)}`, ...table]
      : []),
  ]
}

const listed = (paths: readonly { readonly path: string }[]) => paths.map(({ path }) => path).join('; ')

const isRefused = ({ refused }: Cell) => refused !== undefined

const familiesOf = (cells: readonly Cell[]) => [...new Set(cells.map(({ family }) => family))]

/** What a path does in one storage: ✓ with every family, or ✗ and why not. */
function mark(cells: readonly Cell[]): string {
  if (cells.length === 0) return ''
  const refused = cells.filter(isRefused)
  if (refused.length === 0) {
    const unchecked = cells.flatMap((cell) => cell.unchecked ?? [])
    return `✓${[...new Set(unchecked)].map(noted).join(' ')}`
  }
  const note = `✗${[...new Set(refused.map((cell) => noted(cell.refused as string)))].join(' ')}`
  return refused.length < cells.length ? `✓, ${familiesOf(refused).join(', ')} ${note}` : note
}

/** Why malformed ids are passed to the database, with the storages if it is not in all. */
function uncheckedIn(cells: readonly Cell[], storages: readonly string[]): string {
  const unchecked = cells.filter((cell) => cell.unchecked !== undefined)
  return [...groups(unchecked, (cell) => cell.unchecked as string)]
    .map(([why, those]) => {
      const where = [...new Set(those.map(({ storage }) => storage))]
      return noted(where.length === storages.length ? why : `${where.join(', ')}: ${why}`)
    })
    .join(' ')
}

/** With one line for all lists that are those of the page's first database. It names the operations whose lists are not. */
function shortened(lines: readonly string[], first: readonly string[], base: string): string[] {
  const operationOf = (line: string) => /^- ([^:⟦]+)/.exec(line)?.[1]
  const listed = first.filter((line) => operationOf(line) !== undefined)
  const others = listed.filter((line) => !lines.includes(line)).map(operationOf)
  if (others.length === listed.length) return [...lines]
  const [families = '', blank = '', ...rest] = lines.filter((line) => !listed.includes(line))
  const same = [base, ...(others.length > 0 ? [others.join('; ')] : [])].join(', but for: ')
  return [families, blank, `- as in ${same}`, ...rest]
}

/** By the first appearance of each name. */
function groups<Item, Name extends string>(
  items: readonly Item[],
  nameOf: (item: Item) => Name,
): Map<Name, Item[]> {
  const found = new Map<Name, Item[]>()
  for (const item of items) {
    const of = found.get(nameOf(item))
    if (of) of.push(item)
    else found.set(nameOf(item), [item])
  }
  return found
}
