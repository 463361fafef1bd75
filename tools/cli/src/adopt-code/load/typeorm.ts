import { createRequire } from 'node:module'
import { reasonOf, UUID_DEFAULT } from './drizzle.js'
import type { ColumnFacts, Facts, Failure, Place, Reference, TableFacts } from './facts.js'
import { sample } from './generators.js'

type Class = new () => Record<string, unknown>

interface Column {
  readonly propertyName: string
  readonly propertyPath: string
  readonly databaseName: string
  readonly isNullable: boolean
  readonly isPrimary: boolean
  readonly isGenerated: boolean
  readonly generationStrategy?: string
  readonly isVirtual: boolean
  readonly length?: string
  readonly target: unknown
  readonly entityMetadata: Entity
  readonly relationMetadata?: object
  readonly referencedColumn?: Column
  readonly [IDS]?: {
    readonly storage: { readonly family: { readonly name: string; generate(): string } }
    readonly definition?: { readonly isGenerated: boolean }
  }
}

interface Named {
  readonly name?: string
  readonly columns?: readonly Column[]
}

interface Entity {
  readonly name: string
  readonly target: unknown
  readonly tableName: string
  /** With its schema. */
  readonly tablePath: string
  readonly schema?: string
  readonly tableType: string
  readonly columns: readonly Column[]
  readonly indices: readonly (Named & { readonly isUnique: boolean; readonly where?: string })[]
  readonly uniques: readonly Named[]
  readonly checks: readonly { readonly name: string; readonly expression: string }[]
  readonly foreignKeys: readonly (Named & {
    readonly referencedColumns: readonly Column[]
    readonly referencedEntityMetadata: Entity
    readonly onDelete?: string
    readonly onUpdate?: string
  })[]
  readonly beforeInsertListeners: readonly { execute(entity: object): unknown }[]
}

interface Driver {
  readonly options: { readonly type: string }
  normalizeType(column: Column): string
  normalizeDefault(column: Column): string | undefined
  getColumnLength(column: Column): string
}

interface DataSource {
  readonly entityMetadatas: readonly Entity[]
  readonly driver: Driver
  buildMetadatas(): Promise<void>
}

/** What a column of @snoflax/typeorm knows of its ids. */
const IDS: unique symbol = Symbol.for('@snoflax/typeorm id column') as never

const isDataSource = (one: unknown): one is DataSource =>
  typeof (one as Partial<DataSource> | null)?.buildMetadatas === 'function'

/** Loads modules of TypeORM's data sources, and tells what TypeORM knows of their entities, without connecting. */
export async function typeormFacts(files: readonly string[]): Promise<Facts> {
  const failures: Failure[] = []
  const sources = new Map<DataSource, NodeJS.Require>()
  for (const file of files) {
    const require = createRequire(file)
    try {
      const found = Object.values(require(file) as object).filter(isDataSource)
      if (found.length === 0)
        failures.push({ file, reason: 'it exports no DataSource: export the one that it creates' })
      for (const source of found) {
        if (source.entityMetadatas.length === 0) await source.buildMetadatas()
        sources.set(source, require)
      }
    } catch (error) {
      failures.push({ file, reason: reasonOf(error) })
    }
  }
  const [first, other] = [...sources]
  if (other) failures.push({ file: files[0] as string, reason: 'several data sources: pass the file of one' })
  if (!first || other) return { database: 'sqlite', tables: [], failures }
  const [source, require] = first
  // A child of single-table inheritance is in the table of its parent.
  const entities = source.entityMetadatas.filter(
    ({ tableType }) => tableType !== 'view' && tableType !== 'entity-child',
  )
  const { type } = source.driver.options
  const database = /^(?:mysql|mariadb)$/.test(type) ? 'mysql' : type === 'postgres' ? 'postgres' : 'sqlite'
  const places = placesOf()
  const storage = (require('typeorm') as { getMetadataArgsStorage(): Declared }).getMetadataArgsStorage()
  return {
    database,
    tables: entities.map((entity) => factsOf(entity, entities, source.driver, places, storage)),
    failures,
  }
}

/** The exports of loaded modules, those that declare a value before those that export it again. */
export function placesOf(): ReadonlyMap<unknown, readonly Place[]> {
  const places = new Map<unknown, readonly Place[]>()
  for (const module of Object.values(createRequire(import.meta.url).cache)) {
    if (!module || /[\\/]node_modules[\\/]/.test(module.filename)) continue
    for (const [name, value] of Object.entries(Object(module.exports)))
      if (Object(value) === value)
        places.set(value, [{ file: module.filename, name }, ...(places.get(value) ?? [])])
  }
  return places
}

function factsOf(
  entity: Entity,
  all: readonly Entity[],
  driver: Driver,
  places: ReturnType<typeof placesOf>,
  declared: Declared,
): TableFacts {
  const place = (target: unknown, name: string) => ({ file: places.get(target)?.[0]?.file ?? '', name })
  const reference = (target: Column, by: Reference['by']): Reference => ({
    table: all.findIndex(({ tablePath }) => tablePath === target.entityMetadata.tablePath),
    key: target.propertyPath,
    by,
  })
  const columns = entity.columns.map((column): ColumnFacts => {
    const given = driver.normalizeDefault(column)
    const length = driver.getColumnLength(column)
    const type = driver.normalizeType(column)
    const isUuid = column.isGenerated && column.generationStrategy === 'uuid'
    const ids = column[IDS]
    const foreign = entity.foreignKeys.flatMap(({ columns: own = [], referencedColumns }) => {
      const target =
        referencedColumns[own.findIndex(({ databaseName }) => databaseName === column.databaseName)]
      return target ? [reference(target, own.length === 1 ? 'column' : 'key')] : []
    })
    return {
      key: column.propertyPath,
      name: column.databaseName,
      type: length ? `${type}(${length})` : type,
      isNullable: column.isNullable,
      isPrimary: column.isPrimary,
      ...(given !== undefined && { default: given }),
      ...((isUuid || (given && UUID_DEFAULT.test(given))) && { isUuidGenerated: true }),
      ...(column.isPrimary && !column.isGenerated && !ids && generatedBy(entity, column)),
      ...(ids?.definition?.isGenerated && { generated: sample(() => ids.storage.family.generate()) }),
      ...(column.isVirtual && { isVirtual: true }),
      ...(ids && { definition: ids.storage.family.name }),
      place: place(...classOf(column, declared)),
      references: foreign,
    }
  })
  return {
    name: entity.tableName,
    ...(entity.schema !== undefined && { schema: entity.schema }),
    places: [place(entity.target, entity.name)],
    columns,
    constraints: constraintsOf(entity),
  }
}

/** Properties with a decorator of TypeORM, by their classes. */
interface Declared {
  readonly columns: readonly { readonly target: unknown; readonly propertyName: string }[]
}

/** The class in which a property stands: that of the entity, or one that it extends. */
function classOf({ target, entityMetadata, propertyName }: Column, { columns }: Declared): [unknown, string] {
  const isIn = (one: unknown) =>
    columns.some((other) => other.target === one && other.propertyName === propertyName)
  let at = entityMetadata.target
  while (typeof at === 'function' && !isIn(at)) at = Object.getPrototypeOf(at)
  const found = typeof at === 'function' && isIn(at) ? at : target
  return [found, typeof found === 'function' ? found.name : String(found)]
}

/** What the class generates: by the value of a property, or before an insert. */
function generatedBy(entity: Entity, { propertyName }: Column): Pick<ColumnFacts, 'generated'> {
  const { target, beforeInsertListeners } = entity
  if (typeof target !== 'function') return {}
  const generate = (): unknown => {
    const made = new (target as Class)()
    for (const listener of made[propertyName] === undefined ? beforeInsertListeners : []) {
      try {
        listener.execute(made)
      } catch {
        // It may need other properties.
      }
    }
    return made[propertyName]
  }
  try {
    return generate() === undefined ? {} : { generated: sample(generate) }
  } catch {
    return {}
  }
}

function constraintsOf({ indices, uniques, checks, foreignKeys }: Entity): string[] {
  const names = (columns: readonly Column[] | undefined): string =>
    (columns ?? []).map(({ databaseName }) => databaseName).join(', ')
  return [
    ...indices.map((one) => `${one.name}: index (${names(one.columns)}) ${one.isUnique} ${one.where ?? ''}`),
    ...uniques.map((one) => `${one.name}: unique (${names(one.columns)})`),
    ...checks.map((one) => `${one.name}: check ${one.expression}`),
    ...foreignKeys.map(
      (one) =>
        `${one.name}: (${names(one.columns)}) references ${one.referencedEntityMetadata.tableName} (${names(one.referencedColumns)}) ${one.onDelete} ${one.onUpdate}`,
    ),
  ].sort()
}
