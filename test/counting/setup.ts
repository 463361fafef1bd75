import { afterEach, expect } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Calls of `expect()`. */
    assertions?: number
    /** Of a file: what its own process computed, in seconds. */
    cpu?: number
  }
}

afterEach(({ task }) => {
  task.meta.assertions = expect.getState().assertionCalls
  const { user, system } = process.cpuUsage()
  task.file.meta.cpu = (user + system) / 1e6
})
