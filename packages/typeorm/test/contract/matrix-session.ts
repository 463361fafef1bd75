import type { Program } from '@snoflax/test/contract'
import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm'

/** TypeORM on the schema of the matrix. */
export interface Session {
  readonly db: DataSource
  readonly m: Any
  /** A builder that selects from the entity. */
  from(entity: string, alias: string): SelectQueryBuilder<ObjectLiteral>
  /** The parameter for SQL of our own, and the id that such SQL returned. */
  bound(entity: string, id: string): unknown
  read(entity: string, value: unknown): unknown
  readonly isMysql: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: entities are named, since their types differ by mode
export type Any = any

export type Programs = Readonly<Record<string, Program<Session>>>
