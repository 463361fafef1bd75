import type { Expression } from '@prisma/orm-family-sql/relational-core/expression'
import type { FlakeId, FlaxId, SnoId, Time, UidId, UidLocalId } from '@snoflax/core'
import type { DiscordId, TwitterId, TypeidSuffix, Ulid, Uuid7 } from '@snoflax/families'

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

/** What the columns hold, for `contract.d.ts`. */
export type CodecTypes = Intersected<{ [Name in keyof Ids]: IdCodecs<Name> }[keyof Ids]> & {
  /** Families of users; `contract.d.ts` brands their ids. */
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
  /** Rows whose id was made from `from` until before `to`, as a range of the key. For uid it selects some more. */
  readonly createdBetween: {
    readonly self: OnIds
    readonly impl: (self: OfColumn, from: Time, to: Time) => Condition
  }
  /** Rows whose id was made at the moment or after it: none after the family's last moment. */
  readonly createdAfter: { readonly self: OnIds; readonly impl: (self: OfColumn, time: Time) => Condition }
  /** Rows whose id was made before the moment. */
  readonly createdBefore: { readonly self: OnIds; readonly impl: (self: OfColumn, time: Time) => Condition }
  /**
   * When the id was made: to be selected, sorted by, or compared with a Date. uid, which sorts by its node within a window of
   * time, is selected only.
   */
  readonly createdAt: {
    readonly self: { readonly traits: readonly ['snoflax-time'] }
    readonly impl: (self: OfColumn) => Expression<{ codecId: 'snoflax/time@1'; nullable: false }>
  }
}
