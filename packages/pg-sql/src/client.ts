/**
 * A client: a pg Client or Pool, PGlite, or postgres.js as `{ query: (text) => sql.unsafe(text) }`. A text may contain
 * several statements, which then run in one transaction.
 */
export interface Client {
  /** Runs the text, and resolves to rows or `{ rows }`. */
  query(text: string): PromiseLike<unknown>
  /** PGlite only: runs several statements, since its `query` accepts one. */
  exec?(text: string): PromiseLike<unknown>
}

/** Runs a script of several statements. */
export async function run(client: Client, script: string): Promise<void> {
  await (client.exec ? client.exec(script) : client.query(script))
}

/** The only value of a query's result. */
export async function queryValue(client: Client, text: string): Promise<unknown> {
  const result = (await client.query(text)) as Row[] | { rows: Row[] }
  const row = (Array.isArray(result) ? result : result.rows)[0]
  return row && Object.values(row)[0]
}

type Row = Record<string, unknown>
