import type { IdErrorCode, IdRange } from '@snoflax/core'
import type { OpenDatabase } from '../databases/open-database.js'
import type { RawSql } from './raw/suite.js'
import type { Customer, Graph, Junction, NewCustomer, NewGraph } from './schema.js'
import type { Unawaited, UnawaitedIn } from './unawaited.js'
import type { Variant } from './variant.js'

/** The matrix's text for a refused path, and how to recognize the refusal. */
export interface Refusal {
  readonly why: string
  /** Code of the IdError, or text of the error's message. */
  readonly by: IdErrorCode | RegExp
}

/** One way through an ORM. */
export interface Path<Session, Arguments extends readonly unknown[], Result> {
  run(session: Session, ...args: Arguments): Promise<Result>
  /** For variants in which the path can't work; it still runs and must fail with this error. */
  readonly refused?: (variant: Variant) => Refusal | undefined
  /** For variants in which a malformed id reaches the database, as with plain string keys: why nothing checks it. */
  readonly unchecked?: (variant: Variant) => string | undefined
}

export type Paths<Session, Arguments extends readonly unknown[], Result> = Readonly<
  Record<string, Path<Session, Arguments, Result>>
>

/** Ids that the ORM returned, in the order of rows; undefined for a path that returns none. */
export type Written = readonly string[] | undefined

/** The adapter of an ORM: the default export of its `test/contract/adapter.ts`. */
export interface ContractAdapter<Session> extends ContractPaths<Session> {
  readonly orm: string
  readonly junction: Junction
  /** The variants to run on each supported database; `variantsOf(database)` returns all. */
  readonly variants: Readonly<Partial<Record<Variant['database'], readonly Variant[]>>>
  /** What a malformed id does in a condition: it is an IdError, the default, or finds nothing. */
  readonly mismatch?: 'error' | 'notFound' | ((variant: Variant) => 'error' | 'notFound')
  /** Whether a variant of another family than ours is refused when its columns are defined; tests of its own say how. */
  refuses?(variant: Variant): boolean
  /** Paths that a database has instead of those below. */
  readonly instead?: Readonly<Partial<Record<Variant['database'], Partial<ContractPaths<Session>>>>>
  /** Connects the ORM to an empty database and creates the schema. */
  open(database: OpenDatabase, variant: Variant): Promise<Session>
  close(session: Session): Promise<void>
  /** Raw SQL as the ORM's users write it. */
  readonly raw?: RawSql<Session>
}

/** Ways of writing and reading the schema, by name. */
export interface ContractPaths<Session> {
  /** Insert customers. A path that takes one row at a time loops. */
  readonly inserts: Paths<Session, [rows: readonly NewCustomer[]], Written>
  /** Insert a customer, or update the name if the email exists. Returns the id of the row. */
  readonly upserts: Paths<Session, [row: NewCustomer], string>
  /** Write a customer with profile, orders, lines and tags, and return the customer's id. */
  readonly graphs: Paths<Session, [graph: NewGraph], string>
  /** Change a customer by id. */
  readonly updates: Paths<Session, [id: string, change: Partial<Omit<NewCustomer, 'id'>>], void>
  /** Remove customers by id. */
  readonly deletes: Paths<Session, [ids: readonly string[]], void>
  /** Connect an existing order and tag, or disconnect them. */
  readonly links: Paths<Session, [orderId: string, tagId: string], void>
  readonly unlinks: Paths<Session, [orderId: string, tagId: string], void>

  readonly byId: Paths<Session, [id: string], Customer | undefined>
  readonly byIds: Paths<Session, [ids: readonly string[]], readonly Customer[]>
  readonly byRange: Paths<Session, [range: Required<Omit<IdRange<string>, 'lte'>>], readonly Customer[]>
  readonly createdBetween: Paths<Session, [from: Date, to: Date], readonly Customer[]>
  /** By an id that is not a key; null finds rows without one. */
  readonly byTrace: Paths<Session, [traceId: string | null], readonly Customer[]>
  /** Customers that have this order: a filter on a related table. */
  readonly byOrder: Paths<Session, [orderId: string], readonly Customer[]>
  /** A customer with all its related rows, however the ORM loads them. */
  readonly graph: Paths<Session, [id: string], Graph | undefined>
  /** The next customers by id; undefined starts at the first. */
  readonly page: Paths<Session, [after: string | undefined, limit: number], readonly Customer[]>
  /** Smallest and largest id of the orders. */
  readonly ends: Paths<Session, [], { readonly min: string; readonly max: string }>
  /** Number of orders for each customer that has some. */
  readonly counts: Paths<Session, [], ReadonlyMap<string, number>>

  /** Calls with an id that is malformed: each must reject, never throw. Left out if the ORM builds SQL before. */
  readonly unawaited?: Unawaited<Session> | UnawaitedIn<Session>

  /** A write that bypasses the package, and must fail rather than leave a row without a valid id. */
  readonly around: Paths<Session, [row: NewCustomer], unknown>
}
