import { type Database, IdError, type IdRange, type StorageName, storageFor } from '@snoflax/core'
import { Command } from 'commander'
import { UsageError } from '../exit.js'
import { type AnyFamily, type FamilyOptions, familyNamed, sqlName } from '../ids/families.js'
import { literal, storageNamed } from '../ids/forms.js'
import { parseTime, showUtc } from '../ids/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { DIALECTS, type Dialect, dialectNamed } from './dialects.js'
import { addFamilyOptions } from './family-options.js'

interface Options extends FamilyOptions {
  readonly from: string
  readonly to: string
  readonly column: string
  readonly storage?: string
  readonly dialect?: string
  readonly json?: true
}

/** Bounds as literals of one database and storage. */
interface Bounds {
  readonly dialect: Dialect
  readonly storage: StorageName
  readonly gte: string
  readonly lt: string
  /** The condition, ready to be pasted. */
  readonly sql: string
}

export const range = (terminal: Terminal): Command =>
  addFamilyOptions(
    new Command('range')
      .description('bounds of the ids made from a moment until before another')
      .argument('[family]', 'flax, sno, flake, uid or uidLocal', 'flax')
      .requiredOption('--from <time>', 'now, 2026-11-01, 2026-11-01T12:00:00Z or Unix milliseconds')
      .requiredOption('--to <time>', 'the moment before which they end')
      .option('--column <name>', 'the column in the conditions', 'id')
      .option('--storage <storage>', 'this storage only')
      .option('--dialect <dialect>', 'postgres, sqlite or mysql only')
      .option('--json', 'print a JSON object'),
  ).action(async (name: string, { from, to, column, storage, dialect, json, ...options }: Options) => {
    const family = familyNamed(name, options)
    const [fromMs, toMs] = [parseTime(from), parseTime(to)]
    const ids = family.range(fromMs, toMs)
    const wanted = {
      dialects: dialect === undefined ? DIALECTS : [dialectNamed(dialect)],
      storages: storage === undefined ? family.storages : [storageNamed(storage)],
    }
    const bounds = allBounds(family, ids, column, wanted)
    if (bounds.length === 0) throw new UsageError(`no such storage of ${family.name} there`)
    const span = { family: family.name, from: showUtc(fromMs), to: showUtc(toMs), exact: family.exactRange }
    if (json) await terminal.printJson({ ...span, ids, bounds })
    else if (bounds.length === 1) await terminal.print((bounds[0] as Bounds).sql)
    else await terminal.print(table(terminal, bounds))
    if (!json && !family.exactRange) terminal.note(recheck(family, column, span))
  })

interface Wanted {
  readonly dialects: readonly Dialect[]
  readonly storages: readonly StorageName[]
}

const allBounds = (family: AnyFamily, ids: IdRange<string>, column: string, wanted: Wanted): Bounds[] =>
  wanted.dialects.flatMap((dialect) =>
    wanted.storages.flatMap((storage) => boundsIn(family, ids, column, dialect, storage)),
  )

/** None where the database refuses the storage, or can't hold the number. */
function boundsIn(
  family: AnyFamily,
  { gte, lt }: IdRange<string>,
  column: string,
  dialect: Dialect,
  storage: StorageName,
): Bounds[] {
  try {
    const { toDatabase } = storageFor(family, dialect, { storage, exactBigint: true })
    const [low, high] = [literal(dialect, toDatabase(gte)), literal(dialect, toDatabase(lt))]
    return [{ dialect, storage, gte: low, lt: high, sql: `${column} >= ${low} AND ${column} < ${high}` }]
  } catch (error) {
    if (error instanceof IdError) return []
    throw error
  }
}

const TITLES: Readonly<Record<Database, string>> = {
  postgres: 'PostgreSQL',
  sqlite: 'SQLite',
  mysql: 'MySQL, MariaDB',
  mariadb: 'MySQL, MariaDB',
}

function table({ paint }: Terminal, bounds: readonly Bounds[]): string {
  const parts = DIALECTS.map((dialect) => bounds.filter((one) => one.dialect === dialect))
  return parts
    .filter(([first]) => first !== undefined)
    .map((part) => {
      const rows = part.map(({ storage, sql }) => `  ${storage.padEnd(6)}  ${sql}`)
      return [paint('bold', TITLES[part[0]?.dialect as Dialect]), ...rows].join('\n')
    })
    .join('\n')
}

const recheck = (family: AnyFamily, column: string, span: { from: string; to: string }): string =>
  `${family.name} ranges select whole windows; recheck: snoflax.${sqlName(family)}_time(${column}) >= ` +
  `'${span.from}' AND snoflax.${sqlName(family)}_time(${column}) < '${span.to}'`
