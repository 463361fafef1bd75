import type { SqlCodecCallContext } from '@prisma/orm-family-sql/relational-core/ast'
import { CodecDescriptorTemplateImpl, CodecImpl, dataType } from '@prisma/orm-framework/components/codec'
import type { JsonValue } from '@prisma/orm-framework/contract/types'
import { type Database, type DatabaseValue, IdError, type IdStorage, storageFor } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import { familyOf, ID_TRAITS, type IdColumn, type IdParams, paramsOf } from './columns.js'

/** Runs `work`. Errors name the column, if Prisma passes it. */
const at = <Result>({ column }: SqlCodecCallContext, work: () => Result): Result =>
  column ? withPath(`${column.table}.${column.name}`, work) : work()

/** Converts between ids and the stored values of one column type. */
class IdCodec extends CodecImpl<string, readonly ['equality', 'order'], DatabaseValue, string> {
  constructor(
    descriptor: ColumnDescriptor,
    private readonly storage: IdStorage<string>,
  ) {
    super(descriptor)
  }

  override async encode(id: string, context: SqlCodecCallContext): Promise<DatabaseValue> {
    return at(context, () => this.storage.toDatabase(id))
  }

  override async decode(stored: DatabaseValue, context: SqlCodecCallContext): Promise<string> {
    return this.storage.converts ? at(context, () => this.storage.fromDatabase(stored)) : String(stored)
  }

  /** The form of defaults in the contract, and of rows that the database returns as JSON. */
  override encodeJson(id: string): JsonValue {
    return String(this.storage.toDatabase(id))
  }

  override decodeJson(stored: JsonValue): string {
    return this.storage.converts ? this.storage.fromDatabase(stored) : String(stored)
  }
}

/** Reads an id column as the creation time of its id. */
class TimeCodec extends CodecImpl<string, readonly ['order'], DatabaseValue, Date> {
  constructor(
    descriptor: ColumnDescriptor,
    private readonly storage: IdStorage<string>,
  ) {
    super(descriptor)
  }

  override async encode(time: Date): Promise<DatabaseValue> {
    const { name } = this.storage.family
    throw new IdError(
      'INVALID_OPTION',
      `${name}: createdAt can be selected, sorted by, and compared in where; for anything else pass ` +
        'createdBetween, createdAfter or createdBefore',
      { family: name, value: time },
    )
  }

  override async decode(stored: DatabaseValue, context: SqlCodecCallContext): Promise<Date> {
    return at(context, () => this.decodeJson(stored as JsonValue))
  }

  override encodeJson(time: Date): JsonValue {
    return time.toISOString()
  }

  override decodeJson(stored: JsonValue): Date {
    return this.storage.family.time(this.storage.fromDatabase(stored))
  }
}

type Validated = { value: IdParams } | { issues: readonly { message: string }[] }

/** Checks the parameters of a column, at `contract emit` and at start, as a Standard Schema. */
const paramsSchema = (column: IdColumn) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'snoflax',
    validate(value: unknown): Validated {
      try {
        return { value: paramsOf(column, value) }
      } catch (error) {
        if (error instanceof IdError) return { issues: [{ message: error.message }] }
        throw error
      }
    },
  },
})

export const ID_TYPE = dataType('snoflax/id', {})
export const TIME_TYPE = dataType('snoflax/time', {})

abstract class ColumnDescriptor extends CodecDescriptorTemplateImpl<IdParams> {
  override readonly paramsSchema
  override readonly targetTypes

  constructor(
    readonly column: IdColumn,
    readonly database: Database,
    nativeType: string,
  ) {
    super()
    this.paramsSchema = paramsSchema(column)
    this.targetTypes = [nativeType]
  }

  protected storageOf(params: IdParams): IdStorage<string> {
    const { column, database } = this
    return storageFor(familyOf(column, params), database, { storage: column.storage })
  }
}

/** A column that reads ids, without the parts that differ between databases. */
export class IdDescriptor extends ColumnDescriptor {
  override readonly codecId = this.column.codecId
  override readonly traits = ID_TRAITS

  /**
   * The type of the column's ids in `contract.d.ts`; undefined for the family's own type.
   *
   * @throws {IdError} for parameters that the family doesn't have. `contract emit` is the first to check them.
   */
  override renderOutputType(params: IdParams): string | undefined {
    const { prefix, family } = paramsOf(this.column, params)
    const brand = prefix ?? family
    return brand === undefined ? undefined : `Id<'${brand}'>`
  }

  override renderInputType(params: IdParams): string | undefined {
    return this.renderOutputType(params)
  }

  override factory(params: IdParams) {
    return () => new IdCodec(this, this.storageOf(params))
  }
}

/** The same column, read as creation times. */
export class TimeDescriptor extends ColumnDescriptor {
  override readonly codecId = this.column.timeCodecId
  // uid sorts by node first within 256 seconds.
  override readonly traits = this.column.family.exactRange ? (['order'] as const) : ([] as const)

  override factory(params: IdParams) {
    return () => new TimeCodec(this, this.storageOf(params))
  }
}
