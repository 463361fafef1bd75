import { IdError, type IdFamily, type IdRange, type StorageName } from '@snoflax/core'
import { sqlFunction } from '@snoflax/core/adapter'
import { Command } from 'commander'
import { UsageError } from '../exit.js'
import { type FamilyOptions, familyNamed, withPrefix } from '../ids/families.js'
import { literalOf, storageNamed } from '../ids/forms.js'
import { endOf, showUtc } from '../ids/time.js'
import { type Terminal, unmark } from '../terminal.js'
import {
  addFamilyOptions,
  addPrefixOption,
  DIALECTS,
  type Dialect,
  dialectNamed,
  examples,
  timeOf,
} from './options.js'

interface Options extends FamilyOptions {
  readonly from?: number
  readonly to?: number
  readonly column: string
  readonly prefix?: string
  readonly storage?: StorageName
  readonly dialect?: Dialect
  readonly json?: true
}

interface Bounds {
  readonly dialect: Dialect
  readonly storage: StorageName
  readonly gte: string
  readonly lt: string | undefined
  /** The condition, ready to be pasted. */
  readonly sql: string
}

export const range = (terminal: Terminal): Command =>
  addFamilyOptions(
    addPrefixOption(new Command('range'))
      .description('print bounds of ids generated at or after one time and before another')
      .argument(
        '[family]',
        'flax (default), sno, flake, uid, uidLocal, uuid7, ulid, typeid, twitter or discord',
      )
      .argument(
        '[from]',
        '2026, 2026-11, 2026-11-01, 2026-11-01T12, yesterday, -7d, 2026-11-01T12:30:00Z or Unix milliseconds',
      )
      .argument(
        '[to]',
        'end of the range, exclusive (default: the end of a year, month, day or hour, else now)',
      )
      .option('--from <time>', 'the same as the argument', timeOf)
      .option('--to <time>', 'the same as the argument', timeOf)
      .option('--column <name>', 'the column in the conditions', 'id')
      .option('--storage <storage>', 'this storage only', storageNamed)
      .option('--dialect <dialect>', 'postgres, sqlite or mysql only', dialectNamed)
      .option('--json', 'print a JSON object')
      .addHelpText(
        'after',
        examples(
          'range flax 2026-11',
          'range flax 2026-11-01 2026-11-08 --prefix cus --column customers.id --dialect postgres',
          'range uuid7 yesterday',
          'range sno -7d --storage uuid',
        ),
      ),
  ).action(
    async (
      first: string | undefined,
      second: string | undefined,
      third: string | undefined,
      { column, prefix, storage, dialect, json, ...options }: Options,
    ) => {
      const [name = 'flax', ...times] = isTime(first) ? ['flax', first, second] : [first, second, third]
      const { from, to } = ends(times, options)
      const base = familyNamed(name, options)
      const family = withPrefix(base, prefix)
      const ids = family.range(from, to)
      const storages = storage === undefined ? family.storages : [storage]
      const bounds = (dialect === undefined ? DIALECTS : [dialect]).flatMap((one) =>
        storages.flatMap((name) => boundsIn(family, ids, column, one, name)),
      )
      if (bounds.length === 0)
        throw new UsageError(
          `${base.name} has no storage ${storage ?? 'that fits'} in ${dialect === undefined ? 'these databases' : TITLES[dialect]}`,
        )
      const span = {
        family: base.name,
        ...(prefix !== undefined && { prefix }),
        from: showUtc(from),
        to: showUtc(to),
        exact: family.exactRange,
      }
      if (json) return terminal.printJson({ ...span, ids, bounds })
      await terminal.print(bounds.length === 1 ? (bounds[0] as Bounds).sql : table(terminal, bounds))
      if (!family.exactRange) terminal.note(recheck(base, column, span))
    },
  )

const isTime = (text: string | undefined): boolean =>
  text !== undefined && /^[-\d]|day$|^tomorrow$|^now$/.test(unmark(text))

/** Both ends, from arguments or options. @throws {UsageError} */
function ends(
  [first, second]: readonly (string | undefined)[],
  options: Pick<Options, 'from' | 'to'>,
): { from: number; to: number } {
  const from = options.from ?? (first === undefined ? undefined : timeOf(first))
  if (from === undefined)
    throw new UsageError(
      'pass a time, or two: range flax 2026-11, range flax 2026-11-01 2026-11-08, range yesterday, range -7d',
    )
  const to = options.to ?? (second === undefined ? undefined : timeOf(second))
  const whole = first === undefined || options.from !== undefined ? undefined : endOf(unmark(first), from)
  return { from, to: to ?? whole ?? Date.now() }
}

/** None if the database has no such storage, or can't store the number. */
function boundsIn(
  family: IdFamily,
  { gte, lt }: IdRange<string>,
  column: string,
  dialect: Dialect,
  storage: StorageName,
): Bounds[] {
  try {
    const low = literalOf(dialect, family, storage, gte)
    const high = lt === undefined ? undefined : literalOf(dialect, family, storage, lt)
    const below = high === undefined ? '' : ` AND ${column} < ${high}`
    return [{ dialect, storage, gte: low, lt: high, sql: `${column} >= ${low}${below}` }]
  } catch (error) {
    if (error instanceof IdError) return []
    throw error
  }
}

const TITLES: Readonly<Record<Dialect, string>> = {
  postgres: 'PostgreSQL',
  sqlite: 'SQLite',
  mysql: 'MySQL, MariaDB',
}

const table = ({ paint }: Terminal, bounds: readonly Bounds[]): string[] =>
  DIALECTS.flatMap((dialect) => {
    const rows = bounds.filter((one) => one.dialect === dialect)
    const width = Math.max(...rows.map(({ storage }) => storage.length), 6)
    const lines = rows.map(({ storage, sql }) => `  ${storage.padEnd(width)}  ${sql}`)
    return lines.length > 0 ? [paint('bold', TITLES[dialect]), ...lines] : []
  })

function recheck(family: IdFamily, column: string, { from, to }: { from: string; to: string }): string {
  const time = `${sqlFunction(family, 'time')}(${column})`
  return `${family.name} ranges select whole windows; recheck: ${time} >= '${from}' AND ${time} < '${to}'`
}
