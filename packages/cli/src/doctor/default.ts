import { baseOf, snakeCase } from '@snoflax/core/adapter'
import { isDatabaseError } from '../databases.js'
import type { ColumnRules } from './declaration.js'
import type { Examination } from './examination.js'
import { generatedBy, type IdColumn, prefixedBy } from './id-columns.js'
import { placeOf } from './live-database.js'
import { type Finding, finding } from './report.js'
import { headOf, readStored, shown } from './stored-value.js'

/** Finds a default that doesn't generate the column's ids, by its SQL or by evaluating it. */
export async function checkDefault(
  rules: ColumnRules,
  examination: Examination,
  idColumn: IdColumn,
): Promise<Finding[]> {
  const instead = await generatedInstead(examination, idColumn)
  if (instead === undefined) return []
  const { column, family, storage } = idColumn
  const message = `its default generates ${instead}, but the column stores ${family.name} as ${storage?.name}`
  const cure = { sql: await rules.cureDefault(examination, idColumn) }
  return [finding('default', placeOf(column), message, cure)]
}

const DAY_MS = 86_400_000

/** Functions without state, whose values say more than their names: a TypeID has a prefix, or is a UUIDv7. */
const STATELESS = ['ulid', 'typeid']

async function generatedInstead(
  { database, nowMs }: Examination,
  { column, family, storage }: IdColumn,
): Promise<string | undefined> {
  const { defaultSql, counter, declared } = column
  if (storage === undefined) return undefined
  if (counter !== undefined) return `increasing numbers (${counter})`
  if (defaultSql === undefined) return undefined
  if (/\bnextval\(/i.test(defaultSql)) return 'numbers of a sequence'
  const [made, form = made === 'uuid7' ? 'uuid' : 'binary'] = generatedBy(defaultSql) ?? []
  const name = STATELESS.includes(String(made)) ? undefined : made
  // A nested call may be converted by the outer one.
  if (name !== undefined && /^(?:\(?'\w+'(?:::text)? *\|\| *)?[\w".]+\([^()]*\)\)?$/.test(defaultSql)) {
    const prefix = prefixedBy(defaultSql)
    const head = prefix === undefined ? '' : `${prefix}_`
    const isOwn = name === snakeCase(baseOf(family).name) && form === storage.name && head === headOf(storage)
    return isOwn ? undefined : `${name} as storage ${form}${head && ` with prefix ${head}`}`
  }
  // A constant marks rows without an id.
  if (name !== undefined || !defaultSql.includes('(')) return undefined
  const value = database.kind === 'postgres' ? `(${defaultSql})::${declared}` : defaultSql
  try {
    const [row] = await database.query(`SELECT ${value} AS value`)
    if (row?.['value'] == null) return undefined
    const read = readStored(storage, row['value'])
    if (read.is !== 'id') return `values such as ${shown(row['value'])}`
    const isOfNow = Math.abs(family.timeMs(read.id) - nowMs) < DAY_MS
    return isOfNow ? undefined : `ids whose time isn't now, such as ${shown(row['value'])}`
  } catch (error) {
    // It needs functions or settings of the application, or writes.
    if (isDatabaseError(error)) return undefined
    throw error
  }
}
