import type { StorageName } from '@snoflax/core'
import { type Mistakes, refuse } from './schema.js'

/** What `/// @snoflax family option=value …` says of a field. */
export interface IdComment {
  readonly family: string
  readonly storage?: StorageName
  readonly meta?: number
  /** What each id begins with, before a `_`. */
  readonly prefix?: string
  /** The column stores the prefix, too. */
  readonly stored?: 'prefixed'
  /** Name of the computed field. */
  readonly createdAt?: string
  /** Who generates the ids: the extension, the database by its default, or the caller. */
  readonly generate?: GenerateBy
  /** A collation that the migration has given to the column, and that tells case. */
  readonly collation?: string
}

export type GenerateBy = 'application' | 'database' | 'never'

/** Not the name of a package. */
const MENTION = /@snoflax(?!\/)/
const MARK = /^@snoflax(?:\s+(.*))?$/

/**
 * The `@snoflax` line of a field's documentation, if it has one.
 *
 * @throws {IdError} `INVALID_OPTION` for a second line, other words before, no family, an unknown option or a bad
 * value.
 */
export function readComment(documentation: string | undefined): IdComment | undefined {
  const [line, second] = (documentation ?? '').split('\n').filter((text) => MENTION.test(text))
  if (line === undefined) return undefined
  if (second !== undefined) refuseText('@snoflax is written twice', documentation)
  const [, words = ''] =
    MARK.exec(line.trim()) ?? refuseText('@snoflax must begin its line and be followed by a family', line)
  const [family, ...options] = words.split(/\s+/).filter((word) => word !== '')
  if (family === undefined) refuseText('name a family: /// @snoflax sno', documentation)
  return options.reduce<IdComment>(withOption, { family })
}

/** Lines of a schema whose comment is one for people alone. */
const HIDDEN = /^.*(?<!\/)\/\/[ \t]*@snoflax[ \t].*$/gm

/** Collects comments of two slashes, which Prisma keeps from generators. */
export function refuseHidden(datamodel: string, mistakes: Mistakes): void {
  for (const [line] of datamodel.matchAll(HIDDEN)) {
    mistakes.collect('schema', () =>
      refuseText('write three slashes: Prisma hides other comments from generators', line.trim()),
    )
  }
}

function withOption(comment: IdComment, option: string): IdComment {
  const [name = '', given, ...rest] = option.split('=')
  const known = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
  if (known === undefined) refuseText(`options are ${Object.keys(OPTIONS).join(', ')}, as in meta=2`, option)
  if (name in comment) refuseText(`${name} is written twice`, option)
  if (rest.length > 0 || given === '') refuseText('write an option as name=value', option)
  const [pattern, rule, otherwise] = known
  const value = given ?? otherwise
  if (value === undefined || !pattern.test(value)) refuseText(rule, option)
  return { ...comment, [name]: name === 'meta' ? Number(value) : value }
}

/** Options: what their values look like, the rule in words, and the value where none is given. */
const OPTIONS: Readonly<Record<string, readonly [pattern: RegExp, rule: string, otherwise?: string]>> = {
  // Whether there is such a storage is core's to say.
  storage: [/./, 'storage needs a value'],
  meta: [/^\d+$/, 'meta must be an integer'],
  // Which prefixes there can be is core's to say, too.
  prefix: [/./, 'prefix needs a value'],
  stored: [/^prefixed$/, 'stored can only be prefixed'],
  createdAt: [/^[A-Za-z]\w*$/, 'createdAt must be the name of a field', 'createdAt'],
  generate: [/^(?:application|database|never)$/, 'generate must be application, database or never'],
  collation: [/./, 'collation needs a name'],
}

function refuseText(rule: string, text: string | undefined): never {
  refuse(`${rule}; not ${JSON.stringify(text)}`, text)
}
