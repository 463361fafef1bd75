import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DMMF } from '@prisma/generator-helper'

const require = createRequire(import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  String: 'VARCHAR(191)',
  Bytes: 'LONGBLOB',
  BigInt: 'BIGINT',
  Int: 'INT',
  Float: 'DOUBLE',
  Boolean: 'BOOLEAN',
  DateTime: 'DATETIME(3)',
  Json: 'JSON',
  Decimal: 'DECIMAL(65,30)',
}
const NATIVE: Readonly<Record<string, string>> = { UnsignedBigInt: 'BIGINT UNSIGNED' }
const ACTIONS: Readonly<Record<string, string>> = {
  Cascade: 'CASCADE',
  Restrict: 'RESTRICT',
  NoAction: 'NO ACTION',
  SetNull: 'SET NULL',
}

/** As Prisma's own migrations have it. */
const OPTIONS = 'DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci'

/**
 * The statements that make a project's schema in MySQL or MariaDB, which Prisma's engine in WebAssembly doesn't know.
 * Text with a length distinguishes case, as a user's migrations make the columns of ids.
 */
export async function mysqlTables(folder: string): Promise<readonly string[]> {
  const { getDMMF } = require('@prisma/internals') as typeof import('@prisma/internals')
  const datamodel = readdirSync(join(folder, 'schema')).map((name): [string, string] => [
    name,
    readFileSync(join(folder, 'schema', name), 'utf8'),
  ])
  const { datamodel: data, mappings } = await getDMMF({ datamodel })
  const { enums } = data
  // Views have no rows to delete.
  const models = data.models.filter(({ name }) =>
    mappings.modelOperations.some(({ model, deleteMany }) => model === name && deleteMany != null),
  )
  const tables = models.map((model) => table(model, enums))
  return [...tables, ...junctions(models), ...models.flatMap((model) => foreignKeys(model, models))]
}

const tableOf = ({ dbName, name }: DMMF.Model): string => `\`${dbName ?? name}\``
const columnOf = ({ fields }: DMMF.Model, name: string): string =>
  `\`${fields.find((field) => field.name === name)?.dbName ?? name}\``
const columnsOf = (model: DMMF.Model, names: readonly string[]): string =>
  names.map((name) => columnOf(model, name)).join(', ')

function typeOf({ type, nativeType }: DMMF.Field, enums: readonly DMMF.DatamodelEnum[]): string {
  const values = enums
    .find(({ name }) => name === type)
    ?.values.map(({ name, dbName }) => `'${dbName ?? name}'`)
  if (values) return `ENUM(${values})`
  const [native, length] = nativeType ?? []
  if (native === undefined) return TYPES[type] as string
  const collation = type === 'String' ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''
  return NATIVE[native] ?? `${native}${length?.length ? `(${length})` : ''}${collation}`
}

function table(model: DMMF.Model, enums: readonly DMMF.DatamodelEnum[]): string {
  const columns = model.fields
    .filter(({ kind }) => kind !== 'object')
    .map((field) => {
      const counts = (field.default as { name?: string } | undefined)?.name === 'autoincrement'
      const rest = `${field.isRequired ? 'NOT NULL' : 'NULL'}${counts ? ' AUTO_INCREMENT' : ''}`
      return `${columnOf(model, field.name)} ${typeOf(field, enums)} ${rest}`
    })
  const key = model.primaryKey?.fields ?? model.fields.filter(({ isId }) => isId).map(({ name }) => name)
  const unique = [...model.uniqueFields, ...model.fields.filter((f) => f.isUnique).map(({ name }) => [name])]
  const keys = [
    ...(key.length > 0 ? [`PRIMARY KEY (${columnsOf(model, key)})`] : []),
    ...unique.map((names) => `UNIQUE (${columnsOf(model, names)})`),
  ]
  const lines = [...columns, ...keys].join(', ')
  return `CREATE TABLE ${tableOf(model)} (${lines}) ${OPTIONS}`
}

function foreignKeys(model: DMMF.Model, models: readonly DMMF.Model[]): string[] {
  return model.fields.flatMap(({ type, isRequired, relationOnDelete, relationOnUpdate, ...field }) => {
    const { relationFromFields: from = [], relationToFields: to = [] } = field
    const target = models.find(({ name }) => name === type)
    if (from.length === 0 || target === undefined) return []
    const onDelete = ACTIONS[relationOnDelete ?? (isRequired ? 'Restrict' : 'SetNull')]
    const onUpdate = ACTIONS[(relationOnUpdate as string | undefined) ?? 'Cascade']
    return `ALTER TABLE ${tableOf(model)} ADD FOREIGN KEY (${columnsOf(model, from)}) REFERENCES ${tableOf(target)} (${columnsOf(target, to)}) ON DELETE ${onDelete} ON UPDATE ${onUpdate}`
  })
}

/** Tables of implicit many-to-many relations. */
function junctions(models: readonly DMMF.Model[]): string[] {
  const made = new Map<string, string>()
  for (const model of models) {
    for (const { relationName, isList, type, name } of model.fields) {
      const target = models.find((other) => other.name === type)
      const back = target?.fields.find(
        (field) => field.relationName === relationName && !(target === model && field.name === name),
      )
      if (!isList || !target || !back?.isList) continue
      const sides = [model, target].sort((a, b) => (a.name < b.name ? -1 : 1))
      const columns = sides.map((side, index) => {
        const id = side.fields.find(({ isId }) => isId) as DMMF.Field
        const reference = `REFERENCES ${tableOf(side)} (${columnOf(side, id.name)})`
        const label = index === 0 ? 'A' : 'B'
        const key = `FOREIGN KEY (\`${label}\`) ${reference} ON DELETE CASCADE ON UPDATE CASCADE`
        return `\`${label}\` ${typeOf(id, [])} NOT NULL, ${key}`
      })
      const lines = [...columns, 'UNIQUE (`A`, `B`)'].join(', ')
      made.set(`${relationName}`, `CREATE TABLE \`_${relationName}\` (${lines}) ${OPTIONS}`)
    }
  }
  return [...made.values()]
}
