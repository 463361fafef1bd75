import type { StorageName } from '@snoflax/core'
import { refuse } from './refuse.js'

/** What `/// @snoflax family option=value …` says of a field. */
export interface IdComment {
  readonly family: string
  readonly storage?: StorageName
  readonly meta?: number
  /** Name of the computed field. */
  readonly createdAt?: string
  /** Who makes the ids: the extension, the database by its default, or the caller. */
  readonly generate?: Generate
  /** A collation that the migration has given to the column, and that tells case. */
  readonly collation?: string
}

export type Generate = 'application' | 'database' | 'never'

const MARK = /^@snoflax(?:\s+(.*))?$/
const GENERATE: readonly string[] = ['application', 'database', 'never'] satisfies Generate[]

/**
 * The `@snoflax` line of a field's documentation, if it has one.
 *
 * @throws {IdError} `INVALID_OPTION` for a second line, no family, an unknown option or a bad value.
 */
export function readComment(documentation: string | undefined): IdComment | undefined {
  const lines = (documentation ?? '').split('\n').flatMap((line) => MARK.exec(line.trim()) ?? [])
  if (lines.length === 0) return undefined
  if (lines.length > 2) refuseText('@snoflax stands here twice', documentation)
  const [family, ...options] = (lines[1] ?? '').split(/\s+/).filter((word) => word !== '')
  if (family === undefined) refuseText('name a family: /// @snoflax sno', documentation)
  return options.reduce<IdComment>(withOption, { family })
}

function withOption(comment: IdComment, option: string): IdComment {
  const [name = '', value, ...rest] = option.split('=')
  const read = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof typeof OPTIONS] : undefined
  if (read === undefined) {
    refuseText(`options are ${Object.keys(OPTIONS).join(', ')}, as in meta=2`, option)
  }
  if (name in comment) refuseText(`${name} stands here twice`, option)
  if (rest.length > 0 || value === '') refuseText(`an option is written name=value`, option)
  return { ...comment, [name]: read(value, option) }
}

const OPTIONS = {
  // Whether there is such a storage is core's to say.
  storage: (value: string | undefined, option: string) =>
    value ?? refuseText('storage needs a value', option),
  meta: (value: string | undefined, option: string) =>
    /^\d+$/.test(value ?? '') ? Number(value) : refuseText('meta is a whole number', option),
  createdAt: (value: string | undefined, option: string) =>
    /^[A-Za-z]\w*$/.test(value ?? 'createdAt')
      ? (value ?? 'createdAt')
      : refuseText('createdAt names a field', option),
  generate: (value: string | undefined, option: string) =>
    GENERATE.includes(value ?? '') ? value : refuseText(`generate is one of ${GENERATE.join(', ')}`, option),
  collation: (value: string | undefined, option: string) =>
    value ?? refuseText('collation needs a name', option),
}

function refuseText(rule: string, text: string | undefined): never {
  refuse(`${rule}; not ${JSON.stringify(text)}`, text)
}
