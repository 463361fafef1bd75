// Draws the pictures of the documentation: the demo's opening, the layouts of the families, and figures of bench/results.
// With --check it compares the last two with the files, since the demo's ids differ in each run.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { flake, flax, sno, ulid, uuid7 } from '@snoflax/core'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'
import Database from 'better-sqlite3'

const root = join(import.meta.dirname, '../../..')
const COLOURS = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red']

const STYLE = `
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre }
  .back { fill: #f6f8fa } .track { fill: #d8dee4 } .bold { font-weight: 700 } .dim { fill: #59636e }
  .cyan { fill: #0b7285 } .yellow { fill: #8a5a00 } .magenta { fill: #8250df }
  .green { fill: #1a7f37 } .blue { fill: #0550ae } .red { fill: #b3261e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .back { fill: #161b22 } .track { fill: #30363d } .dim { fill: #9198a1 }
    .cyan { fill: #56d4dd } .yellow { fill: #e3b341 } .magenta { fill: #d2a8ff }
    .green { fill: #56d364 } .blue { fill: #79c0ff } .red { fill: #ff7b72 }
  }
`

const escaped = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @param {string} title @param {number} width @param {number} height @param {readonly string[]} parts */
const svg = (title, width, height, parts) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>${STYLE}</style>
<rect class="back" width="${width}" height="${height}" rx="8"/>
${parts.join('\n')}
</svg>
`

/** @param {number} x @param {number} y @param {string} text @param {string} [style] @param {string} [anchor] */
const label = (x, y, text, style = '', anchor = 'start') =>
  `<text x="${x}" y="${y}" class="${style}" text-anchor="${anchor}">${escaped(text)}</text>`

const PAD = 20

/** The fields of each family, as long as their bits. */
export function layouts() {
  const families = [uidLocal, flake, twitter, discord, sno, flax, uid, uuid7, ulid]
  const bitWidth = 6
  const rowHeight = 74
  const rows = families.flatMap(({ name, byteLength, layout }, row) => {
    const y = PAD + row * rowHeight
    let bit = 0
    let column = 0
    const fields = layout.fields.flatMap((field, index) => {
      const x = PAD + bit * bitWidth
      const words = `${field.name} ${field.bits}`
      const colour = COLOURS[index % COLOURS.length]
      const shown = [
        `<rect class="${colour}" x="${x}" y="${y + 24}" width="${field.bits * bitWidth - 1}" height="14"/>`,
        label(PAD + column * 8.43, y + 56, words, colour),
      ]
      bit += field.bits
      column += words.length + 3
      return shown
    })
    return [
      label(PAD, y + 15, name, 'bold'),
      label(PAD + 128 * bitWidth, y + 15, `${byteLength} bytes, ${layout.unitMs} ms`, 'dim', 'end'),
      ...fields,
    ]
  })
  return svg('Bits of each family', 2 * PAD + 128 * bitWidth, PAD + families.length * rowHeight, rows)
}

/** The table below a heading: a column's figures by row. @param {'core' | 'postgres'} chapter @param {string} heading @param {string} title */
function figures(chapter, heading, title) {
  const [, below = ''] = readFileSync(join(root, `bench/results/${chapter}.txt`), 'utf8').split(
    `\n${heading}\n`,
  )
  const rows = (/(?:^\|.*\n)+/m.exec(below)?.[0] ?? '')
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const at = rows[0]?.indexOf(title) ?? -1
  if (at < 0) throw new Error(`bench/results/${chapter}.txt has no column ${title} below ${heading}`)
  return new Map(rows.slice(2).map((row) => [row[0] ?? '', Number.parseFloat(row[at] ?? '')]))
}

/** @param {ReadonlyMap<string, number>} all @param {Readonly<Record<string, string>>} names by row of the table */
const chosen = (all, names) =>
  Object.entries(names).map(([row, shown]) => {
    const value = all.get(row)
    if (value === undefined) throw new Error(`bench/results have no figure of ${row}`)
    return { shown, value, isOurs: /^(flax|sno|flake)/.test(shown) }
  })

/** Time to generate an id, and size of its rows. */
export function bench() {
  const charts = [
    {
      title: 'A new id in Node.js 20, in times of crypto.randomUUID()',
      bars: chosen(figures('core', 'A new id, as a flat text', 'of crypto.randomUUID'), {
        'flax.generate': 'flax',
        'sno.generate': 'sno',
        'flax, monotonic': 'flax, monotonic',
        'crypto.randomUUID': 'crypto.randomUUID',
        'ulid, monotonic': 'ulid (npm), monotonic',
        uuidv7: 'uuidv7 (npm)',
        'typeid-js': 'typeid-js',
      }),
    },
    {
      title: 'Table and index of 100,000 rows in PostgreSQL 18, in times of UUIDv4 as uuid',
      bars: chosen(figures('postgres', 'Size of table and index', 'of uuid, both'), {
        'flake as bigint': 'flake as bigint',
        'sno as binary': 'sno as binary',
        'sno as uuid': 'sno as uuid',
        'UUIDv7 as uuid': 'UUIDv7 as uuid',
        'flax as uuid': 'flax as uuid',
        'UUIDv4 as uuid': 'UUIDv4 as uuid',
        'ULID in PL/pgSQL, as text': 'ULID as text',
        'flax as text': 'flax as text (default)',
        'UUIDv4 as text': 'UUIDv4 as text',
      }),
    },
  ]
  const width = 808
  const left = 240
  const parts = []
  let y = PAD
  for (const { title, bars } of charts) {
    parts.push(label(PAD, y + 15, title, 'bold'))
    y += 32
    const longest = Math.max(...bars.map(({ value }) => value))
    for (const { shown, value, isOurs } of bars) {
      const length = Math.max(2, Math.round(((width - left - 80) * value) / longest))
      parts.push(
        label(left - 12, y + 14, shown, '', 'end'),
        `<rect class="${isOurs ? 'cyan' : 'dim'}" x="${left}" y="${y + 2}" width="${length}" height="16" rx="2"/>`,
        label(left + length + 8, y + 14, value.toFixed(2)),
      )
      y += 24
    }
    y += 24
  }
  return svg('Speed and size, from bench/results', width, y, parts)
}

const LINE = 18
const COLUMN = 8.43
const ESCAPE = '\u001b'

/** The demo's opening as a picture: a question, its answer and plan, and a row by its id. @param {string} output with colours */
function terminal(output) {
  const [opening = ''] = output.split('The table is in quakes.db')
  const lines = [`${ESCAPE}[2m$ npm run demo${ESCAPE}[22m`, ...opening.trimEnd().split('\n')]
  return screen('Earthquakes of an hour, found by their primary keys, and one of them by its id', lines)
}

/** The keys of a small shop, replaced by the command. */
function adoption() {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-adopt-'))
  const file = join(folder, 'shop.db')
  const database = new Database(file)
  database.exec(`CREATE TABLE customers (id integer PRIMARY KEY, name text NOT NULL, created_at text NOT NULL);
    CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers (id), created_at text NOT NULL);
    INSERT INTO customers WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      SELECT i, 'customer ' || i, strftime('%Y-%m-%dT%H:%M:%SZ', '2024-01-01', i || ' hours') FROM n;
    INSERT INTO orders SELECT id, id, created_at FROM customers`)
  const table = (/** @type {string} */ name, /** @type {string} */ prefix) => ({
    table: name,
    createdAt: 'created_at',
    family: 'flax',
    prefix,
  })
  const config = { database: file, tables: [table('customers', 'cus'), table('orders', 'ord')] }
  writeFileSync(join(folder, 'snoflax.adopt.json'), JSON.stringify(config))
  const command = join(root, 'tools/cli/bin/snoflax.js')
  const steps = ['plan', 'backfill', 'switch', 'verify'].flatMap((step) => {
    const { stdout, stderr } = spawnSync(process.execPath, [command, 'adopt', step], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '1' },
    })
    const output = `${stderr}${stdout}`.trimEnd().split('\n')
    return [
      `${ESCAPE}[2m$ npx snoflax adopt ${step}${ESCAPE}[22m`,
      ...output.filter((line) => line !== ''),
      '',
    ]
  })
  const [row] = database.prepare('SELECT * FROM orders ORDER BY id LIMIT 1').all()
  rmSync(folder, { recursive: true })
  const { id, customer_id } = /** @type {{ id: string, customer_id: string }} */ (row)
  const query = `${ESCAPE}[2mSELECT id, customer_id FROM orders LIMIT 1;${ESCAPE}[22m`
  return screen('Four steps of snoflax adopt', [...steps, query, `${id}  ${customer_id}`])
}

/** Lines of a terminal, with colours, as a picture. @param {string} title @param {readonly string[]} lines */
function screen(title, lines) {
  const columns = Math.max(...lines.map((line) => [...stripVTControlCharacters(line)].length))
  const parts = lines.map((line, row) => spans(line, PAD + row * LINE + 14)).filter(Boolean)
  return svg(title, Math.ceil(2 * PAD + columns * COLUMN), 2 * PAD + lines.length * LINE, parts)
}

const STYLES = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['34', 'blue'],
  ['35', 'magenta'],
  ['36', 'cyan'],
])

/** A code of colour, and the text up to the next one. */
const RUN = new RegExp(`(?:${ESCAPE}\\[(\\d+)m)?([^${ESCAPE}]*)`, 'g')

/** @param {string} line @param {number} y */
function spans(line, y) {
  let style = ''
  let column = 0
  let shown = ''
  for (const [, code, text = ''] of line.matchAll(RUN)) {
    if (code !== undefined) style = STYLES.get(code) ?? ''
    const x = PAD + column * COLUMN
    const length = [...text].length
    if (text.trim() !== '')
      shown += `<tspan x="${x.toFixed(1)}" textLength="${(length * COLUMN).toFixed(1)}" lengthAdjust="spacingAndGlyphs"${style && ` class="${style}"`}>${escaped(text)}</tspan>`
    column += length
  }
  return shown && `<text y="${y}" xml:space="preserve">${shown}</text>`
}

export const drawn = { 'docs/layouts.svg': layouts, 'docs/bench.svg': bench }

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isCheck = process.argv.includes('--check')
  for (const [path, draw] of Object.entries(drawn)) {
    if (!isCheck) writeFileSync(join(root, path), draw())
    else if (readFileSync(join(root, path), 'utf8') !== draw()) {
      console.error(`${path} is out of date; run: npm run pictures`)
      process.exitCode = 1
    }
  }
  if (!isCheck) {
    writeFileSync(join(root, 'docs/adopt.svg'), adoption())
    const output = execFileSync(process.execPath, ['examples/quakes/dist/main.js'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '1' },
    })
    writeFileSync(join(root, 'docs/demo.svg'), terminal(output))
  }
}
