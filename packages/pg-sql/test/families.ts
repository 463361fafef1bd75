import { flake, flax, type IdFamily, type StorageName, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import type { SqlFamily } from '@snoflax/pg-sql'

export interface TestedFamily {
  readonly name: SqlFamily
  readonly family: IdFamily<string, Record<string, unknown>>
  /** Columns of its composite type, in order. */
  readonly fields: readonly string[]
}

const tested = (name: SqlFamily, family: unknown, fields: readonly string[]): TestedFamily => ({
  name,
  family: family as TestedFamily['family'],
  fields,
})

export const FAMILIES: readonly TestedFamily[] = [
  tested('flax', flax, ['time_ms', 'random']),
  tested('sno', sno, ['time_ms', 'tick_tock', 'meta', 'partition', 'sequence']),
  tested('flake', flake, ['time_ms', 'datacenter', 'worker', 'counter']),
  tested('uid', uid, ['mega_seconds', 'seconds', 'micro_seconds', 'node', 'sequence']),
  tested('uid_local', uidLocal, ['mega_seconds', 'seconds', 'micro_seconds', 'sequence']),
]

export const TYPES: Record<StorageName, string> = {
  binary: 'bytea',
  uuid: 'uuid',
  uuid8: 'uuid',
  text: 'text',
  bigint: 'bigint',
}

/** The family by the name that core and spec/ have for it. */
export function familyNamed(name: string): TestedFamily {
  const found = FAMILIES.find(({ family }) => family.name === name)
  if (!found) throw new Error(`no family ${name}`)
  return found
}

/** What SQL makes of the id's text for the storage. */
export function stored(name: string, storage: StorageName, text: string): string {
  if (storage === 'text') return text
  return storage === 'binary' ? `snoflax.${name}_decode(${text})` : `snoflax.${name}_to_${storage}(${text})`
}

/** The ending of functions that give this storage. */
export const suffix = (storage: StorageName): string => (storage === 'binary' ? '' : `_${storage}`)

/** The ending of the `*_between` of this storage: a uuid column is taken for `uuid` where the family has both. */
export const betweenSuffix = ({ name, storage }: { name: string; storage: StorageName }): string =>
  storage === 'uuid8' &&
  familyNamed(name === 'uid_local' ? 'uidLocal' : name).family.storages.includes('uuid')
    ? '_uuid8'
    : ''

/** Fields as the composite type has them in JSON: snake_case, in its order, bytes as `\x` hex. */
export function sqlFields({ fields }: TestedFamily, values: object): string {
  const bySqlName = new Map(
    Object.entries(values).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value instanceof Uint8Array ? hexLiteral(value) : value,
    ]),
  )
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, bySqlName.get(field)])))
}

export const hexLiteral = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`
