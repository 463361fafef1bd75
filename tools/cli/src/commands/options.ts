import type { Database } from '@snoflax/core'
import { type Command, InvalidArgumentError } from 'commander'
import { oneOf, UsageError } from '../exit.js'
import { parseTime } from '../ids/time.js'
import { type Terminal, unmark } from '../terminal.js'

/** A time among the arguments, in Unix milliseconds. @throws {UsageError} */
export const timeOf = (text: string): number => parseTime(unmark(text))

export function addFamilyOptions(command: Command): Command {
  return command
    .option('--epoch <time>', 'epoch of flake ids (default: 1970)', timeOf)
    .option('--neighbourhood <bits>', 'neighbourhood of uid ids, 5 to 10 (default: 8)', nonNegativeInteger)
}

/** What `--help` shows at its end. */
export const examples = (...commands: readonly string[]): string =>
  ['', 'Examples:', ...commands.map((one) => `  npx snoflax ${one}`)].join('\n')

export const addPrefixOption = (command: Command): Command =>
  command.option('--prefix <prefix>', 'prefix of the ids, such as cus in cus_…')

/** An option's argument as a number. @throws {InvalidArgumentError} to which commander adds option and argument. */
export function nonNegativeInteger(text: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be an integer, 0 or more, in digits.')
}

/** As {@link nonNegativeInteger}, from 1. */
export function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be an integer, 1 or more, in digits.')
}

/** MariaDB's literals are those of MySQL. */
export const DIALECTS = ['postgres', 'sqlite', 'mysql'] as const satisfies readonly Database[]
export type Dialect = (typeof DIALECTS)[number]

export const dialectNamed = (name: string): Dialect => oneOf('dialect', DIALECTS, name)

/** The first of these that is there, else `DATABASE_URL`. @throws {UsageError} */
export function addressOf({ io }: Terminal, what: string, ...urls: readonly (string | undefined)[]): string {
  const found = [...urls, io.env['DATABASE_URL']].find((one) => one !== undefined && one !== '')
  if (found === undefined) throw new UsageError(`no database: set DATABASE_URL, or pass ${what}`)
  return found
}
