/** What was written for a key or a foreign key. */
export interface Change {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** A column that a person has to declare: the source can't be followed to it. */
export class Unwritable extends Error {}
