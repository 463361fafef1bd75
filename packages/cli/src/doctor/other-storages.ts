import type { DatabaseValue, IdStorage } from '@snoflax/core'
import { baseOf } from '@snoflax/core/adapter'
import { literal } from '../ids/forms.js'
import type { ColumnRules } from './declaration.js'
import type { Examination } from './examination.js'
import type { StoredIds } from './id-columns.js'
import { placeOf } from './live-database.js'
import { lookUp } from './look-up.js'
import { type Cure, type Finding, finding } from './report.js'
import { exactStorage, readStored } from './stored-value.js'
import type { Scan } from './values.js'

/** Ids that are looked up of each column. */
const LOOKED_UP = 20

/** Columns that hold the ids of another table's key in another storage, so that joins find nothing. */
export async function otherStorages(
  examination: Examination,
  scans: readonly Scan[],
  rules: ColumnRules,
): Promise<Finding[]> {
  const isFree = ({ idColumn: { column } }: Scan): boolean => column.references === undefined
  const keys = scans.filter((one) => one.idColumn.column.isKey && isFree(one))
  const columns = scans.filter((one) => !one.idColumn.column.isKey && isFree(one) && one.ids.length > 0)
  const findings: Finding[] = []
  for (const { idColumn: key } of keys) {
    const others = columns.filter(
      ({ idColumn: { family, storage } }) =>
        baseOf(family) === baseOf(key.family) && storage.name !== key.storage.name,
    )
    if (others.length === 0) continue
    const found = new Set(
      await lookUp(
        examination.database,
        key,
        others.flatMap(({ ids }) => ids.slice(0, LOOKED_UP)),
      ),
    )
    for (const { idColumn, ids } of others) {
      const some = ids.slice(0, LOOKED_UP)
      if (some.filter((id) => found.has(id)).length * 2 < some.length) continue
      const message = `stores ids of ${placeOf(key.column)} as ${idColumn.storage.name}, but there they are stored as ${key.storage.name}: joins find nothing`
      const cure = await converted(examination, idColumn, key.storage, rules)
      findings.push(finding('reference', placeOf(idColumn.column), message, cure))
    }
  }
  return findings
}

/** Values that are converted one by one, where the database has no functions for it. */
const CONVERTED = 1000

async function converted(
  examination: Examination,
  idColumn: StoredIds,
  { name }: IdStorage<string>,
  rules: ColumnRules,
): Promise<Cure> {
  const { database } = examination
  const { quotedName, quotedTable } = idColumn.column
  const storage = exactStorage(idColumn.family, database.kind, name)
  const whole = rules.convertAll?.(examination, idColumn, name)
  if (whole !== undefined) return { sql: whole }
  const rows = await database.query(
    `SELECT DISTINCT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IS NOT NULL LIMIT ${CONVERTED + 1}`,
  )
  const updates = rows.flatMap(({ value }) => {
    const read = readStored(idColumn.storage, value)
    if (read.is === 'malformed') return []
    const [right, wrong] = [storage.toDatabase(read.id), value].map((one) =>
      literal(database.kind, one as DatabaseValue),
    )
    return [`UPDATE ${quotedTable} SET ${quotedName} = ${right} WHERE ${quotedName} = ${wrong}`]
  })
  if (rows.length > CONVERTED || updates.length < rows.length || rules.changeStorage === undefined) {
    const leaves = `store its ids as ${name}, by a migration of the application that reads and writes each row`
    return { leaves }
  }
  return { sql: await rules.changeStorage(examination, { ...idColumn, storage }, updates) }
}
