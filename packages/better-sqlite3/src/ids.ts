import { type IdFamily, type IdStorage, type StorageName, storageFor } from '@snoflax/core'
import { isBytes, show } from '@snoflax/core/adapter'
import { refuse, refuseType, type SqlValue } from './values.js'

type IdWriter = (id: string) => SqlValue

/** The endings of the functions for a storage. */
const ENDINGS: Partial<Record<StorageName, string>> = { binary: '', text: '_text', bigint: '_bigint' }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The forms in which SQLite stores the family's ids, with the endings of the functions that return them. */
export const writers = (family: IdFamily): [ending: string, write: IdWriter][] =>
  family.storages
    .filter((storage) => storage in ENDINGS)
    .map((storage) => [
      ENDINGS[storage] as string,
      writer(family, storageFor(family, 'sqlite', { storage, exactBigint: true })),
    ])

/** Converts ids to the form of a PostgreSQL column; a uuid is text here. */
export const formWriter = (family: IdFamily, form: StorageName): IdWriter =>
  writer(family, storageFor(family, 'postgres', { storage: form }))

function writer(family: IdFamily, storage: IdStorage<string>): IdWriter {
  if (storage.name === 'text') return (id) => id
  if (storage.name === 'binary') return (id) => family.decode(id)
  // By its bytes, since a text of digits could also be a number.
  return (id) => storage.toDatabase(family.decode(id))
}

/** Reads ids from TEXT, BLOB or INTEGER. */
export function idReader<AnId extends string>(family: IdFamily<AnId>): (value: SqlValue) => AnId {
  const readNumber = numberReader(family)
  return (value) => {
    if (typeof value === 'string') return family.parse(value)
    if (isBytes(value)) return family.encode(value)
    return readNumber(value)
  }
}

function numberReader<AnId extends string>(family: IdFamily<AnId>): (value: unknown) => AnId {
  if (!family.storages.includes('bigint')) {
    return (value) => {
      refuseType(family.name, 'an id must be text or a blob', value)
    }
  }
  return storageFor(family, 'sqlite', { storage: 'bigint', exactBigint: true }).fromDatabase
}

/** Reads the results of {@link formWriter}. */
export function formReader(family: IdFamily, form: StorageName): (value: SqlValue) => string {
  const storage = storageFor(family, 'postgres', { storage: form })
  const isForm = (value: SqlValue): boolean =>
    form === 'bigint'
      ? ['bigint', 'number'].includes(typeof value)
      : typeof value === 'string' && UUID.test(value)
  return (value) => (isForm(value) ? storage.fromDatabase(value as unknown) : refuseForm(family, form, value))
}

function refuseForm({ name }: IdFamily, form: StorageName, value: SqlValue): never {
  if (form === 'bigint') refuseType(name, 'a number must be an INTEGER', value)
  if (typeof value !== 'string') refuseType(name, 'a uuid must be text', value)
  const rule = `a uuid must have 8-4-4-4-12 hex digits, not ${show(value)}`
  return refuse('NOT_CANONICAL', name, undefined, rule, value)
}
