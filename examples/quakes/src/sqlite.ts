import Sqlite from 'better-sqlite3'
import type { Engine } from './engine.js'

/** SQLite through better-sqlite3. */
export function openSqlite(file = ':memory:'): Engine {
  const sqlite = new Sqlite(file)
  // Otherwise integers are returned as doubles, rounded above 2^53.
  sqlite.defaultSafeIntegers(true)

  const rowsOf = (sql: string, parameters: readonly unknown[]): unknown[][] =>
    sqlite
      .prepare(sql.replaceAll(/\$\d+/g, '?'))
      .raw()
      .all(...parameters) as unknown[][]

  const bytesOf = (name: string): number => {
    const [row] = rowsOf('SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = $1', [name])
    return Number(row?.[0])
  }

  return {
    name: 'SQLite',
    version: String(rowsOf('SELECT sqlite_version()', [])[0]?.[0]),
    database: 'sqlite',
    exactBigint: true,
    uuidTypes: ['TEXT'],
    run: async (sql) => {
      sqlite.exec(sql)
    },
    query: async (sql, parameters = []) => rowsOf(sql, parameters),
    insert: async (table, columns) => {
      const insert = sqlite.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
      const insertAll = sqlite.transaction(() => {
        const [first] = columns
        first?.values.forEach((_, row) => {
          insert.run(...columns.map(({ values }) => values[row]))
        })
      })
      insertAll()
    },
    explain: async (sql, parameters) =>
      rowsOf(`EXPLAIN QUERY PLAN ${sql}`, parameters).map((row) => String(row.at(-1))),
    isByKey: (plan, table) =>
      plan.length === 1 &&
      [
        `SEARCH ${table} USING INDEX sqlite_autoindex_${table}_1 (id>? AND id<?)`,
        `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)`,
      ].includes(plan[0] as string),
    size: async (table) => ({
      tableBytes: bytesOf(table),
      indexBytes: bytesOf(`sqlite_autoindex_${table}_1`),
    }),
    close: async () => {
      sqlite.close()
    },
  }
}
