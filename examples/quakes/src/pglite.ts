import { PGlite } from '@electric-sql/pglite'
import type { Engine } from './engine.js'

export interface PgliteEngine extends Engine {
  readonly postgres: PGlite
}

/** PGlite: PostgreSQL in this process, in memory. */
export async function openPglite(): Promise<PgliteEngine> {
  const postgres = await PGlite.create()

  const rowsOf = async (sql: string, parameters: readonly unknown[] = []): Promise<unknown[][]> => {
    const { rows } = await postgres.query<unknown[]>(sql, [...parameters], { rowMode: 'array' })
    return rows
  }
  const [versionRow] = await rowsOf('SHOW server_version')

  return {
    postgres,
    name: 'PGlite',
    version: String(versionRow?.[0]),
    database: 'postgres',
    exactBigint: true,
    uuidTypes: ['uuid', 'text'],
    run: async (sql) => {
      await postgres.exec(sql)
    },
    query: rowsOf,
    insert: async (table, columns) => {
      const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`)
      await postgres.query(
        `INSERT INTO ${table} SELECT * FROM unnest(${arrays.join(', ')})`,
        columns.map(({ values }) => values),
      )
      // Does what autovacuum does on a server, so that the planner knows how many rows there are.
      await postgres.exec(`ANALYZE ${table}`)
    },
    explain: async (sql, parameters) =>
      (await rowsOf(`EXPLAIN ${sql}`, parameters)).map((row) => String(row[0])),
    isByKey: (plan, table) =>
      plan.some((line) => /Index (Only )?Scan (using|on)/.test(line) && line.includes(`${table}_pkey`)) &&
      plan.some((line) => line.includes('Index Cond: ((id >= ')),
    size: async (table) => {
      const [row] = await rowsOf('SELECT pg_table_size($1::regclass), pg_indexes_size($2::regclass)', [
        table,
        table,
      ])
      return { tableBytes: Number(row?.[0]), indexBytes: Number(row?.[1]) }
    },
    close: () => postgres.close(),
  }
}
