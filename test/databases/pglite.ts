import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { DatabaseKind, OpenDatabase, Row, Template } from './open-database.js'
import { thisRun } from './run.js'

export interface PgliteDatabase extends OpenDatabase {
  readonly kind: 'pglite'
  readonly connection: PGlite
  /** The major version. */
  readonly version: number
}

export interface PgliteOptions {
  template?: Template<PgliteDatabase>
}

const ENDING = '.pglite.tar'

/** PGlite: PostgreSQL in this process, in memory, with one session. */
export const pglite: DatabaseKind<PgliteDatabase, PgliteOptions> = {
  name: 'pglite',
  selected: () => true,
  // Making a cluster takes four times as long as loading one, so the run's first of a kind is kept for the others.
  open: async ({ template } = {}) => {
    const kept = join(thisRun().folder, `${template?.name ?? ''}${ENDING}`)
    if (existsSync(kept)) {
      return described(await PGlite.create({ loadDataDir: new Blob([await readFile(kept)]) }))
    }
    const database = await described(await PGlite.create())
    await template?.prepare(database)
    const dump = await database.connection.dumpDataDir('none')
    const written = `${kept}.${randomUUID()}`
    await writeFile(written, new Uint8Array(await dump.arrayBuffer()))
    await rename(written, kept)
    return database
  },
}

/** Forgets what was kept. */
export async function forgetPglites(folder: string): Promise<void> {
  const kept = (await readdir(folder)).filter((name) => name.endsWith(ENDING))
  await Promise.all(kept.map((name) => rm(join(folder, name))))
}

async function described(connection: PGlite): Promise<PgliteDatabase> {
  const { rows } = await connection.query<{ server_version: string }>('SHOW server_version')
  const version = Number.parseInt(rows[0]?.server_version ?? '', 10)
  return {
    kind: 'pglite',
    label: `PGlite, PostgreSQL ${version}`,
    version,
    connection,
    query: async (sql, parameters) => (await connection.query<Row>(sql, parameters && [...parameters])).rows,
    close: async () => {
      if (!connection.closed) await connection.close()
    },
  }
}
