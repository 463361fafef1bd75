import type { StorageName } from '@snoflax/core'
import type { OnMismatch } from '@snoflax/core/adapter'
import { type Mistakes, refuse } from './schema.js'

/** The content of a field's `/// @snoflax family option=value …`. */
export interface IdComment {
  readonly family: string
  readonly storage?: StorageName
  readonly meta?: number
  /** The ids' prefix, without the `_`. */
  readonly prefix?: string
  /** Which texts are ids, for `opaque`. */
  readonly pattern?: RegExp
  /** Name of the computed field. */
  readonly createdAt?: string
  /** Who generates the ids, if not the extension: the database or Prisma by the field's default, or the caller. */
  readonly generate?: GenerateBy
  /** A case-sensitive collation that a migration sets for the column. */
  readonly collation?: string
  /** What the field also accepts: patterns, and names of families. */
  readonly accept?: readonly (RegExp | string)[]
  /** What a text that can't be an id does in a condition. */
  readonly onMismatch?: OnMismatch
  /** Whether the client types the field as ids, and not as texts. */
  readonly branded?: boolean
}

export type GenerateBy = 'database' | 'prisma' | 'never'

/** The mark, but not as the name of a package. */
const MENTION = /@snoflax(?!\/)/
const MARK = /^@snoflax(?:\s+(.*))?$/
/** What stands between blanks, except for those in a regular expression. */
const WORD = /(?:accept|pattern)=\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\w*(?!\S)|\S+/g

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
  const [family, ...options] = words.match(WORD) ?? []
  if (family === undefined) refuseText('name a family: /// @snoflax sno', documentation)
  return options.reduce<IdComment>(withOption, { family })
}

/** Lines of a schema with a comment for people only. */
const HIDDEN = /^.*(?<!\/)\/\/[ \t]*@snoflax[ \t].*$/gm

/** Finds `@snoflax` in comments with two slashes, which Prisma doesn't pass to generators. */
export function refuseHidden(datamodel: string, mistakes: Mistakes): void {
  for (const [line] of datamodel.matchAll(HIDDEN)) {
    mistakes.collect('schema', () =>
      refuseText('write three slashes: Prisma hides other comments from generators', line.trim()),
    )
  }
}

function withOption(comment: IdComment, option: string): IdComment {
  const [, name = '', text] = /^([^=]*)(?:=(.*))?$/s.exec(option) ?? []
  const known = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
  if (known === undefined) refuseText(`options are ${Object.keys(OPTIONS).join(', ')}, as in meta=2`, option)
  const isList = name === 'accept'
  if (name in comment && !isList) refuseText(`${name} is written twice`, option)
  const isPattern = isList || name === 'pattern'
  if (text === '' || (text?.includes('=') && !isPattern)) refuseText('write an option as name=value', option)
  const [pattern, rule, otherwise] = known
  const value = text ?? otherwise
  if (value === undefined || !pattern.test(value)) refuseText(rule, option)
  if (isList) return { ...comment, accept: [...(comment.accept ?? []), patternIn(name, value)] }
  if (isPattern) return { ...comment, pattern: patternIn(name, value) as RegExp }
  const read = { meta: Number, branded: (text: string) => text === 'true' }[name]
  return { ...comment, [name]: read ? read(value) : value }
}

/** A pattern, or the name of a family. */
function patternIn(name: string, value: string): RegExp | string {
  const [, source, flags] = /^\/(.+)\/(\w*)$/s.exec(value) ?? []
  if (source === undefined) return value
  try {
    return new RegExp(source, flags)
  } catch (error) {
    return refuseText(`${name}: ${(error as Error).message}`, value)
  }
}

/** Options: the pattern of their values, the rule in words, and the value if none is written. */
const OPTIONS: Readonly<Record<string, readonly [pattern: RegExp, rule: string, otherwise?: string]>> = {
  // Core checks whether the storage exists.
  storage: [/./, 'storage needs a value'],
  meta: [/^\d+$/, 'meta must be an integer'],
  pattern: [
    /^\/.+\/\w*$/s,
    'pattern must be a regular expression between slashes, as in pattern=/[a-z0-9]{24}/',
  ],
  // Core checks the prefix.
  prefix: [/./, 'prefix needs a value'],
  createdAt: [/^[A-Za-z]\w*$/, 'createdAt must be the name of a field', 'createdAt'],
  generate: [/^(?:database|prisma|never)$/, 'generate must be database, prisma or never'],
  collation: [/./, 'collation needs a name'],
  accept: [
    /^(?:\/.+\/\w*|[A-Za-z_$][\w$]*)$/s,
    'accept must be a regular expression between slashes, as in accept=/^[a-z0-9]{24}$/, or the name of a family',
  ],
  onMismatch: [/^(?:error|notFound)$/, 'onMismatch must be error or notFound'],
  branded: [/^(?:true|false)$/, 'branded must be true or false'],
}

function refuseText(rule: string, text: string | undefined): never {
  refuse(`${rule}; not ${JSON.stringify(text)}`, text)
}
