import { IdError, type IdFamily, prefixed } from '@snoflax/core'
import { isPrefixed } from '@snoflax/core/adapter'
import { fieldsJson, fieldsReader } from './fields.js'
import { formReader, formWriter, idReader, writers } from './ids.js'
import { momentText, readMoment } from './moments.js'
import { latest } from './own-functions.js'
import { pure, type SqlFunction } from './sql-function.js'
import { numberOf, type SqlValue } from './values.js'

/**
 * The functions of every family except generators, named without the family. With a `variant`, those that depend on time
 * have a last argument that selects it.
 */
export function codecFunctions(family: IdFamily, variant?: (option: number) => IdFamily): SqlFunction[] {
  const read = idReader(family)
  const readFields = fieldsReader(family)
  const chosenBy = (option: SqlValue | undefined): IdFamily =>
    variant && option !== undefined ? variant(numberOf(option)) : family
  const timed = (name: string, call: Timed): SqlFunction =>
    pure(name, (value, option) => call(chosenBy(option), value), 1, variant ? 1 : 0)
  return [
    ...texts(family),
    pure('is_valid', (value) => (isId(read, value) ? 1n : 0n)),
    ...conversions(family),
    timed('time', (chosen, id) => timeOf(chosen, read(id), (timeMs) => momentText(chosen.name, timeMs))),
    timed('time_ms', (chosen, id) => timeOf(chosen, read(id), BigInt)),
    timed('unpack', (chosen, id) => fieldsJson(chosen.unpack(read(id)) as Record<string, unknown>)),
    timed('pack', (chosen, json) => chosen.decode(chosen.pack(readFields(json)))),
    ...bounds(family).map(([name, bound]) => timed(name, bound)),
  ]
}

/** A last argument is a prefix, unless the family has one. */
function texts(family: IdFamily): SqlFunction[] {
  const read = idReader(family)
  const prefixes = isPrefixed(family) ? 0 : 1
  const behind = latest((prefix: SqlValue) => prefixed(family, prefix as string))
  const chosenBy = (prefix: SqlValue | undefined) => (prefix === undefined ? family : behind(prefix))
  return [
    pure(
      'encode',
      (id, prefix) => (prefix === undefined ? read(id) : behind(prefix).withPrefix(read(id))),
      1,
      prefixes,
    ),
    pure('decode', (text, prefix) => chosenBy(prefix).decode(text as string), 1, prefixes),
  ]
}

/** NULL for an id without a time, such as a UUIDv4. */
function timeOf(family: IdFamily, id: string, write: (timeMs: number) => SqlValue): SqlValue {
  const timeMs = family.timeMs(id)
  return Number.isNaN(timeMs) ? null : write(timeMs)
}

type Timed = (chosen: IdFamily, value: SqlValue) => SqlValue

function isId(read: (value: SqlValue) => string, value: SqlValue): boolean {
  try {
    read(value)
    return true
  } catch (error) {
    if (error instanceof IdError) return false
    throw error
  }
}

/** Conversions to and from forms that are neither text nor bytes. */
function conversions(family: IdFamily): SqlFunction[] {
  const read = idReader(family)
  return family.storages
    .filter((form) => form !== 'text' && form !== 'binary')
    .flatMap((form) => {
      const readForm = formReader(family, form)
      const write = formWriter(family, form)
      return [
        pure(`to_${form}`, (id) => write(read(id))),
        pure(`from_${form}`, (value) => family.decode(readForm(value))),
      ]
    })
}

/** Bounds by storage, for times as text and as Unix milliseconds. */
function bounds(family: IdFamily): [name: string, bound: Timed][] {
  const ends = family.exactRange ? (['lower'] as const) : (['lower', 'upper'] as const)
  return ends.flatMap((end) =>
    writers(family).flatMap(([ending, write]): [string, Timed][] => [
      [
        `${end}_bound${ending}`,
        (chosen, moment) => write(chosen[`${end}Bound`](readMoment(chosen.name, moment))),
      ],
      [`${end}_bound_ms${ending}`, (chosen, timeMs) => write(chosen[`${end}Bound`](numberOf(timeMs)))],
    ]),
  )
}
