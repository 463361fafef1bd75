import type { IdFamily } from '@snoflax/core'
import type { OpenDatabase } from '../../databases/open-database.js'
import type { FormName } from './forms.js'

/** A form, with the ids of a definition, on a database. */
export interface Declared {
  readonly form: FormName
  /** The definition of `rows`. */
  readonly family: IdFamily
  /** What a text that can't be a key of the column does in a condition. ORMs without the option ignore it. */
  readonly onMismatch: 'error' | 'notFound'
  /** It has the form's tables and their rows. */
  readonly database: OpenDatabase
}

/** A range of time, as arguments of the ORM's function of that name behind the column. */
export type Created =
  | readonly [name: 'createdBetween', from: unknown, to: unknown]
  | readonly [name: 'createdAfter' | 'createdBefore', time: unknown]

interface Found {
  readonly model: string
  readonly row: object
}

/** A row of the model `rows`. */
export interface Stored {
  readonly id: string
  readonly note: string
}

/** The features of an ORM over the model `rows`. Ids, times and cursors may be malformed. */
export interface FeatureSession {
  find(id: unknown): Promise<(Found & { readonly also: readonly Found[]; readonly hasMore: boolean }) | null>
  /** A page by the id column, with the options `after`, `order` and `take`, and `where` for ORMs whose `keyset` has it. */
  page(options: Readonly<Record<string, unknown>>): Promise<readonly object[]>
  /** The rows of a range of time. */
  read(...created: Created): Promise<readonly object[]>
  /** Deletes them. */
  remove(...created: Created): Promise<unknown>
  /** Writes of a new id, or of another id of a stored row, by the ORM's names in Markdown. */
  readonly writes?: Readonly<Record<string, (id: string, stored: Stored) => Promise<unknown>>>
  close?(): Promise<unknown>
}

/** The default export of a package's `test/contract/features.ts`. */
export interface FeatureAdapter {
  readonly orm: string
  /** The databases that the ORM has a driver for. Default: all. */
  readonly databases?: readonly OpenDatabase['kind'][]
  /** Forms that the ORM or its package doesn't have, and why. */
  readonly absent: Readonly<Partial<Record<FormName, string>>>
  /** Whether pages end by a limit of the query's own, and `keyset` has no `take`. */
  readonly hasOwnLimit?: boolean
  /** Values of `where` that mean no condition, for ORMs whose `keyset` takes conditions. */
  readonly noConditions?: readonly unknown[]
  /** Whether columns have the option `onMismatch`. */
  readonly hasMismatch?: boolean
  /** With which `onMismatch` a write isn't checked. */
  readonly unchecked?: Declared['onMismatch']
  /** Opens the ORM. Rejects where the declaration is refused, as it is where all tables are known. */
  open(declared: Declared): Promise<FeatureSession>
}

/** The result of a test: for docs/features.txt. */
export interface FeatureCell {
  readonly orm: string
  readonly database: OpenDatabase['kind']
  readonly form: FormName
  /** Why the form isn't there; undefined if its features answered as expected. */
  readonly absent: string | undefined
}

/** What became of a text that is no key of its column: for the table of docs/existing-keys.md. */
export interface WriteCell {
  readonly orm: string
  /** The ORM's name for it. */
  readonly write: string
  /** Undefined for an ORM without the option. */
  readonly onMismatch: Declared['onMismatch'] | undefined
  readonly hasCheck: boolean
  readonly result: string
}

// A reporter reads them from each finished test.
declare module 'vitest' {
  interface TaskMeta {
    feature?: FeatureCell
    writes?: readonly WriteCell[]
  }
}
