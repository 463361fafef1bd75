export type Row = Record<string, unknown>

/** A database of one test file's own. Close it in `afterAll`: that removes it. */
export interface OpenDatabase {
  readonly kind: 'sqlite' | 'pglite' | 'postgres' | 'mysql'
  /** Kind and version, for names of tests and tables of results. */
  readonly label: string
  /** Runs one statement in the database's own placeholder style and returns the driver's rows. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** The initial content of a database, created once per run, and copied if the database can. */
export interface Template<Database extends OpenDatabase> {
  /** Letters, digits and `_`. One name always means one content. */
  readonly name: string
  prepare(database: Database): Promise<void>
}

export interface DatabaseKind<Database extends OpenDatabase, Options = object> {
  readonly name: Database['kind']
  /** Whether this run has it. All except MySQL always run, and fail the run if they aren't available. */
  selected(): boolean
  open(options?: Options): Promise<Database>
}
