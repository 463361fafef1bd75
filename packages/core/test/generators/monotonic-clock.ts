/**
 * In place of the machine's monotonic clock one that tests move, so that how long a call blocks doesn't depend on how
 * busy the machine is. In force in every file that imports this.
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
