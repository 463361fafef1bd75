import type { IdErrorCode, IdRange } from '@snoflax/core'
import type { OpenDatabase } from '../databases/open-database.js'
import type { Customer, Graph, Junction, NewCustomer, NewGraph } from './schema.js'
import type { Variant } from './variant.js'

/** What stands in the matrix where a path is refused, and how the refusal is told from other errors. */
export interface Refusal {
  readonly why: string
  /** Code of the IdError, or what the error's message says. */
  readonly by: IdErrorCode | RegExp
}

/** One way through an ORM. */
export interface Path<Session, Arguments extends readonly unknown[], Result> {
  run(session: Session, ...given: Arguments): Promise<Result>
  /** For variants in which the path can't work; it is run all the same and must fail as told. */
  readonly refused?: (variant: Variant) => Refusal | undefined
}

export type Paths<Session, Arguments extends readonly unknown[], Result> = Readonly<
  Record<string, Path<Session, Arguments, Result>>
>

/** Ids that the ORM handed back, in the rows' order; undefined where that path answers none. */
export type Written = readonly string[] | undefined

/** What an ORM brings to the contract, by default export of its `test/contract/adapter.ts`. */
export interface ContractAdapter<Session> extends ContractPaths<Session> {
  readonly orm: string
  readonly junction: Junction
  /** The variants that it runs on each database it knows: `variantsOf(database)` are all. */
  readonly variants: Readonly<Partial<Record<Variant['database'], readonly Variant[]>>>
  /** Whether a variant of another family than ours is refused when its columns are defined; tests of its own say how. */
  refuses?(variant: Variant): boolean
  /** Paths that a database has instead of those below. */
  readonly instead?: Readonly<Partial<Record<Variant['database'], Partial<ContractPaths<Session>>>>>
  /** Connects the ORM to a fresh, empty database and makes the schema in it. */
  open(database: OpenDatabase, variant: Variant): Promise<Session>
  close(session: Session): Promise<void>
}

/** Ways of writing and reading the schema, by name. */
export interface ContractPaths<Session> {
  /** Insert customers. A path that takes one row at a time loops. */
  readonly inserts: Paths<Session, [rows: readonly NewCustomer[]], Written>
  /** Insert a customer, or where its email is taken, update the name. Answers the id of the row. */
  readonly upserts: Paths<Session, [row: NewCustomer], string>
  /** Write a customer with profile, orders, lines and tags, and answer the customer's id. */
  readonly graphs: Paths<Session, [graph: NewGraph], string>
  /** Change a customer by id. */
  readonly updates: Paths<Session, [id: string, change: Partial<Omit<NewCustomer, 'id'>>], void>
  /** Remove customers by id. */
  readonly deletes: Paths<Session, [ids: readonly string[]], void>
  /** Tie an order and a tag that exist, or untie them. */
  readonly links: Paths<Session, [orderId: string, tagId: string], void>
  readonly unlinks: Paths<Session, [orderId: string, tagId: string], void>

  readonly byId: Paths<Session, [id: string], Customer | undefined>
  readonly byIds: Paths<Session, [ids: readonly string[]], readonly Customer[]>
  readonly byRange: Paths<Session, [range: Required<IdRange<string>>], readonly Customer[]>
  readonly createdBetween: Paths<Session, [from: Date, to: Date], readonly Customer[]>
  /** By an id that is no key; null finds those without. */
  readonly byTrace: Paths<Session, [traceId: string | null], readonly Customer[]>
  /** Customers that have this order: a filter on a related table. */
  readonly byOrder: Paths<Session, [orderId: string], readonly Customer[]>
  /** A customer with all that hangs on it, however the ORM loads it. */
  readonly graph: Paths<Session, [id: string], Graph | undefined>
  /** The next customers by id; undefined starts at the first. */
  readonly page: Paths<Session, [after: string | undefined, limit: number], readonly Customer[]>
  /** Smallest and largest id of the orders. */
  readonly ends: Paths<Session, [], { readonly min: string; readonly max: string }>
  /** Number of orders for each customer that has some. */
  readonly counts: Paths<Session, [], ReadonlyMap<string, number>>

  /** A write that goes around the package, and must fail rather than leave a row without a proper id. */
  readonly around: Paths<Session, [row: NewCustomer], unknown>
}
