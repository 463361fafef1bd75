export type Row = Record<string, unknown>

/** A database of one test file's own. Close it in `afterAll`: that removes it. */
export interface OpenDatabase {
  readonly kind: 'sqlite' | 'pglite' | 'postgres' | 'mysql'
  /** Kind and version, for names of tests and tables of results. */
  readonly label: string
  /** Runs one statement in the database's own placeholder style and answers the rows as the driver gives them. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** What a fresh database of this kind holds at once; made once a run and copied where the database can. */
export interface Template<Database extends OpenDatabase> {
  /** Letters, digits and `_`. One name always means one content. */
  readonly name: string
  prepare(database: Database): Promise<void>
}

export interface DatabaseKind<Database extends OpenDatabase, Options = object> {
  readonly name: Database['kind']
  /** Whether this run has it; all but MySQL always are, and fail the run where they cannot be had. */
  selected(): boolean
  open(options?: Options): Promise<Database>
}
