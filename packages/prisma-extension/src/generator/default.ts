import type { Generate } from './comment.js'
import { refuse } from './refuse.js'
import type { PrismaField } from './schema.js'

/**
 * Whether the extension makes the ids of a field.
 *
 * @throws {IdError} where the field's default and its comment don't agree on who does.
 */
export function isGenerated(field: PrismaField, generate: Generate | undefined): boolean {
  const reason = reasonAgainst(field, generate)
  if (reason !== undefined) refuse(reason, generate ?? field.name)
  return !field.isList && field.hasDefaultValue && generate !== 'database'
}

function reasonAgainst(field: PrismaField, generate: Generate | undefined): string | undefined {
  if (field.isList) return generate === undefined ? undefined : 'ids of lists come from the caller'
  if (field.hasDefaultValue && !isDatabaseDefault(field)) {
    return 'its default is no id: write @default(dbgenerated())'
  }
  switch (generate) {
    case 'never':
      return field.hasDefaultValue ? 'generate=never needs no @default' : undefined
    case 'database':
      return hasExpression(field)
        ? undefined
        : 'generate=database needs a default with an expression, as in @default(dbgenerated("…"))'
    case 'application':
      return field.hasDefaultValue
        ? undefined
        : 'generate=application needs @default(dbgenerated()), which makes the field optional'
    case undefined:
      return field.isId && !field.hasDefaultValue
        ? 'add @default(dbgenerated()) to have ids made, or write generate=never'
        : undefined
  }
}

type Default = { readonly name?: string; readonly args?: readonly unknown[] }

const defaultOf = (field: PrismaField): Default | undefined => field.default as Default | undefined
const isDatabaseDefault = (field: PrismaField): boolean => defaultOf(field)?.name === 'dbgenerated'
const hasExpression = (field: PrismaField): boolean =>
  isDatabaseDefault(field) && (defaultOf(field)?.args?.length ?? 0) > 0
/** `@default(dbgenerated())`, which puts no default into the database. */
export const isEmptyDefault = (field: PrismaField): boolean =>
  isDatabaseDefault(field) && !hasExpression(field)
