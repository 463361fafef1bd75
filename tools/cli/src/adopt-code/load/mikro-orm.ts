import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { reasonOf, UUID_DEFAULT } from './drizzle.js'
import type { ColumnFacts, Facts, Failure, Reference, TableFacts } from './facts.js'
import { sample } from './generators.js'
import { placesOf } from './typeorm.js'

interface Property {
  readonly name: string
  readonly kind: string
  readonly fieldNames?: readonly string[]
  readonly columnTypes?: readonly string[]
  readonly nullable?: boolean
  readonly primary?: boolean
  readonly persist?: boolean
  readonly formula?: unknown
  readonly object?: boolean
  readonly array?: boolean
  readonly defaultRaw?: string
  readonly onCreate?: (entity: object) => unknown
  readonly embedded?: readonly [parent: string, name: string]
  readonly polymorphic?: boolean
  readonly polymorphTargets?: readonly Entity[]
  readonly targetMeta?: Entity
  readonly referencedColumnNames?: readonly string[]
  /** What a property of @snoflax/mikro-orm knows of its ids. */
  readonly customType?: { readonly family?: { readonly name: string }; readonly newId?: () => string }
}

interface Entity {
  readonly className: string
  readonly class: abstract new () => object
  readonly tableName: string
  readonly schema?: string
  readonly root: Entity
  readonly inheritanceType?: 'sti' | 'tpt'
  readonly tptParent?: Entity
  readonly ownProps?: readonly Property[]
  readonly props: readonly Property[]
  readonly properties: Readonly<Record<string, Property>>
  readonly hooks: Readonly<Record<string, readonly (string | ((args: object) => unknown))[]>>
  readonly pivotTable?: boolean
  readonly embeddable?: boolean
  readonly virtual?: boolean
  readonly view?: boolean
  readonly abstract?: boolean
}

interface Orm {
  readonly driver: { getPlatform(): object }
  readonly schema: { getCreateSchemaSQL(options: object): Promise<string> }
  getMetadata(): { getAll(): ReadonlyMap<unknown, Entity> }
}

interface OrmClass {
  init(options: { readonly dbName?: string; readonly clientUrl?: string }): Promise<Orm>
}

/** Packages that export its class, each with the driver of its database. */
const PACKAGE = /['"](@mikro-orm\/(?:sqlite|libsql|postgresql|mariadb|mysql|mssql|mongodb|sql))['"]/

const NONE = 'it exports no configuration of MikroORM, and passes none to MikroORM.init(): export it'

/** Loads modules of MikroORM's configuration, and tells what MikroORM knows of their entities, without connecting. */
export async function mikroOrmFacts(files: readonly string[]): Promise<Facts> {
  const failures: Failure[] = []
  const fail = (file: string, reason: string) => failures.push({ file, reason })
  // Entities that are named by paths are loaded as all modules are.
  const require = createRequire(files[0] as string)
  Object.assign(globalThis, {
    dynamicImportProvider: async (id: string) => require(id.startsWith('file:') ? fileURLToPath(id) : id),
  })
  process.env['MIKRO_ORM_CLI_ALWAYS_ALLOW_TS'] = '1'
  const orms: Orm[] = []
  for (const file of files) {
    try {
      const found = await ormsOf(file)
      orms.push(...found)
      if (found.length === 0) fail(file, NONE)
    } catch (error) {
      fail(file, reasonOf(error))
    }
  }
  const [orm] = orms
  const known = new Set(orm && entitiesOf(orm).map((one) => one.class))
  const isOther = orms.flatMap(entitiesOf).some((one) => !one.pivotTable && !known.has(one.class))
  const database = orm && databaseOf(orm)
  if (isOther) fail(files[0] as string, 'several configurations: pass the file of one')
  else if (orm && !database)
    fail(files[0] as string, "id properties need MikroORM's driver for PostgreSQL, SQLite, MySQL or MariaDB")
  if (!orm || !database || isOther) return { database: 'sqlite', tables: [], failures }
  const lines = (await orm.schema.getCreateSchemaSQL({ wrap: false })).split('\n')
  const entities = entitiesOf(orm)
  const places = placesOf()
  return { database, tables: entities.map((one) => factsOf(one, entities, places, lines)), failures }
}

/** What a module configures: what it exports, and what it passes to `init()`, which never answers it. */
async function ormsOf(file: string): Promise<Orm[]> {
  const require = createRequire(file)
  const [, name = '@mikro-orm/core'] = PACKAGE.exec(readFileSync(file, 'utf8')) ?? []
  const { MikroORM } = require(name) as { MikroORM: OrmClass }
  let base = MikroORM
  while (Object.getPrototypeOf(base) !== Function.prototype) base = Object.getPrototypeOf(base)
  const { init } = base
  const found: Promise<Orm>[] = []
  base.init = function (options) {
    const database = options.dbName || options.clientUrl ? {} : { dbName: 'app' }
    found.push(init.call(this, { ...options, ...database, metadataCache: { enabled: false }, debug: false }))
    return new Promise(() => {})
  }
  try {
    for (const [key, value] of Object.entries(require(file) as object)) {
      const isFactory = typeof value === 'function' && key === 'default' && /mikro-orm\.config\./.test(file)
      const one = isFactory ? await value() : value
      if (typeof one?.getMetadata === 'function' && one.driver) found.push(one)
      else if (Object(one) === one && ('entities' in one || 'entitiesTs' in one)) void MikroORM.init(one)
    }
    return await Promise.all(found)
  } finally {
    base.init = init
  }
}

const DATABASES = [
  [/postgre/i, 'postgres'],
  [/sqlite|libsql/i, 'sqlite'],
  [/mysql|mariadb/i, 'mysql'],
] as const

function databaseOf({ driver }: Orm): Facts['database'] | undefined {
  for (let one = driver.getPlatform(); one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    const found = DATABASES.find(([name]) => name.test(one.constructor.name))
    if (found) return found[1]
  }
  return undefined
}

/** Those with a table: a child of single-table inheritance is in that of its root. */
const entitiesOf = (orm: Orm): Entity[] =>
  [...orm.getMetadata().getAll().values()].filter(
    (one) =>
      !one.embeddable &&
      !one.virtual &&
      !one.view &&
      (!one.abstract || one.inheritanceType !== undefined) &&
      (one.root === one || one.tptParent !== undefined),
  )

/** A column, by its property and its position in that. */
type Column = readonly [entity: Entity, prop: Property, at: number]

const isToOne = ({ kind }: Property): boolean => kind === 'm:1' || kind === '1:1'

const columnsOf = (entity: Entity): Column[] =>
  (entity.inheritanceType === 'tpt' && entity.ownProps ? entity.ownProps : entity.props).flatMap((prop) =>
    prop.persist === false || prop.formula || /^(?:1:m|m:n)$/.test(prop.kind) || isInline(prop)
      ? []
      : (prop.fieldNames ?? []).map((_, at): Column => [entity, prop, at]),
  )

const isInline = ({ kind, object, array }: Property): boolean => kind === 'embedded' && !object && !array

/** As code names it; a column of a key of several, with its own name. */
function keyOf([entity, prop, at]: Column): string {
  const { embedded, fieldNames = [], name } = prop
  const parent = embedded && entity.properties[embedded[0]]
  const path = parent ? `${keyOf([entity, { ...parent, fieldNames: [] }, 0])}.${embedded[1]}` : name
  return fieldNames.length > 1 ? `${path}.${fieldNames[at]}` : path
}

/** The columns that a column refers to; of a polymorphic relation, those of each target. */
function targetsOf([entity, prop, at]: Column, all: readonly Entity[]): Column[] {
  const { polymorphTargets, targetMeta, referencedColumnNames = [] } = prop
  const isOf = (name: string | undefined, target: Entity): Column[] => {
    const own = all.includes(target) ? target : target.root
    return columnsOf(own).filter(([, one, index]) => one.fieldNames?.[index] === name)
  }
  const parent = prop.primary && entity.tptParent
  if (parent) return isOf(prop.fieldNames?.[at], parent)
  if (!isToOne(prop)) return []
  if (prop.polymorphic)
    return (polymorphTargets ?? []).flatMap((one) =>
      at === 0 ? [] : isOf(referencedColumnNames[at - 1], one),
    )
  return targetMeta ? isOf(referencedColumnNames[at], targetMeta) : []
}

function definitionOf(column: Column, all: readonly Entity[]): string | undefined {
  const { customType } = column[1]
  if (!isToOne(column[1])) return customType && 'newId' in customType ? customType.family?.name : undefined
  return targetsOf(column, all).flatMap((one) => definitionOf(one, all) ?? [])[0]
}

function factsOf(
  entity: Entity,
  all: readonly Entity[],
  places: ReturnType<typeof placesOf>,
  lines: readonly string[],
): TableFacts {
  const columns = columnsOf(entity).map((column): ColumnFacts => {
    const [, prop, at] = column
    const { columnTypes = [], fieldNames = [], defaultRaw } = prop
    const definition = definitionOf(column, all)
    const references = targetsOf(column, all).map(
      (target): Reference => ({
        table: all.indexOf(target[0]),
        key: keyOf(target),
        by: fieldNames.length === 1 || prop.polymorphic ? 'column' : 'key',
      }),
    )
    return {
      key: keyOf(column),
      name: fieldNames[at] as string,
      type: columnTypes[at] ?? columnTypes[0] ?? '',
      isNullable: prop.nullable === true,
      isPrimary: prop.primary === true,
      ...(defaultRaw !== undefined && { default: defaultRaw }),
      ...(defaultRaw && UUID_DEFAULT.test(defaultRaw) && { isUuidGenerated: true }),
      ...(isToOne(prop) ? {} : generatedBy(entity, prop)),
      ...(definition !== undefined && { definition }),
      references,
    }
  })
  const named = [...places].flatMap(([value, found]) => {
    const schema = (value as { readonly meta?: Entity }).meta
    if (value === entity.class) return found.map((one) => ({ ...one, name: entity.class.name }))
    return schema?.class === entity.class ? found : []
  })
  const quoted = new RegExp(`["\`']${entity.tableName}["\`']`)
  const isInCode = !entity.pivotTable && named.length === 0
  return {
    name: entity.tableName,
    ...(entity.schema !== undefined && { schema: entity.schema }),
    places: isInCode ? [{ file: '', name: entity.className }] : named,
    columns,
    constraints: lines.filter((line) => quoted.test(line)),
  }
}

/** What generates a key: a function of the property, the class, or a hook before an insert. */
function generatedBy(entity: Entity, prop: Property): Pick<ColumnFacts, 'generated'> {
  const { name, onCreate, customType, primary } = prop
  const { newId } = customType ?? {}
  if (onCreate && newId) return { generated: sample(newId) }
  if (onCreate) return { generated: sample(() => onCreate({})) }
  if (!primary || newId) return {}
  const generate = (): unknown => {
    const created = new (entity.class as new () => Record<string, unknown>)()
    for (const hook of created[name] === undefined ? (entity.hooks['beforeCreate'] ?? []) : []) {
      const work = typeof hook === 'function' ? hook : (created[hook] as typeof hook & object)
      try {
        ;(work as (args: object) => unknown).call(created, { entity: created })
      } catch {
        // It may need other properties.
      }
    }
    return created[name]
  }
  try {
    return generate() === undefined ? {} : { generated: sample(generate) }
  } catch (error) {
    const reason = `${entity.className} can't be constructed without arguments: ${reasonOf(error)}`
    return { generated: { samples: [], generators: [], reason } }
  }
}
