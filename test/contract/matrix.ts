import type { Cell } from './record.js'

const STORAGES = ['uuid', 'text', 'binary', 'uuid8', 'bigint'] as const

/**
 * The paths of one ORM on one database: those that work with every storage by operation, then a table of the others with a
 * column for each storage.
 */
export function matrix(cells: readonly Cell[]): string {
  const storages = STORAGES.filter((storage) => cells.some((cell) => cell.storage === storage))
  const notes = [...new Set(cells.flatMap(({ refused, unchecked }) => refused ?? unchecked ?? []))]
  const paths = [...groups(cells, ({ operation, path }) => `${operation} | ${path}`)].map(
    ([name, ofPath]) => ({
      name,
      ofPath,
      marks: storages.map((storage) =>
        mark(
          ofPath.filter((cell) => cell.storage === storage),
          notes,
        ),
      ),
    }),
  )
  const isWhole = ({ marks }: (typeof paths)[number]) => marks.every((one) => one === '✓')
  const whole = paths.filter(isWhole).flatMap(({ ofPath }) => ofPath.slice(0, 1))
  const lines = paths
    .filter((one) => !isWhole(one))
    .map(({ name, marks }) => `| ${name} | ${marks.join(' | ')} |`)
  const header = `| operation | path | ${storages.join(' | ')} |`
  const rule = `| --- | --- |${' :-: |'.repeat(storages.length)}`
  const explained = notes.map((note, i) => `${i + 1}. ${note}`)
  return [
    familiesLine(cells),
    '',
    ...[...groups(whole, ({ operation }) => operation)].map(
      ([operation, those]) => `- **${operation}**: ${those.map(({ path }) => path).join(' · ')}`,
    ),
    ...(lines.length > 0 ? [...(whole.length > 0 ? [''] : []), header, rule, ...lines] : []),
    ...(notes.length > 0 ? ['', ...explained] : []),
  ].join('\n')
}

function familiesLine(cells: readonly Cell[]): string {
  const parts = [...groups(cells, ({ storage }) => storage)].map(
    ([storage, those]) => `${storage}: ${familiesOf(those).join(', ')}`,
  )
  return `Families: ${parts.join(' · ')}`
}

/** What a path does in one storage: ✓ with every family, or the number of the reason why not. */
function mark(cells: readonly Cell[], notes: readonly string[]): string {
  if (cells.length === 0) return ''
  const refused = cells.filter((cell) => cell.refused !== undefined)
  if (refused.length === 0) {
    const unchecked = cells.flatMap((cell) => cell.unchecked ?? [])
    return ['✓', ...new Set(unchecked.map((why) => `(${notes.indexOf(why) + 1})`))].join(' ')
  }
  const numbers = [...new Set(refused.map((cell) => notes.indexOf(cell.refused as string) + 1))]
  const note = `refused ${numbers.map((number) => `(${number})`).join(' ')}`
  const isPartly = refused.length < cells.length
  return isPartly ? `✓, ${familiesOf(refused).join(', ')} ${note}` : note
}

const familiesOf = (cells: readonly Cell[]) => [...new Set(cells.map(({ family }) => family))]

/** By the first appearance of each name. */
export function groups<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>()
  for (const item of items) found.set(nameOf(item), [...(found.get(nameOf(item)) ?? []), item])
  return found
}
