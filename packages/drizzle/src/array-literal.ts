import { hexOf } from './hex.js'

/** Database values as PostgreSQL writes an array of them, which every driver sends as it is. */
export const arrayLiteral = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`

const element = (value: unknown): string =>
  value instanceof Uint8Array ? `"\\\\x${hexOf(value)}"` : value === null ? 'NULL' : `"${value}"`
