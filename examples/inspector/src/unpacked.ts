import type { IdFamily } from '@snoflax/core'
import { hexOf } from './stored-forms.js'

/** The result of `unpack`, with each field as a literal. */
export const unpacked = (family: IdFamily, id: string): [name: string, value: string][] =>
  Object.entries(family.unpack(id) as Record<string, unknown>).map(([name, value]) => [name, shown(value)])

const shown = (value: unknown): string =>
  value instanceof Uint8Array ? `${hexOf(value)} (${value.length} bytes)` : String(value)
