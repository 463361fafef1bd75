import { type EntityMetadata, type EntityProperty, type Platform, ReferenceKind, Type } from '@mikro-orm/core'
import { type Database, IdError, type IdFamily, type IdStorage, type StorageName } from '@snoflax/core'
import {
  checkCondition,
  checkMismatch,
  databaseDefault,
  type OnMismatch,
  plainStorage,
  refuse,
  withPath,
} from '@snoflax/core/adapter'
import { keepItemType, pathOf } from './checks.js'
import { keepEntity } from './property.js'
import { watchWrites } from './writes.js'

/** How the database generates the ids of a property. */
export interface DatabaseDefault {
  /** The schema of \@snoflax/pg-sql. */
  readonly schema?: string | undefined
  /** sno's metabyte. */
  readonly meta?: number | undefined
}

/**
 * The type of an id property. The column stores the id itself, so nothing is converted. Ids that are written are checked;
 * a condition takes what it takes of strings.
 *
 * @example
 * const type = new IdType(flax, undefined, undefined)
 * const Visit = defineEntity({ name: 'Visit', properties: { id: p.integer().primary(), traceId: p.type(type) } })
 */
export class IdType<AnId extends string> extends Type<AnId, AnId> {
  /** Entity and property, for errors. */
  place: string | undefined

  // MikroORM shares the type of a key with all properties that refer to it, and sets its `prop` to each of them.
  static {
    Object.defineProperty(IdType.prototype, 'prop', {
      set(this: IdType<string>, prop: EntityProperty) {
        keepEntity(this.meta as EntityMetadata)
        const place = pathOf(this.meta as EntityMetadata, prop)
        const isOwn = this.place === undefined || this.place === place
        const type = isOwn
          ? this
          : new IdType(
              this.family,
              this.storage,
              this.generate,
              this.isChecked,
              this.databaseDefault,
              this.onMismatch,
            )
        type.place = place
        // Here, since MikroORM asks a property that states its column's type for no other.
        const platform = this.platform as Platform
        withPath(place, () => checkMismatch(this.storageIn(platform), this.onMismatch))
        watchWrites(platform.getConfig().getDriver())
        prop.customType = type
        if (prop.array) keepItemType(prop, type)
        if (type.newId && prop.onCreate) prop.onCreate = type.newId
        if (prop.kind !== ReferenceKind.SCALAR) return
        if (this.isChecked) withPath(place, () => this.addCheck(prop))
        if (this.databaseDefault) prop.defaultRaw ??= withPath(place, () => this.defaultSql())
      },
    })
  }

  /** A new id, whose errors name entity and property; undefined if the ids are not generated. */
  get newId(): (() => AnId) | undefined {
    const { generate } = this
    return generate && (() => withPath(() => this.place ?? this.family.name, generate))
  }

  constructor(
    /** The family of the ids. */
    readonly family: IdFamily<AnId>,
    /** The storage that the property asks for. */
    readonly storage: StorageName | undefined,
    /** Generates the ids; undefined if they are not generated. */
    readonly generate: (() => AnId) | undefined,
    /** Whether the table has a CHECK of the ids. */
    readonly isChecked?: boolean,
    /** How the database generates the ids; undefined if it does not. */
    readonly databaseDefault?: DatabaseDefault,
    /** What a write of a text does that can't be an id. */
    readonly onMismatch?: OnMismatch,
  ) {
    super()
    // MikroORM's field hides the accessor below.
    delete this.prop
  }

  override getColumnType(prop: EntityProperty, platform: Platform): string {
    // MikroORM asks once before it says which property it means.
    if (this.place === undefined) return 'text'
    const { column, database } = withPath(this.place, () => this.storageIn(platform))
    if (database !== 'sqlite' && column.collation !== undefined) prop.collation ??= column.collation
    return column.type.endsWith('char') ? `char(${column.length})` : column.type
  }

  override compareAsType(): string {
    return 'string'
  }

  override ensureComparable(): boolean {
    return false
  }

  /** Not by MikroORM's option `check`, which can't name the column of a property that entities share. */
  private addCheck({ name: property, fieldNames, primary, persist, array }: EntityProperty): void {
    const { family, meta, platform } = this as IdType<AnId> & { meta: EntityMetadata; platform: Platform }
    if (array) {
      throw new IdError('INVALID_OPTION', `${family.name}: check: true can't check arrays; leave check out`, {
        family: family.name,
        field: 'check',
      })
    }
    // Tables of a table-per-type hierarchy share keys only.
    const isInherited = !primary && meta.tptParent?.properties[property as never]
    if (meta.embeddable || persist === false || isInherited) return
    const name = platform.getIndexName(meta.tableName, fieldNames, 'check')
    const expression = checkCondition(
      this.storageIn(platform),
      platform.quoteIdentifier(fieldNames[0] as string),
    )
    const isNew = meta.checks.every((check) => check.name !== name)
    if (expression !== undefined && isNew) meta.checks.push({ name, expression })
  }

  private defaultSql(): string {
    const { family, platform, databaseDefault: options } = this
    const { database, name } = this.storageIn(platform as Platform)
    if (database === 'mysql' || database === 'mariadb') {
      const reason =
        "default: 'database' needs INSERT … RETURNING, which MikroORM's drivers for MySQL and MariaDB"
      refuse(family.name, 'default', 'database', `${reason} lack; let the application generate the ids`)
    }
    return databaseDefault({ ...options, family, database, storage: name })
  }

  private storageIn(platform: Platform): IdStorage<AnId> {
    // In its identity map, and for pivot tables.
    const reason = 'MikroORM compares ids as they are stored'
    return plainStorage(this.family, databaseOf(platform), this.storage, reason)
  }
}

const DATABASES: readonly (readonly [platform: RegExp, database: Database])[] = [
  [/postgre/i, 'postgres'],
  [/sqlite|libsql/i, 'sqlite'],
  [/mariadb/i, 'mariadb'],
  [/mysql/i, 'mysql'],
]

/** By the names of the platform's classes, the driver's own and those that it extends. */
function databaseOf(platform: Platform): Database {
  for (let one: object = platform; one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    const found = DATABASES.find(([name]) => name.test(one.constructor.name))
    if (found) return found[1]
  }
  throw new IdError(
    'INVALID_OPTION',
    `${platform.constructor.name}: id properties need MikroORM's driver for PostgreSQL, SQLite, MySQL or MariaDB`,
    { field: 'driver' },
  )
}
