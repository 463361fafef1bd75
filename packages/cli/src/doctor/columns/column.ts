import type { StorageName } from '@snoflax/core'
import type { AnyFamily } from '../../ids/families.js'

/** A column as the database's catalog tells it. */
export interface Column {
  /** Its table: with the schema where that is not the usual one. */
  readonly table: string
  readonly name: string
  /** Table and column as statements write them. */
  readonly quotedTable: string
  readonly quotedName: string
  /** The bare type, in lower case, of a domain that of its base. */
  readonly type: string
  /** The type as it was declared. */
  readonly declared: string
  readonly length: number | undefined
  /** Undefined where the type has none. */
  readonly collation: string | undefined
  readonly isNullable: boolean
  /** The default's expression. */
  readonly defaultSql: string | undefined
  /** Whether it alone is the primary key or unique. */
  readonly isKey: boolean
  /** Whether an index begins with it. */
  readonly isIndexed: boolean
  /** The column that it references, as `table.column`. */
  readonly references: string | undefined
  /** Rows of the table, perhaps as the database estimates them. */
  readonly rows: number
}

/** How it is known that a column holds ids. */
export type Evidence = 'told' | 'default' | 'reference' | 'values'

/** A column that holds ids. */
export interface IdColumn {
  readonly column: Column
  readonly family: AnyFamily
  /** Undefined where its type suits none of the family's storages. */
  readonly storage: StorageName | undefined
  readonly evidence: Evidence
}

export const placeOf = ({ table, name }: Column): string => `${table}.${name}`
