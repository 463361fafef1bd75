import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// On a busy machine a compiler in the background would be late, and rounds meanwhile would time slow code.
setFlagsFromString('--no-concurrent-recompilation')
setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: { type: 'minor' }) => void

/** Clears the young objects away before they pile up so far that it happens amid somebody's turn. */
export function collectGarbage(): void {
  gc({ type: 'minor' })
}
