import { inject } from 'vitest'
import type { PostgresPlace } from './postgres-databases.js'

/** The values that the global setup passes to the test files. */
export interface Run {
  /** The start of the name of everything that the run creates on servers. */
  readonly prefix: string
  readonly postgres: PostgresPlace
  /** For files; removed with all that is in it when the run ends, however it ends. */
  readonly folder: string
}

declare module 'vitest' {
  interface ProvidedContext {
    snoflaxRun: Run
  }
}

export function thisRun(): Run {
  const run = inject('snoflaxRun')
  if (run) return run
  throw new Error(
    "this vitest project has no databases: set globalSetup to the test folder's global-setup.ts",
  )
}
