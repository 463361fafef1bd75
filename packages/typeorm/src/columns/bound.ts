import { hexOf } from '@snoflax/core/adapter'
import { type PreparedColumn, state } from './prepared.js'

/** A value of an id column on its way to the driver. It knows its column, so that errors and logs show the id. */
class BoundId {
  constructor(
    readonly value: unknown,
    readonly column: PreparedColumn,
  ) {}
}

/** Marks an id's stored value, or each value of a list that becomes several parameters. */
export function bound(value: unknown, column: PreparedColumn): unknown {
  if (value == null || typeof value === 'function') return value
  if (Array.isArray(value) && !column.metadata.isArray) return value.map((one) => bound(one, column))
  return new BoundId(value, column)
}

export const unbound = (value: unknown): unknown => {
  if (value instanceof BoundId) return value.value
  return Array.isArray(value) && value.some((one) => one instanceof BoundId) ? value.map(unbound) : value
}

/** The values for the driver, without marks. `state.bound` remembers which of them are ids. */
export function unboundList(parameters: readonly unknown[]): unknown[] {
  const values = parameters.map(unbound)
  state.converted.add(values)
  if (values.some((value, i) => value !== parameters[i])) state.bound.set(values, parameters)
  return values
}

/** The list with ids in place of their stored values; undefined for a list that wasn't ours. */
export function readableList(values: readonly unknown[] | undefined): unknown[] | undefined {
  return values && state.bound.get(values)?.map(readable)
}

const readable = (parameter: unknown): unknown => {
  if (parameter instanceof BoundId) return parameter.column.from(parameter.value)
  return Array.isArray(parameter) ? parameter.map(readable) : parameter
}

/** A database's message, with ids in place of their stored forms. */
export function readableText(text: string, values: readonly unknown[]): string {
  const ids = [state.bound.get(values) ?? []].flat(2).filter((one) => one instanceof BoundId)
  let shown = text
  for (const { value, column } of ids) {
    for (const form of formsOf(value)) shown = shown.replaceAll(form, () => String(column.from(value)))
  }
  return shown
}

/** How databases write a value into their messages: PostgreSQL as hex, MySQL and MariaDB as ASCII with escapes. */
function formsOf(value: unknown): string[] {
  if (!ArrayBuffer.isView(value)) return [String(value)]
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  const escaped = (byte: number) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${hexOf(Uint8Array.of(byte)).toUpperCase()}`
  return [`\\x${hexOf(bytes)}`, Array.from(bytes, escaped).join('')]
}
