import type { Check } from '../checks.js'
import type { Paint } from '../terminal/colour.js'
import { grouped } from '../terminal/numbers.js'

export interface Verdict {
  readonly passed: boolean
  readonly lines: readonly string[]
}

/** The checks of one table. */
export interface Examined {
  readonly engine: string
  readonly table: string
  readonly checks: readonly Check[]
}

/** Whether every check passed, and what failed where. */
export function verdict(paint: Paint, tables: readonly Examined[]): Verdict {
  const checks = tables.flatMap(({ checks, ...where }) => checks.map((check) => ({ check, ...where })))
  const failed = checks.filter(({ check }) => check.failure !== undefined)
  if (failed.length === 0) {
    return { passed: true, lines: [paint('green', `✓ all ${grouped(checks.length)} checks passed`)] }
  }
  return {
    passed: false,
    lines: [
      paint('red', `✗ ${failed.length} of ${grouped(checks.length)} checks failed`),
      ...failed.map(({ engine, table, check }) => `  ${engine}, ${table}: ${check.what}: ${check.failure}`),
    ],
  }
}
