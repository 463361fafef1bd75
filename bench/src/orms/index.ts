import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@snoflax/test'
import Database from 'better-sqlite3'
import type { Chapter, Surroundings } from '../report.js'
import type { Place } from './contest.js'
import { openDrizzle } from './drizzle.js'
import { drizzleQueries } from './drizzle-queries.js'
import { drizzleSql } from './drizzle-sql.js'
import { findRows } from './find.js'
import { imports } from './imports.js'
import { kyselyQueries } from './kysely-queries.js'
import { openPrisma } from './prisma.js'
import { prismaQueries } from './prisma-queries.js'
import { sectionsOf } from './section.js'
import { openTypeorm } from './typeorm.js'
import { typeormQueries } from './typeorm-queries.js'

export const orms: Chapter<Place> = {
  name: 'orms',
  sections: [
    drizzleSql,
    // Early, since the time of its large results varies once the others have filled the heap.
    prismaQueries,
    ...sectionsOf(
      'TypeORM',
      '`insert` of 1,000 rows, `save` of one, which first looks in the table for a plain key.',
      openTypeorm,
    ),
    typeormQueries,
    ...sectionsOf('Drizzle', '`insert().values()` of 5,000 rows, and of one.', openDrizzle),
    drizzleQueries,
    kyselyQueries,
    findRows,
    imports,
    ...sectionsOf(
      'Prisma',
      '`createMany` of 1,000 rows, `create` of one; plain keys by a client without our extension.',
      openPrisma,
    ),
  ],
  open: openPlace,
}

/** A separate server and SQLite file. Neither waits for the disk. */
async function openPlace(): Promise<Surroundings<Place>> {
  const server = await startServer({
    settings: { autovacuum: 'off', max_wal_size: '2GB', shared_buffers: '256MB' },
  })
  const postgres = await server.database()
  const sqlite = openSqlite()
  const [row] = await postgres.query('SHOW server_version')
  const [lite] = await sqlite.query('SELECT sqlite_version() AS version')
  return {
    place: { postgres, sqlite },
    circumstances: `, PostgreSQL ${row?.['server_version']}, fsync off, SQLite ${lite?.['version']}`,
    close: async () => {
      sqlite.close()
      await postgres.close()
      await server.stop()
    },
  }
}

function openSqlite(): Place['sqlite'] & { close(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-bench-'))
  const file = join(folder, 'bench.db')
  const connection = new Database(file)
  connection.pragma('synchronous = off')
  return {
    file,
    connection,
    query: async (sql) => {
      const statement = connection.prepare(sql)
      if (statement.reader) return statement.all() as Record<string, unknown>[]
      statement.run()
      return []
    },
    close: () => {
      connection.close()
      rmSync(folder, { recursive: true })
    },
  }
}
