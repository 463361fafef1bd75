import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// On a busy machine a background compiler would be late, and rounds until then would time slow code.
setFlagsFromString('--no-concurrent-recompilation')
setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: { type: 'minor' }) => void

/** Collects young objects now, so that this doesn't happen during a turn. */
export function collectGarbage(): void {
  gc({ type: 'minor' })
}
