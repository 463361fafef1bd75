import { afterEach, expect } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    assertions?: number
  }
}

// Calls of expect(), as vitest counts them for `expect.assertions`.
afterEach(({ task }) => {
  task.meta.assertions = expect.getState().assertionCalls
})
