import { Command } from 'commander'
import { EXIT } from '../exit.js'
import { COUNTED, type Found, look } from '../find/look.js'
import type { Reference } from '../find/look-up.js'
import { type FoundRow, SHOWN_ROWS } from '../find/rows.js'
import { likelyReadings } from '../find/values.js'
import { behindPrefix, familiesFor, readingsOf } from '../ids/families.js'
import { otherIds } from '../ids/other-ids.js'
import { showUtc } from '../ids/time.js'
import { readDatabase } from '../live/open.js'
import { type Paint, type Terminal, unmark } from '../terminal.js'
import { addressOf, examples } from './options.js'

interface Kind {
  /** Such as `flax`; undefined for a text of no known kind. */
  readonly kind?: string
  readonly timeUtc?: string
}

export const find = (terminal: Terminal): Command =>
  new Command('find')
    .description('find the rows of an id, and what refers to them: by index, in a read-only transaction')
    .argument('<id>', 'any kind of id: with or without a prefix, a UUID, a number, a text')
    .argument('[url]', 'postgres://…, mysql://…, mariadb://…, or an SQLite file (default: DATABASE_URL)')
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      examples(
        'find cus_Kpcan0M1FakODT4k "$DATABASE_URL"',
        'find 01890a5d-ac96-774b-bcce-b302099a8057 app.db --json',
      ),
    )
    .action(async (input: string, url: string | undefined, { json }: { readonly json?: true }) => {
      const id = unmark(input).trim()
      const address = addressOf(terminal, 'a URL or an SQLite file', url)
      const found = await readDatabase('find', address, (database) => look(database, id))
      const isFound = found.rows.length > 0 || found.alsoIn.length > 0
      if (!isFound) terminal.exitCode = found.unknown.size > 0 ? EXIT.unchecked : EXIT.findings
      const kind = await kindOf(id)
      const refusals = isFound || kind.kind !== undefined ? [] : refusalsOf(id)
      if (json) await terminal.printJson(toDocument(id, kind, found, refusals))
      else await terminal.print(picture(id, kind, found, refusals, terminal.paint))
    })

async function kindOf(id: string): Promise<Kind> {
  const [reading] = likelyReadings(id)
  if (reading !== undefined)
    return { kind: behindPrefix(reading.family), timeUtc: showUtc(reading.family.timeMs(reading.id)) }
  const [other] = await otherIds(id)
  if (other === undefined) return {}
  return { kind: other.what, ...(other.timeMs !== undefined && { timeUtc: showUtc(other.timeMs) }) }
}

const refusalsOf = (id: string): readonly string[] => readingsOf(id, familiesFor(id), undefined).refusals

const listed = (places: Found['unknown']): object[] => Array.from(places, ([why, what]) => ({ why, what }))

const toDocument = (id: string, kind: Kind, found: Found, refusals: readonly string[]): object => ({
  id,
  ...kind,
  found: found.rows.map(({ wanted, ...row }) => ({
    ...row,
    storage: wanted.type,
    ...(wanted.family && { family: wanted.family.name }),
  })),
  furtherRows: found.furtherRows,
  alsoIn: found.alsoIn,
  ...(found.near.length > 0 && { near: found.near }),
  ...(found.nearUnknown.size > 0 && { nearUnknown: listed(found.nearUnknown) }),
  asked: found.asked,
  unknown: listed(found.unknown),
  ...(refusals.length > 0 && { refusals }),
})

function picture(
  id: string,
  { kind, timeUtc }: Kind,
  { rows, furtherRows, alsoIn, near, nearUnknown, asked, unknown }: Found,
  refusals: readonly string[],
  paint: Paint,
): string[] {
  const about = [kind, timeUtc].filter((one) => one !== undefined).join(', ')
  const places = rows.length + alsoIn.length
  const notFound = unknown.size > 0 ? 'not found, but not everything was asked' : 'not found'
  return [
    `${paint('bold', id)}${about === '' ? '' : `  ${about}`}`,
    ...rows.flatMap((row, n) => {
      const isLast = rows[n + 1]?.table !== row.table || rows[n + 1]?.column !== row.column
      return ['', ...rowLines(row, isLast ? furtherRows : undefined, paint)]
    }),
    ...(alsoIn.length > 0
      ? ['', ...alsoIn.map((one) => `also in ${counted(one)}, without a foreign key`)]
      : []),
    '',
    ...(places === 0 ? [paint('yellow', `${notFound}: asked ${tables(asked)}`)] : []),
    ...near.map(({ id, place }) => `similar: ${id} in ${place}`),
    ...Array.from(nearUnknown, ([why, what]) => `not searched for similar ids, ${why}: ${named(what)}`),
    ...refusals,
    ...(places === 0 && asked.length > 0 ? [`asked: ${named(asked)}`] : []),
    ...Array.from(unknown, ([why, what]) => `unknown, ${why}: ${named(what)}`),
    ...(places > 0 ? [paint('dim', `asked ${tables(asked)}`)] : []),
  ]
}

/** A row; behind the last one of a key, what refers to it and how many more rows there are. */
function rowLines(
  { table, column, row, hidden, unreadable, more, referencedBy }: FoundRow,
  furtherRows: readonly Reference[] | undefined,
  paint: Paint,
): string[] {
  const width = Math.max(...Object.keys(row).map((name) => name.length))
  const place = `${table}.${column}`
  const further = furtherRows?.find((one) => one.place === place)
  return [
    paint('green', place),
    ...Object.entries(row).map(
      ([name, value]) => `  ${name.padEnd(width)}  ${value ?? paint('dim', 'NULL')}`,
    ),
    ...(more > 0 ? [paint('dim', `  and ${more} more ${more === 1 ? 'column' : 'columns'}`)] : []),
    ...(hidden.length > 0 ? [paint('dim', `  hidden, named like a secret: ${named(hidden)}`)] : []),
    ...(unreadable.length > 0 ? [paint('dim', `  no right to read: ${named(unreadable)}`)] : []),
    ...(furtherRows ? referencedBy.map((one) => `  referenced by ${counted(one)}`) : []),
    ...(further ? [`  and ${moreThan(further)} more rows with this id`] : []),
  ]
}

const moreThan = ({ count }: Reference): string =>
  count + SHOWN_ROWS > COUNTED ? `more than ${COUNTED - SHOWN_ROWS}` : String(count)

const counted = ({ place, count }: Reference): string =>
  `${place}: ${count > COUNTED ? `more than ${COUNTED}` : count}`

const tables = (asked: readonly string[]): string =>
  `${asked.length} ${asked.length === 1 ? 'table' : 'tables'}`

const NAMED = 20

const named = (all: readonly string[]): string =>
  all.slice(0, NAMED).join(', ') + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')
