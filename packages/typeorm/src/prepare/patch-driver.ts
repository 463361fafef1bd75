import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import { withIdValues } from '../read/parameters.js'
import { convertTreeStatements } from '../write/tree-statements.js'
import { idColumnsIn, idColumnsOf } from './prepared-column.js'

const patched = new WeakSet<object>()

/** The places of a DataSource's driver where parameters go in and returned values come out. */
export function patchDriver(dataSource: DataSource): void {
  const { driver } = dataSource
  if (patched.has(driver)) return
  patched.add(driver)

  const escapeQueryWithParameters = driver.escapeQueryWithParameters.bind(driver)
  driver.escapeQueryWithParameters = (query, parameters) =>
    escapeQueryWithParameters(query, withIdValues(query, parameters ?? {}, idColumnsOf(dataSource)))

  const createGeneratedMap = driver.createGeneratedMap.bind(driver)
  driver.createGeneratedMap = (metadata, ...result) =>
    withIds(metadata, createGeneratedMap(metadata, ...result))

  const createQueryRunner = driver.createQueryRunner.bind(driver)
  driver.createQueryRunner = (mode) => convertTreeStatements(createQueryRunner(mode), dataSource)
}

/** What RETURNING answered, with ids for the values of id columns. */
function withIds(metadata: EntityMetadata, returned: ObjectLiteral | undefined): ObjectLiteral | undefined {
  if (returned === undefined) return undefined
  for (const { metadata: column, transformer } of idColumnsIn(metadata)) {
    const value: unknown = column.getEntityValue(returned)
    if (value == null) continue
    // A foreign key stands as the relation's value here, not within it.
    if (column.embeddedMetadata) column.setEntityValue(returned, transformer.from(value))
    else returned[column.propertyName] = transformer.from(value)
  }
  return returned
}
