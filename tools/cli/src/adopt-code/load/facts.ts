import type { Generated } from './generators.js'

/** An export of a module of the application, or a property of a class. */
export interface Place {
  readonly file: string
  readonly name: string
}

/** A column of a table, as its ORM has it. */
export interface ColumnFacts {
  /** The property in code. */
  readonly key: string
  /** The name in the database. */
  readonly name: string
  /** `varchar(36)` */
  readonly type: string
  readonly isNullable: boolean
  /** Whether it is the primary key, or a part of it. */
  readonly isPrimary: boolean
  /** The default of the database, in SQL. */
  readonly default?: string
  /** What the application generates. */
  readonly generated?: Generated
  /** Whether the database or the ORM generates UUIDs. */
  readonly isUuidGenerated?: boolean
  /** The definition of an id column, by its name: the column is ours. */
  readonly definition?: string
  /** Whether it has no property, as the column of a relation of TypeORM. */
  readonly isVirtual?: boolean
  /** Why it stays as it is, whatever it stores. */
  readonly stays?: string
  /** The class in which its property stands. */
  readonly place?: Place
  /** Columns that it refers to. */
  readonly references: readonly Reference[]
}

export interface Reference {
  /** The table, by its number, and the property of the column. */
  readonly table: number
  readonly key: string
  /** Whether it is a foreign key of this column alone, one of several columns, or a relation in code. */
  readonly by: 'column' | 'key' | 'relation'
}

export interface TableFacts {
  readonly name: string
  readonly schema?: string
  /** Where code has it: exports of modules, or a class. */
  readonly places: readonly Place[]
  readonly columns: readonly ColumnFacts[]
  /** Keys, indexes and checks, for comparison. */
  readonly constraints: readonly string[]
}

/** A module that can't be loaded. */
export interface Failure {
  readonly file: string
  readonly reason: string
}

export interface Facts {
  readonly database: 'postgres' | 'mysql' | 'sqlite'
  readonly tables: readonly TableFacts[]
  readonly failures: readonly Failure[]
}

export type Orm = 'drizzle' | 'typeorm' | 'mikroOrm' | 'prisma' | 'kysely'

/** What a process that loads an application gets. */
export interface Request {
  readonly orm: Exclude<Orm, 'prisma' | 'kysely'>
  /** Whole paths of the modules. */
  readonly files: readonly string[]
  /** The path of `typescript`. */
  readonly typescript: string
  /** Texts instead of those of files, by whole path. */
  readonly texts: readonly (readonly [file: string, text: string])[]
}
