import type { KeyPlan, Named, ReferencePlan } from './plan.js'

/** What was written for a key or a foreign key. */
export interface Change {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** A column that a person has to declare: the source can't be followed to it. */
export class Unwritable extends Error {}

/** Writes definitions into the source of an ORM's application. */
export interface Writer {
  lineOf(one: Named): number | undefined
  writeKey(key: KeyPlan): Change
  /** Undefined if its column follows its key by itself. */
  writeReference(one: ReferencePlan): Change | undefined
  /** What is left to do beside the edits. */
  readonly next?: readonly string[]
}
