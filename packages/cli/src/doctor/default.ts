import { snakeCase } from '@snoflax/core/adapter'
import type { ColumnRules } from './declaration.js'
import type { Examination } from './examination.js'
import { type IdColumn, madeBy } from './id-columns.js'
import { isDatabaseError, placeOf } from './live-database.js'
import { type Finding, finding } from './report.js'
import { readStored, shown } from './stored-value.js'

/** A default that makes something else than ids of the column, by its text or by what it gives. */
export async function checkDefault(
  rules: ColumnRules,
  examination: Examination,
  idColumn: IdColumn,
): Promise<Finding[]> {
  const made = await madeInstead(examination, idColumn)
  if (made === undefined) return []
  const { column, family, storage } = idColumn
  const message = `its default generates ${made}, but the column stores ${family.name} as ${storage?.name}`
  const cure = { sql: await rules.cureDefault(examination, idColumn) }
  return [finding('default', placeOf(column), message, cure)]
}

const DAY_MS = 86_400_000

async function madeInstead(
  { database, nowMs }: Examination,
  { column, family, storage }: IdColumn,
): Promise<string | undefined> {
  const { defaultSql, counter, declared } = column
  if (storage === undefined) return undefined
  if (counter !== undefined) return `numbers that count up (${counter})`
  if (defaultSql === undefined) return undefined
  if (/\bnextval\(/i.test(defaultSql)) return 'numbers of a sequence'
  const [name, form = name === 'uuid7' ? 'uuid' : 'binary'] = madeBy(defaultSql) ?? []
  // A call inside another one may give any form.
  if (name !== undefined && /^[\w".]+\([^()]*\)$/.test(defaultSql)) {
    return name === snakeCase(family.name) && form === storage.name ? undefined : `${name} as storage ${form}`
  }
  // A constant is for rows without an id.
  if (name !== undefined || !defaultSql.includes('(')) return undefined
  const value = database.kind === 'postgres' ? `(${defaultSql})::${declared}` : defaultSql
  try {
    const [row] = await database.query(`SELECT ${value} AS value`)
    if (row?.['value'] == null) return undefined
    const read = readStored(storage, row['value'])
    if (read.is !== 'id') return `values such as ${shown(row['value'])}`
    const isOfNow = Math.abs(family.timeMs(read.id) - nowMs) < DAY_MS
    return isOfNow ? undefined : `ids of any time, such as ${shown(row['value'])}`
  } catch (error) {
    // It calls what only the application has, or writes.
    if (isDatabaseError(error)) return undefined
    throw error
  }
}
