import { getRandomValues } from 'node:crypto'
import { flake, flax, type IdFamily, type StorageName, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'

export const COUNT = 500

interface Candidate {
  readonly name: string
  readonly family: IdFamily<string>
  readonly storage: StorageName
}

/** Each family with those of the given storages that it allows. */
export function candidates(storages: readonly StorageName[]): Candidate[] {
  const families = [flax, sno, flake, uid, uidLocal] as unknown as IdFamily<string>[]
  return families.flatMap((family) =>
    storages
      .filter((storage) => family.storages.includes(storage))
      .map((storage) => ({ name: family.name, family, storage })),
  )
}

/** The smallest and the largest id that the column holds, and random ones, in no order. */
export function randomIds({ family, storage }: Candidate): string[] {
  const ids = new Set<string>()
  const add = (bytes: Uint8Array): void => {
    if (storage === 'bigint') bytes[0] = (bytes[0] as number) & 0x7f
    ids.add(family.encode(bytes))
  }
  add(new Uint8Array(family.byteLength).fill(0xff))
  add(new Uint8Array(family.byteLength))
  while (ids.size < COUNT) add(getRandomValues(new Uint8Array(family.byteLength)))
  return [...ids]
}

/** The ids in the order of their bytes, which is what ORDER BY is promised to give. */
export function inByteOrder(family: IdFamily<string>, ids: readonly string[]): string[] {
  return [...ids].sort((a, b) => Buffer.compare(family.decode(a), family.decode(b)))
}
