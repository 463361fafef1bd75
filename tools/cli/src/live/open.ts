import { UsageError } from '../exit.js'
import { isDatabaseError, messageAbout, openBy } from './address.js'
import type { LiveDatabase } from './database.js'
import { openMysql } from './mysql.js'
import { openPostgres } from './postgres.js'
import { openSqlite } from './sqlite.js'

/** What a command reads of a database, which is closed then. @throws {UsageError} for errors of the database. */
export async function readDatabase<Result>(
  command: 'doctor' | 'find' | 'adopt code',
  url: string,
  read: (database: LiveDatabase) => Promise<Result>,
): Promise<Result> {
  try {
    const database = await openBy(url, {
      postgres: () => openPostgres(url, `snoflax ${command}`),
      mysql: openMysql,
      sqlite: openSqlite,
    })
    try {
      return await read(database)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`${command} failed: ${messageAbout(url, error)}`)
    throw error
  }
}
