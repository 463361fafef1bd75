import type { DatabaseValue, IdFamily, IdStorage } from '@snoflax/core'
import { baseOf } from '@snoflax/core/adapter'
import { literal } from '../ids/forms.js'
import type { ColumnRules } from './declaration.js'
import type { Examination } from './examination.js'
import type { StoredIds } from './id-columns.js'
import { placeOf } from './live-database.js'
import { lookUp } from './replacement.js'
import { type Cure, type Finding, finding } from './report.js'
import { bareId, headOf, ownId, readStored } from './stored-value.js'
import type { Scan } from './values.js'

const LOOKED_UP = 20

/** Finds columns that store the ids of another table's key in another storage, so that joins find nothing. */
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
        baseOf(family) === baseOf(key.family) && formName(storage) !== formName(key.storage),
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
      const cure = await converted(examination, idColumn, key, rules)
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

/** How many values are converted one by one, if the database has no functions for it. */
const CONVERTED = 1000

async function converted(
  examination: Examination,
  idColumn: StoredIds,
  { family, storage }: StoredIds,
  rules: ColumnRules,
): Promise<Cure> {
  const { database } = examination
  const { quotedName, quotedTable } = idColumn.column
  const hasPrefix = headOf(storage) !== '' || headOf(idColumn.storage) !== ''
  const whole = hasPrefix ? undefined : rules.convertAll?.(examination, idColumn, storage.name)
  if (whole !== undefined) return { sql: whole }
  const rows = await database.query(
    `SELECT DISTINCT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IS NOT NULL LIMIT ${CONVERTED + 1}`,
  )
  const updates = rows.flatMap(({ value }) => {
    const read = readStored(idColumn.storage, value)
    if (read.is === 'malformed') return []
    const id = ownId(family, bareId(idColumn.family, read.id))
    const [right, wrong] = [storage.toDatabase(id), value].map((one) =>
      literal(database.kind, one as DatabaseValue),
    )
    return [`UPDATE ${quotedTable} SET ${quotedName} = ${right} WHERE ${quotedName} = ${wrong}`]
  })
  const isConverted = rows.length <= CONVERTED && updates.length === rows.length
  if (isConverted && storage.name === 'text' && idColumn.storage.name === 'text')
    return { sql: updates.join(';\n') }
  if (!isConverted || rules.changeStorage === undefined) {
    const leaves = `store its ids as ${formName(storage)}: write a migration that reads and converts each row`
    return { leaves }
  }
  return { sql: await rules.changeStorage(examination, { ...idColumn, family, storage }, updates) }
}
