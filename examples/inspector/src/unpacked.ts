import type { IdFamily } from '@snoflax/core'
import { hexOf } from './stored-forms.js'

/** What `unpack` answers, each field as it is written in a program. */
export const unpacked = (family: IdFamily, id: string): [name: string, value: string][] =>
  Object.entries(family.unpack(id) as Record<string, unknown>).map(([name, value]) => [name, shown(value)])

const shown = (value: unknown): string =>
  value instanceof Uint8Array ? `${hexOf(value)} (${value.length} bytes)` : String(value)
