import { IdError, type StorageName, storageFor } from '@snoflax/core'
import type { AnyFamily } from './families.js'

/** One way to understand an input. */
export interface Reading {
  readonly family: AnyFamily
  /** The form in which the input has the id. */
  readonly form: StorageName
  readonly id: string
}

/**
 * Every way to read the input as an id, the likeliest first: one whose time is neither before 2010 nor in the
 * future goes before others, and so does a family of a smaller alphabet.
 */
export function readings(input: string, families: readonly AnyFamily[], nowMs = Date.now()): Reading[] {
  const found = families.flatMap((family) => readingsAs(family, input))
  return [
    ...found.filter((reading) => isPlausible(reading, nowMs)),
    ...found.filter((reading) => !isPlausible(reading, nowMs)),
  ]
}

/** Before 2010 none of the families' sources was written. Clocks may differ by a day. */
export function isPlausible({ family, id }: Reading, nowMs: number): boolean {
  const timeMs = family.timeMs(id)
  return timeMs >= Date.UTC(2010) && timeMs <= nowMs + 86_400_000
}

function readingsAs(family: AnyFamily, input: string): Reading[] {
  const found = new Map<string, Reading>()
  for (const form of FORMS) {
    const id = readAs(form, family, input)
    if (id !== undefined && !found.has(id)) found.set(id, { family, form, id })
  }
  return [...found.values()]
}

const FORMS: readonly StorageName[] = ['text', 'uuid', 'uuid8', 'binary', 'bigint']

/** `\x…`, `0x…`, `X'…'` or bare hex digits. */
const HEX = /^(?:\\x|0x|x(?='))?'?((?:[0-9a-f]{2})+)'?$/i
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const DECIMAL = /^\d{1,20}$/

function readAs(form: StorageName, family: AnyFamily, input: string): string | undefined {
  if (form === 'text') return family.is(input) ? input : undefined
  if (!family.storages.includes(form)) return undefined
  const hex = HEX.exec(input)?.[1]
  switch (form) {
    case 'binary':
      return hex?.length === 2 * family.byteLength ? family.encode(Buffer.from(hex, 'hex')) : undefined
    case 'bigint':
      return DECIMAL.test(input) ? stored(family, form, BigInt(input)) : undefined
    case 'uuid':
    case 'uuid8':
      if (UUID.test(input)) return stored(family, form, input)
      return hex?.length === 32 ? stored(family, form, Buffer.from(hex, 'hex')) : undefined
  }
}

function stored(family: AnyFamily, storage: StorageName, value: unknown): string | undefined {
  try {
    return storageFor(family, 'postgres', { storage }).fromDatabase(value)
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}

/** Why the input is no id, family by family. */
export function refusals(input: string, families: readonly AnyFamily[]): string[] {
  return families.map((family) => {
    try {
      family.parse(input)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  })
}
