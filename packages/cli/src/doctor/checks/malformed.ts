import { placeOf } from '../columns/column.js'
import type { Scan } from '../columns/scan.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { replacement } from './replacement.js'

/** Values that are no id of the family, or one in another storage's form. */
export function malformed(examination: Examination, { idColumn, malformed }: Scan): Finding[] {
  const [first] = malformed.first
  if (!first) return []
  const { column, family, storage } = idColumn
  return [
    {
      check: 'malformed',
      severity: 'error',
      where: placeOf(column),
      message: `values that are no ${family.name} as storage ${storage} has it: ${malformed.count}; the first: ${first.reason}`,
      cure: replacement(examination, idColumn, malformed.first, true),
    },
  ]
}
