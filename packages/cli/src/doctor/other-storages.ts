import type { IdFamily, IdStorage } from '@snoflax/core'
import { baseOf, isPrefixed } from '@snoflax/core/adapter'
import { migrationTo } from './declaration.js'
import type { Examination } from './examination.js'
import { placeOf } from './live-database.js'
import { lookUp } from './replacement.js'
import { type Finding, finding } from './report.js'
import { bareId, headOf, ownId } from './stored-value.js'
import type { Scan } from './values.js'

const LOOKED_UP = 20

/** Finds columns that store the ids of another table's key in another storage, so that joins find nothing. */
export async function otherStorages(examination: Examination, scans: readonly Scan[]): Promise<Finding[]> {
  const isFree = ({ idColumn: { column } }: Scan): boolean => column.references === undefined
  const keys = scans.filter((one) => one.idColumn.column.isKey && isFree(one))
  const columns = scans.filter((one) => !one.idColumn.column.isKey && isFree(one) && one.ids.length > 0)
  const findings: Finding[] = []
  for (const { idColumn: key } of keys) {
    const others = columns.filter(
      ({ idColumn: { family, storage } }) =>
        baseOf(family) === baseOf(key.family) &&
        !(isPrefixed(family) && isPrefixed(key.family) && family.prefix !== key.family.prefix) &&
        formName(storage) !== formName(key.storage),
    )
    if (others.length === 0) continue
    const found = new Set(
      await lookUp(
        examination.database,
        key,
        others.flatMap((one) => idsOf(one, key.family)),
      ),
    )
    for (const other of others) {
      const { idColumn } = other
      const some = idsOf(other, key.family)
      if (some.filter((id) => found.has(id)).length * 2 < some.length) continue
      const message = `stores ids of ${placeOf(key.column)} as ${formName(idColumn.storage)}, but that column stores them as ${formName(key.storage)}: joins find nothing`
      const cure = migrationTo(formName(key.storage))
      findings.push(finding('reference', placeOf(idColumn.column), message, cure))
    }
  }
  return findings
}

/** Some ids of a column, as the family has them. */
const idsOf = ({ ids, idColumn }: Scan, family: IdFamily): string[] =>
  ids.slice(0, LOOKED_UP).map((id) => ownId(family, bareId(idColumn.family, id)))

function formName(storage: IdStorage<string>): string {
  const head = headOf(storage)
  return head === '' ? storage.name : `${storage.name} with prefix ${head}`
}
