import { placeOf } from '../columns/column.js'
import type { Scan } from '../columns/scan.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { replacement } from './replacement.js'

/** Ids that carry a time after now: made by a clock that ran ahead, or by another family or epoch. */
export function future(examination: Examination, { idColumn, future }: Scan): Finding[] {
  const [first] = future.first
  if (!first) return []
  return [
    {
      check: 'future',
      severity: 'error',
      where: placeOf(idColumn.column),
      message: `ids from the future: ${future.count}; the first, ${first.id}, is from ${first.reason}`,
      cure: replacement(examination, idColumn, future.first, false),
    },
  ]
}
