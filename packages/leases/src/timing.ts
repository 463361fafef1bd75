declare const setTimeout: (callback: (...args: never[]) => void, delayMs: number, ...args: unknown[]) => Timer
declare const clearTimeout: (timer: Timer) => void

interface Timer {
  /** The timers of Node and Bun. */
  unref?(): void
}

/** The platform's AbortSignal, or the members that we use if neither DOM nor Node types are there. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Own } }
  ? Own
  : {
      readonly aborted: boolean
      readonly reason: unknown
      throwIfAborted(): void
      addEventListener(type: 'abort', listener: () => void): void
      removeEventListener(type: 'abort', listener: () => void): void
    }

/** The key of `await using`, in programs whose `lib` has it. */
export type AsyncDisposal = SymbolConstructor extends { readonly asyncDispose: infer Name extends symbol }
  ? { [Key in Name]: () => Promise<void> }
  : object

/** Waits, and by default keeps the process alive. Resolves immediately with false if the signal aborts. */
export function pause(ms: number, signal: Signal | undefined, keepsAlive = true): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const end = (result: boolean) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(result)
    }
    const abort = () => end(false)
    const timer = setTimeout(end, ms, true)
    if (!keepsAlive) timer.unref?.()
    signal?.addEventListener('abort', abort)
  })
}

/** The promise's result, or a rejection with the error of `late` if it has not settled by then. */
export function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    timer.unref?.()
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** The promise's result, or a rejection as soon as the signal aborts. */
export function unlessAborted<T>(signal: Signal | undefined, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })
}
