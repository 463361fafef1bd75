import { checksOf, type Survey } from '../survey.js'
import type { Paint } from '../terminal/colour.js'
import { grouped } from '../terminal/numbers.js'

export interface Verdict {
  readonly passed: boolean
  readonly lines: readonly string[]
}

/** Whether every check passed, and what failed where. */
export function verdict(paint: Paint, surveys: readonly Survey[]): Verdict {
  const checks = surveys.flatMap((survey) =>
    checksOf(survey).map((check) => ({ check, table: survey.table })),
  )
  const failed = checks.filter(({ check }) => check.failure !== undefined)
  if (failed.length === 0) {
    return { passed: true, lines: [paint('green', `✓ all ${grouped(checks.length)} checks passed`)] }
  }
  return {
    passed: false,
    lines: [
      paint('red', `✗ ${failed.length} of ${grouped(checks.length)} checks failed`),
      ...failed.map(
        ({ check, table }) => `  ${table.engine.name}, ${table.name}: ${check.what}: ${check.failure}`,
      ),
    ],
  }
}
