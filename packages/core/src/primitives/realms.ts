const tagOf = (value: unknown): string => Object.prototype.toString.call(value)

/**
 * Whether it is a Date, of any realm: iframes, `vm` contexts and Jest have constructors of their own.
 *
 * @example
 * isDate(new Date()) // true
 */
export function isDate(value: unknown): value is Date {
  try {
    // Looks at what every Date has inside, which no other object can pretend to have.
    Date.prototype.getTime.call(value)
    return true
  } catch {
    return false
  }
}

/**
 * Whether it is a Uint8Array or a Buffer, of any realm.
 *
 * @example
 * isBytes(Buffer.from('id')) // true
 */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || (ArrayBuffer.isView(value) && tagOf(value) === '[object Uint8Array]')

/** Whether it is an ArrayBuffer, of any realm. */
export const isArrayBuffer = (value: unknown): value is ArrayBuffer => tagOf(value) === '[object ArrayBuffer]'

const REGISTRY: unique symbol = /* @__PURE__ */ Symbol.for('@snoflax/core 1') as never

const own: Record<string, unknown> = {}

/**
 * What a process has once, whichever copies of this package it loads: an ES module beside CommonJS, or two versions
 * of one major version. The first copy that asks makes it. Where globalThis is frozen, each copy has its own.
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
