import type { Cell } from './record.js'

const STORAGES = ['uuid', 'text', 'binary', 'uuid8', 'bigint'] as const

/** How a note stands in the lines of a section. The page numbers them. */
export const noted = (note: string) => `⟦${note}⟧`

/**
 * The paths of one ORM on one database, in lines: those that work with every storage by operation, then a table of the others
 * with a column for each storage.
 */
export function matrix(cells: readonly Cell[]): string[] {
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
    familiesLine(cells),
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

function familiesLine(cells: readonly Cell[]): string {
  const parts = [...groups(cells, ({ storage }) => storage)].map(
    ([storage, those]) => `${storage}: ${familiesOf(those).join(', ')}`,
  )
  return parts.join('; ')
}

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

const familiesOf = (cells: readonly Cell[]) => [...new Set(cells.map(({ family }) => family))]

/** By the first appearance of each name. */
export function groups<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>()
  for (const item of items) found.set(nameOf(item), [...(found.get(nameOf(item)) ?? []), item])
  return found
}
