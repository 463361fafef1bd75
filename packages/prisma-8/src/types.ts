import type { Expression } from '@prisma/orm-family-sql/relational-core/expression'
import type { FlakeId, FlaxId, SnoId, Time, TypeidSuffix, Ulid, Uuid7 } from '@snoflax/core'
import type { DiscordId, TwitterId, UidId, UidLocalId } from '@snoflax/families'

interface Ids {
  flax: FlaxId
  sno: SnoId
  flake: FlakeId
  uid: UidId
  uidLocal: UidLocalId
  uuid7: Uuid7
  ulid: Ulid
  typeid: TypeidSuffix
  twitter: TwitterId
  discord: DiscordId
}

interface Storages {
  flax: 'uuid' | 'text' | 'uuid8'
  sno: 'uuid' | 'text' | 'uuid8'
  flake: 'bigint' | 'uuid8'
  uid: 'uuid' | 'text' | 'uuid8'
  uidLocal: 'bigint' | 'text' | 'uuid8'
  uuid7: 'uuid' | 'text'
  ulid: 'uuid' | 'text'
  typeid: 'uuid' | 'text'
  twitter: 'bigint'
  discord: 'bigint'
}

type IdCodecs<Name extends keyof Ids> = {
  readonly [Storage in Storages[Name] as `snoflax/${Name}-${Storage}@1`]: {
    readonly input: Ids[Name]
    readonly output: Ids[Name]
    readonly traits:
      | 'equality'
      | 'order'
      | 'snoflax'
      | (Name extends 'uid' | 'uidLocal' ? never : 'snoflax-time')
  }
}

type Intersected<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** Types of the columns' values, for `contract.d.ts`. */
export type CodecTypes = Intersected<{ [Name in keyof Ids]: IdCodecs<Name> }[keyof Ids]> & {
  /** Families of your own; `contract.d.ts` brands their ids. */
  readonly [Codec in `snoflax/own-${string}@1`]: {
    readonly input: string
    readonly output: string
    readonly traits: 'equality' | 'order' | 'snoflax' | 'snoflax-time'
  }
} & {
  readonly 'snoflax/time@1': { readonly input: Date; readonly output: Date; readonly traits: 'order' }
}

type OfColumn = Expression<{ codecId: string; nullable: boolean }>
type Condition = Expression<{ codecId: 'pg/bool@1'; nullable: false }>
interface OnIds {
  readonly traits: readonly ['snoflax']
}

/** The operations of id columns, for `contract.d.ts`. */
export type QueryOperationTypes<_CodecTypes> = {
  /** Rows created from `from` until before `to`, as a range of the key. For uid it may select some more. */
  readonly createdBetween: {
    readonly self: OnIds
    readonly impl: (self: OfColumn, from: Time, to: Time) => Condition
  }
  /** Rows created at `time` or later; none if `time` is after the family's last. */
  readonly createdAfter: { readonly self: OnIds; readonly impl: (self: OfColumn, time: Time) => Condition }
  /** Rows created before `time`. */
  readonly createdBefore: { readonly self: OnIds; readonly impl: (self: OfColumn, time: Time) => Condition }
  /**
   * The creation time of the id, to select, sort by, or compare with a Date. For uid, which sorts by node first within
   * 256 seconds, only to select.
   */
  readonly createdAt: {
    readonly self: { readonly traits: readonly ['snoflax-time'] }
    readonly impl: (self: OfColumn) => Expression<{ codecId: 'snoflax/time@1'; nullable: false }>
  }
}
