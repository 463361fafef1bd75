import { type Database, IdError, type StorageName, storageFor } from '@snoflax/core'
import { checkMismatch, isAccepting } from '@snoflax/core/adapter'
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

/** Native types of text and bytes that would pad ids or treat different ones as equal. */
const REFUSED_TYPES = new Set(['Citext', 'Inet', 'Xml', 'Bit', 'VarBit'])
const EXACT_TYPES = new Set(['Char', 'Binary'])
const BOUNDED_TYPES = new Set(['VarChar', 'VarBinary'])

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
  // Other keys that it accepts were stored before.
  checkLength(field, family, isAccepting(family) ? family.own.textLength : column.length)
  if (database === 'mysql') checkMysql(field, family, name, comment.collation)
  return name
}

/** `String @db.Uuid` */
const typeOf = ({ type, nativeType }: PrismaField): string =>
  nativeType ? `${type} @db.${nativeType[0]}` : type

function storagesOf(field: PrismaField): readonly StorageName[] {
  const native = field.nativeType?.[0]
  const possible = STORAGES[native === 'Uuid' ? native : field.type]
  if (field.kind === 'scalar' && possible !== undefined && !REFUSED_TYPES.has(native ?? '')) return possible
  throw new IdError(
    'STORAGE_REFUSED',
    `ids must be stored in fields of type String @db.Uuid (PostgreSQL), String, Bytes or BigInt, not ${typeOf(field)}`,
    { field: field.name, value: typeOf(field) },
  )
}

function checkLength(field: PrismaField, family: AnyFamily, length: number | undefined): void {
  const [type = '', [given] = []] = field.nativeType ?? []
  if (isAccepting(family) && EXACT_TYPES.has(type)) {
    refuseStorage(family, 'other ids that it accepts vary in length: write @db.VarChar(255)', typeOf(field))
  }
  if (length === undefined || fits(type, given, length)) return
  refuseStorage(family, `ids have ${length} characters or bytes: write @db.${type}(${length})`, typeOf(field))
}

function fits(type: string, given: string | undefined, length: number): boolean {
  // Without a length it is 1.
  if (EXACT_TYPES.has(type)) return Number(given ?? 1) === length
  return given === undefined || !BOUNDED_TYPES.has(type) || Number(given) >= length
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
  return !field.isList && field.hasDefaultValue && generate !== 'database'
}

function reasonAgainst(field: PrismaField, generate: GenerateBy | undefined): string | false {
  const { isList, isId, hasDefaultValue } = field
  if (isList) return generate !== undefined && 'ids in lists are not generated; pass them'
  if (hasDefaultValue && !isDatabaseDefault(field))
    return 'its default is not an id; write @default(dbgenerated())'
  switch (generate) {
    case 'never':
      return hasDefaultValue && 'generate=never needs no @default'
    case 'database':
      return (
        (!hasDefaultValue || isEmptyDefault(field)) &&
        'generate=database needs a default with an expression, as in @default(dbgenerated("…"))'
      )
    case 'application':
      return (
        !hasDefaultValue &&
        'generate=application needs @default(dbgenerated()), so that the field is optional'
      )
    case undefined:
      return (
        isId && !hasDefaultValue && 'add @default(dbgenerated()) to generate ids, or write generate=never'
      )
  }
}

type Default = { readonly name?: string; readonly args?: readonly unknown[] } | undefined

const isDatabaseDefault = (field: PrismaField): boolean => (field.default as Default)?.name === 'dbgenerated'
/** `@default(dbgenerated())`, which sets no default in the database. */
export const isEmptyDefault = (field: PrismaField): boolean =>
  isDatabaseDefault(field) && !(field.default as Default)?.args?.length
