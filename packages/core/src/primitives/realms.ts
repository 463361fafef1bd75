const tagOf = (value: unknown): string => Object.prototype.toString.call(value)

/**
 * Whether the value is a Date of any realm: iframes, `vm` contexts and Jest have their own constructors.
 *
 * @example
 * isDate(new Date()) // true
 */
export function isDate(value: unknown): value is Date {
  try {
    // Reads the internal slot of Dates, which no other object has.
    Date.prototype.getTime.call(value)
    return true
  } catch {
    return false
  }
}

/**
 * Whether the value is a Uint8Array or a Buffer of any realm.
 *
 * @example
 * isBytes(Buffer.from('id')) // true
 */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || (ArrayBuffer.isView(value) && tagOf(value) === '[object Uint8Array]')

/** Whether the value is a RegExp of any realm. */
export const isRegExp = (value: unknown): value is RegExp => tagOf(value) === '[object RegExp]'

/** Whether the value is an ArrayBuffer of any realm. */
export const isArrayBuffer = (value: unknown): value is ArrayBuffer => tagOf(value) === '[object ArrayBuffer]'

const REGISTRY: unique symbol = /* @__PURE__ */ Symbol.for('@snoflax/core 1') as never

const own: Record<string, unknown> = {}

/**
 * A value that exists once in a process, even if it loads several copies of this package: an ES module beside CommonJS,
 * or two versions of one major version. The first copy creates it. If globalThis is frozen, each copy has its own.
 *
 * @example
 * once('ticket generator', () => flax.generator()) === once('ticket generator', () => flax.generator()) // true
 */
export function once<Value>(name: string, make: () => Value): Value {
  const all = globalThis as { [REGISTRY]?: Record<string, unknown> }
  if (Object.isExtensible(globalThis)) all[REGISTRY] ??= {}
  const registry = all[REGISTRY] ?? own
  registry[name] ??= make()
  return registry[name] as Value
}
