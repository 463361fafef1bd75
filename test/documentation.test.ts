import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
// The site is made of copies, in site/pages and docs/site.
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.changeset', '.stryker', 'site'])

function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? pagesBelow(path) : path.endsWith('.md') ? [path] : []
  })
}

const withoutCode = (page: string) => page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')

const linksIn = (page: string) =>
  [...withoutCode(page).matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] as string)

/** As GitHub makes them from headings. */
const anchorsIn = (page: string) =>
  [...page.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] as string)
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe.each(pagesBelow(root).map((path) => [relative(root, path), path] as const))('%s', (_, path) => {
  const page = readFileSync(path, 'utf8')

  test('has no broken links', () => {
    const broken = linksIn(page).filter((link) => !/^https?:/.test(link) && !leadsSomewhere(path, link))
    expect(broken).toEqual([])
  })
})

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : join(dirname(path), file)
  if (!existsSync(target)) return false
  return anchor === undefined || anchorsIn(readFileSync(target, 'utf8')).includes(anchor)
}

test('the pictures show the current layouts and benchmarks', () => {
  execFileSync(process.execPath, ['examples/quakes/scripts/pictures.js', '--check'], {
    cwd: root,
    stdio: 'pipe',
  })
})

describe('figures in other pages are those of bench/results', () => {
  const benchmarks = ['core', 'postgres']
    .map((chapter) => readFileSync(join(root, `bench/results/${chapter}.txt`), 'utf8'))
    .join('\n')

  test('the third that the README names', () => {
    const figures = columnOf(benchmarks, 'A new id, as a flat text', 'of crypto.randomUUID')
    expect(readFileSync(join(root, 'README.md'), 'utf8').replaceAll('\n', ' ')).toContain(
      'less than a third of the time of `crypto.randomUUID()`',
    )
    expect(benchmarkOf(figures, 'flax')).toBeLessThan(1 / 3)
  })

  test("the README's figures for UUIDv7", () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8').replaceAll('\n', ' ')
    const inserts = columnOf(benchmarks, '100,000 rows by column default', 'of UUIDv7 as uuid')
    expect(readme).toContain(`takes ${inserts.get('flax as text')?.toFixed(2)} times as long`)
    const sizes = columnOf(benchmarks, 'Size of table and index', 'of uuid, both')
    const more = (sizes.get('flax as text') as number) / (sizes.get('UUIDv7 as uuid') as number)
    expect(readme).toContain(`of an id and an integer ${Math.round(100 * (more - 1))} %`)
    const orders = tableBelow(benchmarks, 'A table of orders with a foreign key')
    const [, size] = orders.find(([name]) => name === 'flax as text') as string[]
    expect(readme).toContain(`takes ${Math.round(100 * (Number(size) - 1))} % more space`)
  })

  test('a table with a foreign key in the page on storages', () => {
    const page = readFileSync(join(root, 'docs/choosing.md'), 'utf8')
    const [[, ...columns] = [], ...rows] = tableBelow(page, 'A table with a foreign key')
    for (const [at, column] of columns.entries()) {
      const figures = columnOf(benchmarks, 'A table of orders with a foreign key', `of ${column}`)
      for (const [name = '', ...cells] of rows)
        expect([name, Number(cells[at])]).toEqual([name, figures.get(name)])
    }
  })

  test('sizes in the page on compact storages', () => {
    const [, ...rows] = tableBelow(readFileSync(join(root, 'docs/compact.md'), 'utf8'), 'What it saves')
    const one = columnOf(benchmarks, 'Size of table and index', 'of uuid, both')
    const orders = columnOf(
      benchmarks,
      'A table of orders with a foreign key',
      'of size of table and indexes',
    )
    for (const [name = '', ofOne, ofOrders] of rows) {
      expect([name, Number(ofOne)]).toEqual([name, one.get(name)])
      if (ofOrders !== '') expect([name, Number(ofOrders)]).toEqual([name, orders.get(name)])
    }
    expect(rows).not.toEqual([])
  })

  const STORAGES: readonly (readonly [heading: string, column: string, cell: number])[] = [
    ['Size of table and index', 'of uuid, both', 1],
    ['100,000 rows by column default', 'of UUIDv4 as uuid', 2],
    ['What happened within an hour?', 'of indexed created_at', 3],
  ]
  test.each(STORAGES)('%s in the table of storages', (heading, column, cell) => {
    const figures = columnOf(benchmarks, heading, column)
    const told = tableBelow(readFileSync(join(root, 'docs/choosing.md'), 'utf8'), 'Size and speed')
    for (const row of told.slice(1)) {
      const name = (row[0] ?? '').replaceAll('`', '').replace('uuid text, for comparison', 'UUIDv4 as text')
      if (row[cell] !== '') expect([name, Number(row[cell])]).toEqual([name, figures.get(name)])
    }
  })
})

function benchmarkOf(figures: ReadonlyMap<string, number>, name: string): number {
  const row = [name, `${name}.generate`, `${name}, global`].find((one) => figures.has(one))
  if (row === undefined) throw new Error(`The benchmarks have no ${name}`)
  return figures.get(row) as number
}

/** Cells of the first table below a heading, without its rule. */
function tableBelow(page: string, heading: string): string[][] {
  const [, below = ''] = page.split(new RegExp(`^(?:#+ )?${heading.replaceAll(/[?.]/g, '\\$&')}$`, 'm'))
  const lines = below.slice(below.indexOf('\n|') + 1).split('\n')
  const table = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  )
  return table
    .filter((line) => !/^\|[-\s|:]+$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function columnOf(page: string, heading: string, title: string): Map<string, number> {
  const [header = [], ...rows] = tableBelow(page, heading)
  const at = header.indexOf(title)
  if (at < 0) throw new Error(`No column ${title} below ${heading}`)
  return new Map(rows.map((row) => [row[0] as string, Number.parseFloat(row[at] ?? '')]))
}
