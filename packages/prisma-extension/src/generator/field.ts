import { type Database, IdError, type StorageName, storageFor } from '@snoflax/core'
import { checkMismatch, isAccepting, isOpaque, ownOf, sqlFunction } from '@snoflax/core/adapter'
import type { AnyFamily } from '../configuration.js'
import type { GenerateBy, IdComment } from './comment.js'
import { type PrismaField, refuse } from './schema.js'

/** The storages that each type of a Prisma field can have, the preferred one first. */
const STORAGES: Readonly<Record<string, readonly StorageName[]>> = {
  Uuid: ['uuid', 'uuid8'],
  String: ['text'],
  Bytes: ['binary'],
  BigInt: ['bigint'],
}

/** Native types of text and bytes: some would pad ids or treat different ones as equal, some have a length. */
const NATIVE_TYPES: Readonly<Record<string, 'refused' | 'exact' | 'bounded'>> = {
  Citext: 'refused',
  Inet: 'refused',
  Xml: 'refused',
  Bit: 'refused',
  VarBit: 'refused',
  Char: 'exact',
  Binary: 'exact',
  VarChar: 'bounded',
  VarBinary: 'bounded',
}

/**
 * The storage of a field: the one in its comment, else the one of its type.
 *
 * @throws {IdError} `STORAGE_REFUSED` if type, family and database don't fit.
 */
export function fitStorage(
  field: PrismaField,
  family: AnyFamily,
  database: Database,
  comment: Pick<IdComment, 'storage' | 'collation' | 'onMismatch'>,
): StorageName {
  const possible = storagesOf(field)
  const storage = comment.storage ?? possible.find((one) => family.storages.includes(one)) ?? possible[0]
  const fitted = storageFor(family, database, { storage, exactBigint: true })
  const { name, column } = fitted
  if (!possible.includes(name)) {
    refuseStorage(
      family,
      `storage ${name} is not for a field of type ${typeOf(field)}, which is for ${possible.join(' or ')}`,
      name,
    )
  }
  checkMismatch(fitted, comment.onMismatch)
  // Other keys that it accepts, and opaque ids, were stored before.
  const isOlder = isAccepting(family) || isOpaque(family)
  checkLength(field, family, isOlder ? ownOf(family).textLength : column.length)
  if (database === 'mysql') checkMysql(field, family, name, comment.collation)
  return name
}

/** `String @db.Uuid` */
const typeOf = ({ type, nativeType }: PrismaField): string =>
  nativeType ? `${type} @db.${nativeType[0]}` : type

function storagesOf(field: PrismaField): readonly StorageName[] {
  const native = field.nativeType?.[0]
  const possible = STORAGES[native === 'Uuid' ? native : field.type]
  if (field.kind === 'scalar' && possible !== undefined && NATIVE_TYPES[native ?? ''] !== 'refused')
    return possible
  throw new IdError(
    'STORAGE_REFUSED',
    `ids must be stored in fields of type String @db.Uuid (PostgreSQL), String, Bytes or BigInt, not ${typeOf(field)}`,
    { field: field.name, value: typeOf(field) },
  )
}

function checkLength(field: PrismaField, family: AnyFamily, length: number | undefined): void {
  const [type = '', [width] = []] = field.nativeType ?? []
  const isExact = NATIVE_TYPES[type] === 'exact'
  if (isAccepting(family) && isExact) {
    refuseStorage(family, 'other ids that it accepts vary in length: write @db.VarChar(255)', typeOf(field))
  }
  // Without a length, `@db.Char` has 1.
  const room = Number(width ?? (isExact ? 1 : Number.POSITIVE_INFINITY))
  if (length === undefined || NATIVE_TYPES[type] === undefined) return
  if (isExact ? room === length : room >= length) return
  refuseStorage(family, `ids have ${length} characters or bytes: write @db.${type}(${length})`, typeOf(field))
}

function checkMysql(
  field: PrismaField,
  family: AnyFamily,
  storage: StorageName,
  collation: string | undefined,
): void {
  if (storage === 'bigint' && field.nativeType?.[0] !== 'UnsignedBigInt') {
    refuseStorage(family, 'ids have 64 bits without a sign: write @db.UnsignedBigInt', typeOf(field))
  }
  if (storage === 'text' && !/(?:_bin|^binary)$/.test(collation ?? '')) {
    refuseStorage(
      family,
      "MySQL's default collations compare ids without regard to case; set a case-sensitive " +
        'collation in a migration, and write collation=utf8mb4_bin here, or use Bytes',
      collation,
    )
  }
}

function refuseStorage({ name }: AnyFamily, reason: string, value: unknown): never {
  throw new IdError('STORAGE_REFUSED', `${name}: ${reason}`, { family: name, field: 'storage', value })
}

/**
 * Whether the extension generates the ids of a field.
 *
 * @throws {IdError} if the field's default and its comment disagree on this.
 */
export function isGenerated(field: PrismaField, generate: GenerateBy | undefined): boolean {
  const reason = reasonAgainst(field, generate)
  if (reason) refuse(reason, generate ?? field.name)
  return !field.isList && field.hasDefaultValue && generate === undefined
}

/** Functions of defaults that Prisma calls itself. */
const BY_PRISMA: readonly string[] = ['cuid', 'nanoid', 'ulid', 'uuid']

function reasonAgainst(field: PrismaField, generate: GenerateBy | undefined): string | false {
  const { isList, isId, hasDefaultValue } = field
  if (isList) return generate !== undefined && 'ids in lists are not generated; pass them'
  const { name } = defaultOf(field) ?? {}
  if (generate === 'prisma')
    return (
      !BY_PRISMA.includes(name ?? '') &&
      'generate=prisma needs a default by which Prisma generates ids, as in @default(cuid())'
    )
  if (hasDefaultValue && name !== 'dbgenerated')
    return 'its default is not an id; write @default(dbgenerated()), or generate=prisma if Prisma generates the ids'
  if (generate === 'never') return hasDefaultValue && 'generate=never needs no @default'
  if (generate === 'database')
    return (
      (!hasDefaultValue || isEmptyDefault(field)) &&
      'generate=database needs a default with an expression, as in @default(dbgenerated("…"))'
    )
  return isId && !hasDefaultValue && 'add @default(dbgenerated()) to generate ids, or write generate=never'
}

/** Whether a foreign key is declared to generate ids: by the extension, or by the function or expression of its target. */
export function generatesBy(
  field: PrismaField,
  generate: GenerateBy | undefined,
  target: {
    readonly field: PrismaField
    readonly found: { readonly family: AnyFamily }
    readonly isGenerating: boolean
  },
): boolean {
  if (generate === 'database' || isEmptyDefault(field)) return true
  const [expression] = defaultOf(field)?.args ?? []
  if (typeof expression !== 'string') return false
  const [, ofFamily] = sqlFunction(target.found.family, 'generate').split('.')
  return (
    expression.includes(`${ofFamily}`) ||
    (target.isGenerating && expression === defaultOf(target.field)?.args?.[0])
  )
}

const defaultOf = (field: PrismaField) =>
  field.default as { readonly name?: string; readonly args?: readonly unknown[] } | undefined

/** `@default(dbgenerated())`, which sets no default in the database. */
const isEmptyDefault = (field: PrismaField): boolean =>
  defaultOf(field)?.name === 'dbgenerated' && !defaultOf(field)?.args?.length
