import { quoteText } from '@snoflax/core/adapter'

/** A connection of mysql2/promise. */
export interface Connection {
  /** Runs one statement. */
  query(text: string): PromiseLike<unknown>
}

/** A connection, or a pool of mysql2/promise. */
export interface Client extends Connection {
  /** In pools only: takes a connection. */
  getConnection?(): PromiseLike<Connection & { release(): void; destroy?(): void }>
}

/** The settings with which the bodies will run, and an end to those that hide rows or refuse statements. */
export const SETTINGS: Readonly<Record<string, string>> = {
  sql_mode: "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
  sql_safe_updates: '0',
  sql_select_limit: 'DEFAULT',
  sql_big_selects: '1',
  group_concat_max_len: '1048576',
  collation_connection: 'utf8mb4_bin',
}
/** In two steps: MySQL doesn't read names in the characters of some collations. */
export const MODE: readonly string[] = [
  `SET SESSION collation_connection = ${SETTINGS['collation_connection']}`,
  `SET SESSION ${Object.entries(SETTINGS)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}`,
]

export type Row = Readonly<Record<string, unknown>>
export type Run = (text: string) => Promise<Row[]>

/** The result of mysql2: rows and fields. */
const rowsOf = (result: unknown): Row[] => {
  const [rows] = result as [unknown]
  return Array.isArray(rows) ? rows : []
}

/** Works on one connection under SETTINGS, and restores the session's. */
export async function settled<Result>(client: Client, work: (run: Run) => Promise<Result>): Promise<Result> {
  const pooled = await client.getConnection?.()
  const connection = pooled ?? client
  const run: Run = async (text) => rowsOf(await connection.query(text))
  let isRestored = false
  try {
    const names = Object.keys(SETTINGS)
    const values = names.map((name) => `CAST(@@${name} AS char) AS ${name}`)
    // With its own limit, since the session's may be 0.
    const [before] = await run(`SELECT ${values.join(', ')} LIMIT 1`)
    const restored = names.map((name) => {
      const value = String(before?.[name])
      return `${name} = ${/^\d+$/.test(value) ? value : quoteText(value)}`
    })
    const restore = `SET SESSION ${restored.join(', ')}`
    try {
      for (const statement of MODE) await run(statement)
      return await work(run)
    } finally {
      // Once more if just this statement was killed.
      await run(restore).catch(() => run(restore))
      isRestored = true
    }
  } finally {
    if (isRestored || !pooled?.destroy) pooled?.release()
    else pooled.destroy()
  }
}
