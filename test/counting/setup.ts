import { afterEach, expect } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Calls of `expect()`. */
    assertions?: number
    /** Of a file: what its process computed since it began with the file, in seconds. */
    cpu?: number
  }
}

const before = process.cpuUsage()

afterEach(({ task }) => {
  task.meta.assertions = expect.getState().assertionCalls
  const { user, system } = process.cpuUsage(before)
  task.file.meta.cpu = (user + system) / 1e6
})
