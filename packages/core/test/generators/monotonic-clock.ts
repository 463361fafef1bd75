/**
 * Puts a monotonic clock that tests move in place of the machine's, so that how long a call blocks doesn't depend on
 * how busy the machine is. Core takes the clock when it is loaded: import this first.
 */
let nowMs = 0

/** What a look at the clock takes: with it, every blocking wait ends, even if nothing else moves. */
const LOOK_MS = 0.001

performance.now = () => {
  nowMs += LOOK_MS
  return nowMs
}

export function pass(ms: number): void {
  nowMs += ms
}
