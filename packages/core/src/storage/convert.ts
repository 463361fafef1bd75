import type { IdFamily, StorageName } from '../family.js'
import { toBigInt } from '../primitives/bytes.js'
import { IdError } from '../primitives/errors.js'
import type { Database } from './column.js'
import { toUuid, toUuid8 } from './uuid.js'

/** What is bound to a statement. */
export type DatabaseValue = string | Uint8Array | bigint

/** Canonical text → the value that lies in the column. */
export function converter<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  storage: StorageName,
): (id: AnId) => DatabaseValue {
  switch (storage) {
    case 'text':
      return (id) => id
    case 'binary':
      return (id) => family.decode(id)
    case 'uuid':
      return (id) => toUuid(family, id)
    case 'uuid8':
      return (id) => toUuid8(family, id)
    case 'bigint':
      return isSigned(database) ? (id) => signedNumber(family, id) : (id) => toBigInt(family.decode(id))
  }
}

const isSigned = (database: Database): boolean => database === 'postgres' || database === 'sqlite'

function signedNumber(family: IdFamily, id: string): bigint {
  const value = toBigInt(family.decode(id))
  if (value < 2n ** 63n) return value
  throw new IdError(
    'FIELD_OUT_OF_RANGE',
    `${family.name}: ${id} is 2^63 or more, which a signed bigint can't hold; ` +
      'use an epoch nearer to now, or storage binary',
    { family: family.name, value: id },
  )
}
