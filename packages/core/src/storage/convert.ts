import { alphabetOf } from '../definitions.js'
import type { IdFamily, StorageName } from '../family.js'
import { toBigInt } from '../primitives/bytes.js'
import { fail } from '../primitives/errors.js'
import { isBytes } from '../primitives/realms.js'
import type { Database } from './column.js'
import { BIGINT_BYTES, isNumbered, ofStored, read } from './read.js'
import { digitsOfUuid, hexPairs, toUuid, toUuid8, UUID_BYTES } from './uuid.js'

/** A stored value, as it is bound to a statement. */
export type DatabaseValue = string | Uint8Array | bigint

/** A family whose text is a decimal number, which converts to bigint without bytes in between. */
type NumberFamily<AnId extends string> = IdFamily<AnId> & {
  toBigInt(id: AnId): bigint
  fromBigInt(value: bigint): AnId
}

const convertsNumbers = <AnId extends string>(family: IdFamily<AnId>): family is NumberFamily<AnId> =>
  'toBigInt' in family && 'fromBigInt' in family && family.max === MAX_NUMBER

const MAX_NUMBER = '18446744073709551615'

/** Id → stored value. Canonical text is converted directly, other forms by `read`. */
export function writer<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  storage: StorageName,
): (value: unknown) => DatabaseValue {
  const write = canonicalWriter(family, database, storage)
  // Other texts may be both an id and a number; `read` refuses those.
  const isUnambiguous = convertsNumbers(family) || (family.textLength !== undefined && !isNumbered(family))
  return (value) => write(isUnambiguous && family.is(value) ? value : read(family, value))
}

function canonicalWriter<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  storage: StorageName,
): (id: AnId) => DatabaseValue {
  switch (storage) {
    case 'text':
      return (id) => id
    case 'binary':
      return family.decode
    case 'uuid':
      return (id) => toUuid(family, id)
    case 'uuid8':
      return (id) => toUuid8(family, id)
    case 'bigint': {
      const number = convertsNumbers(family) ? family.toBigInt : (id: AnId) => toBigInt(family.decode(id))
      return isSigned(database) ? (id) => checkSigned(family, id, number(id)) : number
    }
  }
}

/** Stored value → id. The driver's usual form is converted directly, others by `read`. */
export function reader<AnId extends string>(
  family: IdFamily<AnId>,
  storage: StorageName,
): (value: unknown) => AnId {
  const form = storage === 'uuid' || storage === 'uuid8' ? storage : undefined
  const direct = directReader(family, storage)
  return (value) => {
    try {
      return direct?.(value) ?? read(family, value, form)
    } catch (error) {
      throw ofStored(family, value, error)
    }
  }
}

/** Reads the driver's usual form only; undefined for others, which need `read`. */
export function directReader<AnId extends string>(
  family: IdFamily<AnId>,
  storage: StorageName,
): ((value: unknown) => AnId | undefined) | undefined {
  const { byteLength, textLength } = family
  const isSpelled = storage === 'uuid' && textLength === UUID_BYTES && byteLength !== UUID_BYTES
  const alphabet = isSpelled ? alphabetOf(family) : undefined
  if (alphabet !== undefined) {
    const pairs = hexPairs(alphabet)
    return (value) =>
      typeof value === 'string' ? (digitsOfUuid(pairs, value) as AnId | undefined) : undefined
  }
  // Bytes of these lengths could also be those of a uuid or of a text.
  if (storage === 'binary' && byteLength !== UUID_BYTES && byteLength !== textLength) {
    return (value) => (isBytes(value) && value.length === byteLength ? family.encode(value) : undefined)
  }
  if (storage === 'text' && !isNumbered(family)) return (value) => (family.is(value) ? value : undefined)
  if (storage === 'bigint' && byteLength === BIGINT_BYTES && convertsNumbers(family)) {
    return (value) => {
      if (typeof value === 'bigint') return family.fromBigInt(value)
      return family.is(value) ? value : undefined
    }
  }
  return undefined
}

const isSigned = (database: Database): boolean => database === 'postgres' || database === 'sqlite'

function checkSigned(family: IdFamily, id: string, value: bigint): bigint {
  if (value < 0x8000_0000_0000_0000n) return value
  const reason = `${id} is 2^63 or more and does not fit a signed bigint; use a later epoch, or storage binary`
  fail('FIELD_OUT_OF_RANGE', family.name, reason, id)
}
