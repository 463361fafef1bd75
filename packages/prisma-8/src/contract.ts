import type { SqlStorage } from '@prisma/orm-family-sql/contract/types'
import type { CodecRef } from '@prisma/orm-framework/components/codec'
import type { Contract } from '@prisma/orm-framework/contract/types'
import { type Database, IdError, type IdFamily, type IdStorage, storageFor } from '@snoflax/core'
import { agree, isPrefixed, withPath } from '@snoflax/core/adapter'
import { familyOf, type IdColumn, paramsOf } from './columns.js'
import { type GeneratorParams, generatorId } from './defaults.js'

export type SqlContract = Pick<Contract<SqlStorage>, 'storage' | 'domain' | 'execution'>

/** An id column of a contract. */
export interface ContractColumn {
  /** Model and field; table and column if no model has it. */
  readonly place: string
  readonly storage: IdStorage<string>
  readonly column: IdColumn
  readonly family: IdFamily
  readonly ref: CodecRef
}

/** The key of a column: namespace, table and name. JSON separates them unambiguously. */
type Place = string
const placeOf = (namespace: string, table: string, column: string): Place =>
  JSON.stringify([namespace, table, column])

/** The id columns of a contract. */
export class ContractIds {
  private readonly columns = new Map<Place, ContractColumn>()
  /** Model and field by column key. */
  private readonly paths = new Map<Place, string>()
  /** The expressions by which the database generates ids. */
  private readonly inDatabase = new Map<ContractColumn, string>()
  private readonly namespacesOf = new Map<string, Set<string>>()

  /** @throws {IdError} for a column with parameters that its family doesn't have. */
  constructor(
    readonly contract: SqlContract,
    own: readonly IdColumn[],
    database: Database,
  ) {
    const byCodec = new Map(own.map((column) => [column.codecId, column]))
    this.readPaths()
    for (const [namespace, { entries }] of Object.entries(contract.storage.namespaces)) {
      for (const [table, { columns }] of Object.entries(entries.table ?? {})) {
        this.namespacesOf.set(table, (this.namespacesOf.get(table) ?? new Set()).add(namespace))
        for (const [name, stored] of Object.entries(columns)) {
          const column = byCodec.get(stored.codecId)
          const path = this.pathOf(namespace, table, name)
          if (column === undefined) checkFamily(path, stored.codecId)
          if (column === undefined) continue
          const params = withPath(path, () => paramsOf(column, this.typeParamsOf(stored)))
          const family = familyOf(column, params)
          const storage = storageFor(family, database, { storage: column.storage })
          const own = {
            place: path,
            column,
            family,
            storage,
            ref: {
              codecId: column.codecId,
              ...(Object.keys(params).length > 0 && { typeParams: { ...params } }),
            },
          }
          this.columns.set(placeOf(namespace, table, name), own)
          if (stored.default?.kind === 'function') this.inDatabase.set(own, stored.default.expression)
        }
      }
    }
  }

  private readPaths(): void {
    for (const [namespace, { models }] of Object.entries(this.contract.domain.namespaces)) {
      for (const [model, { storage }] of Object.entries(models)) {
        const { table, namespaceId, fields } = storage as unknown as ModelStorage
        for (const [field, { column }] of Object.entries(fields ?? {})) {
          this.paths.set(placeOf(namespaceId ?? namespace, table, column), `${model}.${field}`)
        }
      }
    }
  }

  private typeParamsOf({ typeRef, typeParams }: { typeRef?: string; typeParams?: unknown }): unknown {
    const type = typeRef === undefined ? undefined : this.contract.storage.types?.[typeRef]
    return type === undefined ? typeParams : (type as { typeParams?: unknown }).typeParams
  }

  /** Model and field of a column; table and column if no model has it. */
  pathOf(namespace: string, table: string, column: string): string {
    return this.paths.get(placeOf(namespace, table, column)) ?? `${table}.${column}`
  }

  /** The id column of a model's field. @throws {IdError} `INVALID_OPTION` for other fields. */
  ofField(field: string): ContractColumn {
    const found = [...this.columns.values()].find(({ place }) => place === field)
    if (found) return found
    const known = [...this.columns.values()].map(({ place }) => place).join(', ')
    throw new IdError('INVALID_OPTION', `no id field ${field}; pass one of ${known}`, { value: field })
  }

  /** The id column of a table; undefined if the column doesn't store ids. */
  at(namespace: string | undefined, table: string, column: string): ContractColumn | undefined {
    if (namespace !== undefined) return this.columns.get(placeOf(namespace, table, column))
    const found = [...(this.namespacesOf.get(table) ?? [])].map((each) => this.at(each, table, column))
    return found.length === 1 ? found[0] : undefined
  }

  /**
   * Checks what Prisma doesn't.
   *
   * @throws {IdError} `INVALID_OPTION` for a foreign key with other ids than its target, and for a default that
   * generates other ids than the column's.
   */
  check(): void {
    this.checkForeignKeys()
    for (const { column, id, params } of this.generated()) {
      withPath(column.place, () => checkDefault(column, id, params))
    }
    for (const [column, expression] of this.inDatabase) {
      withPath(column.place, () => checkPrefix(column, expression))
    }
  }

  private checkForeignKeys(): void {
    for (const [namespace, { entries }] of Object.entries(this.contract.storage.namespaces)) {
      for (const [table, { foreignKeys }] of Object.entries(entries.table ?? {})) {
        for (const { source, target } of foreignKeys) {
          source.columns.forEach((name, index) => {
            const targetName = target.columns[index] as string
            const own = this.at(namespace, table, name)
            const referenced = this.at(target.namespaceId, target.tableName, targetName)
            if (own === undefined && referenced === undefined) return
            const targetPath = this.pathOf(target.namespaceId, target.tableName, targetName)
            if (own === undefined) {
              const path = this.pathOf(namespace, table, name)
              throw new IdError(
                'INVALID_OPTION',
                `${path}: references ${targetPath}, so it stores ids, too; declare it by the type of ${targetPath}`,
                { path },
              )
            }
            agree(identityOf(own), referenced === undefined ? { path: targetPath } : identityOf(referenced))
          })
        }
      }
    }
  }

  /** The columns whose ids this extension generates, and the generator's arguments in the contract. */
  generated(): readonly { column: ContractColumn; id: string; params: GeneratorParams }[] {
    return (this.contract.execution?.mutations.defaults ?? []).flatMap(({ ref, onCreate }) => {
      if (onCreate === undefined) return []
      const column = this.columns.get(placeOf(ref.namespace, ref.entry, ref.field))
      return column ? [{ column, id: onCreate.id, params: (onCreate.params ?? {}) as GeneratorParams }] : []
    })
  }
}

const OWN_CODEC = /^snoflax\/own-(.*)-[a-z0-9]+@1$/

/** A family of your own that was not passed, so its ids would not be converted. */
function checkFamily(path: string, codecId: string): void {
  const [, name] = OWN_CODEC.exec(codecId) ?? []
  if (name === undefined) return
  throw new IdError(
    'INVALID_OPTION',
    `${path}: the column stores ${name} ids, a family of your own; pass families: [${name}] to withIds`,
    { path, field: 'families', family: name },
  )
}

function checkDefault({ column, family }: ContractColumn, id: string, params: GeneratorParams): void {
  const { name } = column.family
  if (id !== generatorId(column)) {
    throw new IdError(
      'INVALID_OPTION',
      `${name}: its default is ${id}, which generates other ids; use ${generatorId(column)}`,
      { family: name, field: 'default', value: id },
    )
  }
  const { prefix, epoch } = params
  const own = familyOf(column, {
    ...(epoch !== undefined && { epoch }),
    ...(prefix !== undefined && { prefix }),
  })
  if (own.min !== family.min || own.layout.epochMs !== family.layout.epochMs) refuseDefault(column)
}

/** Compact storages have no prefix. */
function checkPrefix({ column, family }: ContractColumn, expression: string): void {
  if (column.storage !== 'text' || !expression.includes('_generate_text(')) return
  const [, prefix] = /^\('(\w+)_'::text/.exec(expression) ?? []
  if (prefix !== (isPrefixed(family) ? family.prefix : undefined)) refuseDefault(column)
}

function refuseDefault({ family: { name } }: IdColumn): never {
  throw new IdError(
    'INVALID_OPTION',
    `${name}: type and default of the column differ in prefix or epoch; write the same in both`,
    { family: name, field: 'default' },
  )
}

interface ModelStorage {
  readonly table: string
  readonly namespaceId?: string
  readonly fields?: Readonly<Record<string, { readonly column: string }>>
}

const identityOf = ({ place, family, column }: ContractColumn) => ({
  path: place,
  family,
  storage: column.storage,
})
