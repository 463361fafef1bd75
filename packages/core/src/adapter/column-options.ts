import type { IdFamily } from '../family.js'
import { prefixed } from '../prefixed/index.js'
import { IdError } from '../primitives/errors.js'
import { checkOptions, type OptionKind } from '../primitives/options.js'

const DECLARED = { prefix: 'any' } as const
const GENERATED = { generator: 'any', meta: 'any', default: ['database'], schema: 'any' } as const

/**
 * The family of a column with this option `prefix`.
 *
 * @throws {IdError} `INVALID_OPTION` for a malformed prefix, and for a family that already has one.
 *
 * @example
 * familyWith(flax, { prefix: 'cus' }).name // 'cus'
 */
export const familyWith = (
  family: IdFamily,
  { prefix }: { readonly prefix?: string | undefined },
): IdFamily => (prefix === undefined ? family : prefixed(family, prefix))

/**
 * Checks the options of an id column: their names, their kinds, and which of them exclude each other.
 *
 * @param stored options that columns of every role have, besides `prefix`.
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkColumnOptions(flax, 'generated', { storage: 'binary' }, { storage: 'any' })
 */
export function checkColumnOptions(
  family: IdFamily,
  role: 'generated' | 'reference' | 'plain' | 'list',
  options: object,
  stored: Readonly<Record<string, OptionKind>>,
): void {
  checkOptions(family.name, options, { ...DECLARED, ...stored, ...GENERATED })
  const refuse = (field: string, reason: string): never => {
    throw new IdError('INVALID_OPTION', `${family.name}: ${field} ${reason}`, { family: family.name, field })
  }
  if (role !== 'generated') {
    const unused = Object.keys(options).find((name) => name in GENERATED)
    if (unused) refuse(unused, `is only for generated ids; a ${role} column does not generate any`)
    return
  }
  const { default: given, generator, schema } = options as Readonly<Record<string, unknown>>
  if (given === undefined) {
    if (schema !== undefined) refuse('schema', "is only for default: 'database'")
  } else if (generator !== undefined) {
    refuse('generator', "can't be used with default: 'database', where the database generates the ids")
  }
}
