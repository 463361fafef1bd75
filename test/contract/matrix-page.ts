import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { matrix } from './matrix.js'
import type { Cell } from './record.js'

/** The server that the contract calls mysql: one suite serves both. */
export type MysqlServer = 'MySQL' | 'MariaDB'

const HEADINGS = ['PostgreSQL', 'PGlite', 'SQLite', 'MySQL', 'MariaDB']

/** Writes the results of a run for one ORM. Databases that the run didn't have keep their earlier results. */
export function writeMatrixPage(
  folder: string,
  orm: string,
  cells: readonly Cell[],
  mysqlServer: MysqlServer,
): void {
  const file = join(folder, `${orm.toLowerCase().replaceAll(' ', '-')}.md`)
  const earlier = existsSync(file) ? sections(readFileSync(file, 'utf8')) : new Map<string, string>()
  const parts = HEADINGS.flatMap((heading) => {
    const seen = cells.filter((cell) => headingOf(cell, mysqlServer) === heading)
    const body = seen.length > 0 ? matrix(seen) : earlier.get(heading)
    return body === undefined ? [] : [`## ${heading}\n\n${body}`]
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${[opening(orm), ...parts].join('\n\n')}\n`)
}

export function headingOf({ database }: Pick<Cell, 'database'>, mysqlServer: MysqlServer): string {
  switch (database) {
    case 'postgres':
      return 'PostgreSQL'
    case 'pglite':
      return 'PGlite'
    case 'sqlite':
      return 'SQLite'
    case 'mysql':
      return mysqlServer
  }
}

const opening = (orm: string) => `# ${orm}: tested paths

Ways to write and read through ${orm}. The contract suite runs each on a real database, with every family that the storage supports: it checks generated ids, ids that the application passes, the stored bytes through another driver, and that malformed ids are refused. Listed paths work with every storage; tables have the others. A number refers to the reason why a path is refused, which the suite checks, too, or why a malformed id is passed to the database. The tests write this page; don't edit it.`

/** Heading → text below it. */
function sections(page: string): Map<string, string> {
  const parts = page.split(/^## /m).slice(1)
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n')
      return [part.slice(0, end), part.slice(end).trim()]
    }),
  )
}
