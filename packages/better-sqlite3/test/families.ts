import { flake, flax, type IdFamily, type StorageName, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'

export type AnyFamily = IdFamily<string, Record<string, unknown>>

export interface TestedFamily {
  /** What its functions' names begin with. */
  readonly prefix: string
  readonly family: AnyFamily
}

const tested = (prefix: string, family: unknown): TestedFamily => ({ prefix, family: family as AnyFamily })

export const FAMILIES: readonly TestedFamily[] = [
  tested('flax', flax),
  tested('sno', sno),
  tested('flake', flake),
  tested('uid', uid),
  tested('uid_local', uidLocal),
]

/** The storages that SQLite has, and what functions that give them end in. */
export const ENDINGS: Partial<Record<StorageName, string>> = { binary: '', text: '_text', bigint: '_bigint' }

export const storagesOf = ({ storages }: AnyFamily): StorageName[] =>
  storages.filter((storage) => storage in ENDINGS)

/** Fields as `unpack` has them in JSON: snake_case, bytes as `\x` hex. */
export function sqlFields(values: object): string {
  const renamed = Object.entries(values).map(([key, value]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value instanceof Uint8Array ? hexText(value) : value,
  ])
  return JSON.stringify(Object.fromEntries(renamed))
}

export const hexText = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`

/** As SQLite's own functions write it, or the refusal of what they can't. */
export function sqliteTime(timeMs: number): string | { refused: string } {
  const iso = Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString() : 'never'
  return /^\d{4}-/.test(iso) ? iso.replace('T', ' ').replace('Z', '') : { refused: 'TIME_OUT_OF_RANGE' }
}
