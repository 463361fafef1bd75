import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AdoptionOptions, CreatedAt, TableOptions } from '@snoflax/adopt'
import {
  type Clock,
  flake,
  flax,
  type IdFamily,
  type IdGenerator,
  prefixed,
  type StorageName,
  sno,
  ulid,
  uuid7,
} from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import { checkOptions, type OptionKind } from '@snoflax/core/define'
import { uid, uidLocal } from '@snoflax/families'
import { UsageError } from '../exit.js'
import { parseTime } from '../ids/time.js'

type KeyTimes = Readonly<Record<string, (key: string) => number>>

/** A table in a configuration file. JSON files name a family and its numbers instead of passing a generator. */
export interface AdoptTable extends Omit<TableOptions, 'createdAt' | 'generator'> {
  /** As for `planAdoption`. Also, `key` may name a function of `keyTime`, such as `uuid7`, and `from` and `to` may be texts. */
  readonly createdAt:
    | CreatedAt
    | { readonly key: string }
    | { readonly from: string | Date; readonly to: string | Date }
  /** `flax`, `sno`, `flake`, `uid`, `uidLocal`, `uuid7` or `ulid`. */
  readonly family?: string
  /** Partition of sno. */
  readonly partition?: number
  /** Datacenter of flake. */
  readonly datacenter?: number
  /** Worker of flake. */
  readonly worker?: number
  /** Epoch of flake: a date, or Unix milliseconds. */
  readonly epoch?: string | number
  /** Node of uid. */
  readonly node?: string
  /** Neighbourhood of uid. */
  readonly neighbourhood?: number
  /** The prefix of the ids, such as `cus`. */
  readonly prefix?: string
  /** In JavaScript and TypeScript files: as for `planAdoption`, instead of a family. */
  readonly generator?: TableOptions['generator']
}

/** The configuration of `snoflax adopt`: a JSON file, or the default export of a module. */
export interface AdoptConfig extends Omit<AdoptionOptions, 'tables'> {
  /** `postgres://…`, `mysql://…` or an SQLite file. `--url` overrides it; default DATABASE_URL. */
  readonly database?: string
  /** Tables whose keys are replaced. */
  readonly tables: readonly AdoptTable[]
}

const NAMES = ['json', 'js', 'mjs', 'cjs', 'ts', 'mts'].map((ending) => `snoflax.adopt.${ending}`)

const CONFIG: Readonly<Record<string, OptionKind>> = {
  database: 'any',
  tables: 'any',
  references: 'any',
  ignore: 'any',
  maxDriftMs: 'number',
}

const TABLE: Readonly<Record<string, OptionKind>> = {
  table: 'any',
  createdAt: 'any',
  family: 'any',
  partition: 'number',
  datacenter: 'number',
  worker: 'number',
  epoch: 'any',
  node: 'any',
  neighbourhood: 'number',
  prefix: 'any',
  storage: ['text', 'binary', 'uuid', 'uuid8', 'bigint'] satisfies StorageName[],
  exactBigint: 'boolean',
  default: 'any',
  generator: 'function',
}

/** Reads the file. @throws {UsageError} if it is missing; {UsageError}, {IdError} for mistakes in it. */
export async function readConfig(path: string | undefined): Promise<{ file: string; config: AdoptConfig }> {
  const file = path ?? NAMES.find((name) => existsSync(name))
  if (file === undefined)
    throw new UsageError(
      `no configuration file: found none of ${NAMES.join(', ')} in this folder; create one, or pass --config <file>`,
    )
  if (!existsSync(file)) throw new UsageError(`${file}: no such file`)
  const config = file.endsWith('.json') ? parsed(file) : await imported(file)
  checkOptions(file, config, CONFIG, 'the configuration')
  const { database, tables, ignore = [] } = config as AdoptConfig
  if (!Array.isArray(tables) || tables.length === 0)
    throw new UsageError(`${file}: tables must be a list of the tables whose keys are replaced`)
  if (database !== undefined && typeof database !== 'string')
    throw new UsageError(`${file}: database must be postgres://…, mysql://… or the path of an SQLite file`)
  if (!Array.isArray(ignore) || ignore.some((name) => typeof name !== 'string'))
    throw new UsageError(`${file}: ignore must be a list of names`)
  return { file, config: config as AdoptConfig }
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // The message quotes the text, which may contain a password.
    const [place = ''] = / at position \d+| \(line \d+ column \d+\)/.exec((error as Error).message) ?? []
    throw new UsageError(`${file} is not JSON${place}`)
  }
}

async function imported(file: string): Promise<unknown> {
  try {
    const module = await import(/* @vite-ignore */ pathToFileURL(resolve(file)).href)
    return module.default
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const way =
      code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? '; Node.js 22.18 and newer read TypeScript, for older versions write .mjs'
        : ''
    throw new UsageError(`${file} can't be loaded: ${message}${way}`)
  }
}

/** The options of `planAdoption`. @throws {UsageError}, {IdError} naming the table. */
export function adoptionOptions(
  file: string,
  { tables, references, ignore, maxDriftMs }: AdoptConfig,
  keyTimes: KeyTimes,
): AdoptionOptions {
  for (const [i, { table, prefix }] of tables.entries()) {
    const other = tables.slice(0, i).find((one) => prefix !== undefined && one.prefix === prefix)
    if (other !== undefined) {
      throw new UsageError(
        `${file}, tables[${i}]: ${table} and ${other.table} both have the prefix ${prefix}; choose another one`,
      )
    }
  }
  return {
    tables: tables.map((table, i) => tableOptions(`${file}, tables[${i}]`, table, keyTimes)),
    ...(references !== undefined && { references }),
    ...(ignore !== undefined && { ignore }),
    ...(maxDriftMs !== undefined && { maxDriftMs }),
  }
}

function tableOptions(place: string, options: AdoptTable, keyTimes: KeyTimes): TableOptions {
  checkOptions(place, options, TABLE, 'a table')
  const { table, createdAt, storage, exactBigint, default: value } = options
  if (typeof table !== 'string') throw new UsageError(`${place}: table must be the table's name`)
  const named = `${place} (${table})`
  return {
    table,
    createdAt: createdAtOf(named, createdAt, keyTimes),
    generator: generatorOf(named, options),
    ...(storage !== undefined && { storage }),
    ...(exactBigint !== undefined && { exactBigint }),
    ...(value !== undefined && { default: value }),
  }
}

/** What a JSON file can't say otherwise: a function of `keyTime` by its name, and dates as texts. `planAdoption` checks the rest. */
function createdAtOf(place: string, createdAt: AdoptTable['createdAt'], keyTimes: KeyTimes): CreatedAt {
  if (typeof createdAt !== 'object' || createdAt === null) return createdAt
  if ('from' in createdAt)
    return { ...createdAt, from: dateOf(place, createdAt.from), to: dateOf(place, createdAt.to) }
  if (!('key' in createdAt) || typeof createdAt.key === 'function') return createdAt as CreatedAt
  const time = Object.hasOwn(keyTimes, createdAt.key) ? keyTimes[createdAt.key] : undefined
  if (time) return { ...createdAt, key: time }
  throw new UsageError(
    `${place}: createdAt.key must be one of ${Object.keys(keyTimes).join(', ')}, not ${createdAt.key}`,
  )
}

function dateOf(place: string, date: string | Date): Date {
  if (date instanceof Date) return date
  try {
    return new Date(parseTime(String(date)))
  } catch (error) {
    throw new UsageError(`${place}: createdAt: ${(error as Error).message}`)
  }
}

const NUMBERS: Readonly<Record<string, readonly (keyof AdoptTable)[]>> = {
  sno: ['partition'],
  flake: ['worker', 'datacenter', 'epoch'],
  uid: ['node', 'neighbourhood'],
}

function generatorOf(place: string, options: AdoptTable): TableOptions['generator'] {
  const { generator, family, prefix } = options
  const taken = family === undefined ? [] : (NUMBERS[family] ?? [])
  for (const name of Object.values(NUMBERS).flat()) {
    if (options[name] === undefined || taken.includes(name)) continue
    throw new UsageError(
      `${place}: ${generator ? 'a table with a generator' : (family ?? 'a table without a family')} has no option ${name}`,
    )
  }
  if (generator !== undefined) {
    if (family !== undefined || prefix !== undefined)
      throw new UsageError(`${place}: leave out family and prefix, since the generator has its own`)
    return generator
  }
  const create = GENERATORS[family ?? '']
  if (create === undefined)
    throw new UsageError(
      `${place}: family must be one of ${Object.keys(GENERATORS).join(', ')}, not ${family}`,
    )
  const under = (kind: IdFamily): IdFamily =>
    prefix === undefined ? kind : withPath(place, () => prefixed(kind, prefix))
  return (clock) => create(options, clock, under, place)
}

type CreateGenerator = (
  table: AdoptTable,
  clock: Clock,
  under: (family: IdFamily) => IdFamily,
  place: string,
) => IdGenerator<string>

/** Requires a value, since only the user knows which are in use. */
function chosen<Value>(place: string, value: Value | undefined, what: string): Value {
  if (value !== undefined) return value
  throw new UsageError(`${place}: set ${what} that no other generator or table uses`)
}

const GENERATORS: Readonly<Record<string, CreateGenerator>> = {
  flax: (_, clock, under) => (under(flax) as typeof flax).generator({ monotonic: true, clock }),
  sno: ({ partition }, clock, under, place) =>
    (under(sno) as typeof sno).generator({ partition: chosen(place, partition, 'a partition'), clock }),
  flake: ({ worker, datacenter = 0, epoch }, clock, under, place) => {
    const family =
      epoch === undefined ? flake : flake.withEpoch(typeof epoch === 'number' ? epoch : parseTime(epoch))
    return (under(family) as typeof flake).generator({
      datacenter,
      worker: chosen(place, worker, 'a worker'),
      clock,
    })
  },
  uid: ({ node, neighbourhood }, clock, under, place) => {
    const family = neighbourhood === undefined ? uid : uid.withNeighbourhood(neighbourhood)
    return (under(family) as typeof uid).generator({ node: chosen(place, node, 'a node'), clock })
  },
  uidLocal: (_, clock, under) => (under(uidLocal) as typeof uidLocal).generator({ clock }),
  uuid7: (_, clock, under) => (under(uuid7) as typeof uuid7).generator({ clock }),
  ulid: (_, clock, under) => (under(ulid) as typeof ulid).generator({ clock }),
}
