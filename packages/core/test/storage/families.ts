import {
  type Database,
  flake,
  flax,
  type IdFamily,
  type IdStorage,
  type StorageName,
  sno,
  storageFor,
} from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'

export const FAMILIES = { flax, sno, flake, uid, uidLocal } as unknown as Record<FamilyName, IdFamily>
export type FamilyName = 'flax' | 'sno' | 'flake' | 'uid' | 'uidLocal'
export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[]
export const DATABASES: readonly Database[] = ['postgres', 'sqlite', 'mysql', 'mariadb']
export const STORAGES: readonly StorageName[] = ['uuid', 'text', 'binary', 'uuid8', 'bigint']

const TEXTS: readonly FamilyName[] = ['flax', 'sno', 'uid', 'uidLocal']
const SIXTEEN: readonly FamilyName[] = ['flax', 'sno', 'uid']
const NUMBERS: readonly FamilyName[] = ['flake', 'uidLocal']

/** What DESIGN allows, said over again: which families a storage is for, where there is such a column. */
export const ALLOWED: Record<Database, Partial<Record<StorageName, readonly FamilyName[]>>> = {
  postgres: { uuid: SIXTEEN, text: TEXTS, binary: FAMILY_NAMES, uuid8: FAMILY_NAMES, bigint: NUMBERS },
  sqlite: { text: TEXTS, binary: FAMILY_NAMES, bigint: NUMBERS },
  mysql: { text: TEXTS, binary: FAMILY_NAMES, bigint: NUMBERS },
  mariadb: { text: TEXTS, binary: FAMILY_NAMES, bigint: NUMBERS },
}

export interface Combination {
  readonly name: FamilyName
  readonly family: IdFamily
  readonly database: Database
  readonly storage: StorageName
}

const everyCombination: readonly Combination[] = FAMILY_NAMES.flatMap((name) =>
  DATABASES.flatMap((database) =>
    STORAGES.map((storage) => ({ name, family: FAMILIES[name], database, storage })),
  ),
)

const isAllowed = ({ name, database, storage }: Combination): boolean =>
  ALLOWED[database][storage]?.includes(name) ?? false

export const ALLOWED_COMBINATIONS = everyCombination.filter(isAllowed)
export const REFUSED_COMBINATIONS = everyCombination.filter((combination) => !isAllowed(combination))

/** SQLite's drivers round integers unless they are told not to, so there it has to be said. */
export const open = ({ family, database, storage }: Combination): IdStorage<string> =>
  storageFor(family as IdFamily<string>, database, { storage, exactBigint: true })

const isSigned = ({ database, storage }: Combination): boolean =>
  storage === 'bigint' && (database === 'postgres' || database === 'sqlite')

/** A text of digits alone is no form of an 8-byte id: it could be a number. */
const isAmbiguous = (id: string, family: IdFamily): boolean => family.textLength === 11 && /^[0-9]+$/.test(id)

/** Any id that the column can hold, from the smallest to the largest. */
export function idFor(combination: Combination): fc.Arbitrary<string> {
  const { family } = combination
  const bytes = fc.oneof(
    { weight: 10, arbitrary: fc.uint8Array({ minLength: family.byteLength, maxLength: family.byteLength }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(0, 1, 0x7f, 0x80, 0xff)
        .map((byte) => new Uint8Array(family.byteLength).fill(byte)),
    },
  )
  return bytes
    .map((value) => {
      if (isSigned(combination)) value[0] = (value[0] as number) & 0x7f
      return family.encode(value) as string
    })
    .filter((id) => !isAmbiguous(id, family))
}
