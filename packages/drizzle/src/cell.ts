import {
  Column,
  type DriverValueEncoder,
  entityKind,
  is,
  isSQLWrapper,
  noopEncoder,
  Param,
  Placeholder,
  SQL,
} from 'drizzle-orm'
import { findIds } from './column-ids.js'

export type Encoder = Column | DriverValueEncoder<unknown, unknown>

/** Where a chunk of SQL lies: among others, or in a list that is one of them. */
export class Cell {
  constructor(
    private readonly holder: unknown[],
    private readonly key: number,
  ) {}

  get chunk(): unknown {
    return this.holder[this.key]
  }

  /**
   * The column of ids, or of lists of them, whose form the chunk has: the column itself, or SQL that is mapped with
   * it.
   */
  get column(): Column | undefined {
    return idColumnOf(this.chunk)
  }

  /** Whether the chunk, or one in a list, is a value that nothing encodes. */
  get isValue(): boolean {
    return hasValue(this.chunk)
  }

  encode(encoder: Encoder): void {
    const { chunk } = this
    if (isBare(chunk)) this.holder[this.key] = new Param(chunk.value, encoder)
    else if (isValue(chunk) || Array.isArray(chunk)) this.holder[this.key] = new Param(chunk, encoder)
  }

  /** The cells of a list, else this one. The list is copied, since it is the user's. */
  spread(): Cell[] {
    if (!Array.isArray(this.chunk)) return [this]
    const copy = [...this.chunk]
    this.holder[this.key] = copy
    return copy.map((_, key) => new Cell(copy, key))
  }
}

export function idColumnOf(chunk: unknown): Column | undefined {
  if (is(chunk, Column)) return findIds(chunk) && chunk
  if (is(chunk, SQL.Aliased)) return idColumnOf(chunk.sql)
  return is(chunk, SQL) ? idColumnOf((chunk as unknown as { decoder: unknown }).decoder) : undefined
}

const hasValue = (chunk: unknown): boolean =>
  Array.isArray(chunk) ? chunk.some(hasValue) : isValue(chunk) || isBare(chunk)

/** A `sql.param(…)` without an encoder. */
const isBare = (chunk: unknown): chunk is Param => is(chunk, Param) && chunk.encoder === noopEncoder

/** What Drizzle sends as a parameter, or a placeholder of one. Null is null in every form. */
const isValue = (chunk: unknown): boolean =>
  is(chunk, Placeholder) ||
  chunk instanceof Uint8Array ||
  ['string', 'number', 'bigint', 'boolean'].includes(typeof chunk) ||
  (typeof chunk === 'object' && chunk !== null && !isSQLWrapper(chunk) && !isOfDrizzle(chunk))

const isOfDrizzle = ({ constructor: kind }: object): boolean => kind !== undefined && entityKind in kind
