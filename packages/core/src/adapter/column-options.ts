import { type Accept, accepting, type WithAccepted } from '../accepting.js'
import type { Id, IdFamily } from '../family.js'
import { isOpaque } from '../identity.js'
import { prefixed } from '../prefixed/index.js'
import { checkOptions, type OptionKind, ownOptions, refuse } from '../primitives/options.js'
import type { IdStorage } from '../storage/index.js'

/** What a text that can't be an id of a column does in a condition: it is an IdError, or finds nothing. */
export type OnMismatch = 'error' | 'notFound'

/** Options that decide which keys a column has and how they are typed. A reference takes its target's. */
export interface KeyOptions<
  Prefix extends string = string,
  Accepts extends Accept = Accept,
  Branded extends boolean = boolean,
> {
  /** The prefix, `cus` for `cus_Kpcan0M1FakODT4k`; the same as a column of `prefixed(family, prefix)`. */
  readonly prefix?: Prefix
  /**
   * Keys of other kinds that the column keeps beside its ids: a pattern, which must match the whole text, a family, or a
   * list of them. Needs storage `text`. With a pattern the column's type is `string`.
   */
  readonly accept?: Accepts
  /** `false` types the column and references to it as `string`. Default: true. */
  readonly branded?: Branded
}

/** Option of a generated column whose ids contain a byte of your own, as sno's do. */
export interface MetaOption {
  /** The metabyte of the ids, 0 to 255. */
  readonly meta?: number
}

/** The type of a column's keys with these {@link KeyOptions}; `never` stands for one that is left out. */
export type KeyOf<
  AnId extends string,
  Prefix extends string,
  Accepts extends Accept,
  Branded extends boolean,
> = [Branded] extends [false]
  ? string
  : string extends AnId
    ? string
    : WithAccepted<[Prefix] extends [never] ? AnId : Id<Prefix>, Accepts>

const DECLARED = {
  prefix: 'any',
  accept: 'any',
  branded: 'boolean',
} as const
const GENERATED = { generator: 'any', meta: 'any', default: ['database'], schema: 'any' } as const

/**
 * The family of a column with these options `prefix` and `accept`.
 *
 * @throws {IdError} `INVALID_OPTION` for a malformed prefix, for a family that already has one, and as {@link accepting}.
 *
 * @example
 * familyWith(flax, { prefix: 'cus', accept: /[a-z0-9]{24}/ }).name // 'cus'
 */
export function familyWith(
  family: IdFamily,
  options: { readonly prefix?: string | undefined; readonly accept?: Accept | undefined },
): IdFamily {
  const { prefix, accept } = ownOptions(options)
  const own = prefix === undefined ? family : prefixed(family, prefix)
  return accept === undefined ? own : accepting(own, accept)
}

/**
 * Checks a column's `onMismatch` when its storage is known.
 *
 * @throws {IdError} `INVALID_OPTION` for `notFound` in a column that can't be compared with any text.
 *
 * @example
 * checkMismatch(storageFor(flax, 'sqlite'), 'notFound')
 */
export function checkMismatch({ family, name }: IdStorage<string>, onMismatch: OnMismatch | undefined): void {
  if (onMismatch !== 'notFound' || name === 'text') return
  const reason =
    `onMismatch 'notFound' needs storage text; a column with storage ${name} can't be compared with ` +
    "a text that is no id. Use storage: 'text', or check ids from outside with the family's is()"
  refuse(family.name, 'onMismatch', onMismatch, reason)
}

/**
 * Checks the options of an id column: their names, their kinds, and which of them exclude each other. Returns a copy of
 * the own ones to read them from.
 *
 * @param stored options that columns of every role have, besides `prefix`, `accept` and `branded`.
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkColumnOptions(flax, 'generated', { storage: 'binary' }, { storage: 'any' })
 */
export function checkColumnOptions<Options extends object>(
  family: IdFamily,
  role: 'generated' | 'reference' | 'plain' | 'list',
  options: Options,
  stored: Readonly<Record<string, OptionKind>>,
): Options {
  const checked: Options = checkOptions(family.name, options, { ...DECLARED, ...stored, ...GENERATED })
  const own = checked as Readonly<Record<string, unknown>>
  const refuseField = (field: string, reason: string): never =>
    refuse(family.name, field, undefined, `${field} ${reason}`)
  if (role !== 'generated') {
    const unused = Object.keys(GENERATED).find((name) => own[name] !== undefined)
    if (unused) refuseField(unused, `is only for generated ids; a ${role} column does not generate any`)
    return checked
  }
  const { default: defaultOption, generator, schema } = own
  if (defaultOption === undefined) {
    if (schema !== undefined) refuseField('schema', "is only for default: 'database'")
  } else if (generator !== undefined) {
    refuseField('generator', "can't be used with default: 'database', where the database generates the ids")
  }
  return checked
}

/**
 * Refuses a type of the application's own for texts with a time: in a column of another collation their ranges, and with them
 * deletes by time, would match other rows.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkOwnType(storageFor(flax, 'postgres'), undefined) // undefined
 */
export function checkOwnType({ family, name }: IdStorage<string>, type: unknown, field = 'type'): void {
  if (type === undefined || name !== 'text' || isOpaque(family)) return
  const reason = `${field} is for ids of opaque(): times are found by the order of the column of its own type`
  refuse(family.name, field, type, `${reason}; leave it out`)
}
