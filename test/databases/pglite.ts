import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import type { DatabaseKind, OpenDatabase, Row } from './open-database.js'
import { thisRun } from './run.js'

export interface PgliteDatabase extends OpenDatabase {
  readonly kind: 'pglite'
  readonly connection: PGlite
  /** The major version. */
  readonly version: number
}

// Clearing the default's 128 MB takes most of the time of loading.
const SMALL = ['-c', 'shared_buffers=4MB']

// Loading a cluster takes a quarter of a second of CPU time, emptying one a tenth of that.
let emptied: PGlite | undefined

/** PGlite: PostgreSQL in this process, with one session. */
export const pglite: DatabaseKind<PgliteDatabase> = {
  name: 'pglite',
  selected: () => true,
  open: async () => {
    if (emptied) {
      const again = emptied
      emptied = undefined
      return described(again)
    }
    const folder = mkdtempSync(join(thisRun().folder, 'pglite-'))
    cpSync(await emptyCluster(), folder, { recursive: true })
    return described(await opened(folder))
  },
}

const opened = async (folder: string): Promise<PGlite> => {
  const { PGlite } = await import('@electric-sql/pglite')
  return PGlite.create(folder, { initDbStartParams: SMALL })
}

/** The run's empty cluster, from which others are copied: creating one takes thirty times as long as loading one. */
async function emptyCluster(): Promise<string> {
  const kept = join(thisRun().folder, 'empty.pglite')
  // The first who needs it makes it, and the rest wait.
  const making = `${kept}.making`
  while (!existsSync(kept)) {
    if (await isFirst(making)) await make(kept, making)
    else await sleep(50)
  }
  return kept
}

const isFirst = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'EEXIST' && Promise.reject(error),
  )

async function make(kept: string, making: string): Promise<void> {
  const folder = join(making, 'data')
  try {
    const connection = await opened(folder)
    await connection.close()
  } catch (error) {
    rmSync(making, { recursive: true })
    throw error
  }
  renameSync(folder, kept)
}

/** Resets a cluster to the state of a new one; false if that fails. */
async function empty(connection: PGlite): Promise<boolean> {
  const { rows: schemas } = await connection.query<{ name: string }>(
    "SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'",
  )
  await connection.exec('DISCARD ALL')
  await connection.exec(`DROP SCHEMA ${schemas.map(({ name }) => name).join(', ')} CASCADE;
    CREATE SCHEMA public AUTHORIZATION pg_database_owner; GRANT USAGE ON SCHEMA public TO PUBLIC;
    COMMENT ON SCHEMA public IS 'standard public schema'`)
  const { rows } = await connection.query<{ left: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE oid >= 16384) OR EXISTS (SELECT FROM pg_db_role_setting)
      OR EXISTS (SELECT FROM pg_default_acl) OR EXISTS (SELECT FROM pg_database WHERE datacl IS NOT NULL AND NOT datistemplate)
      OR (SELECT array_agg(extname) FROM pg_extension) IS DISTINCT FROM '{plpgsql}'::name[]
      OR EXISTS (SELECT FROM pg_event_trigger) OR EXISTS (SELECT FROM pg_publication)
      OR EXISTS (SELECT FROM pg_cast WHERE oid >= 16384) AS left`,
  )
  return rows[0]?.left === false
}

async function described(connection: PGlite): Promise<PgliteDatabase> {
  const { rows } = await connection.query<{ server_version: string }>('SHOW server_version')
  const version = Number.parseInt(rows[0]?.server_version ?? '', 10)
  let closed: Promise<void> | undefined
  return {
    kind: 'pglite',
    label: `PGlite, PostgreSQL ${version}`,
    version,
    connection,
    query: async (sql, parameters) => {
      if (closed) throw new Error('the database is closed')
      return (await connection.query<Row>(sql, parameters && [...parameters])).rows
    },
    close: () => {
      closed ??= release(connection)
      return closed
    },
  }
}

async function release(connection: PGlite): Promise<void> {
  if (connection.closed) return
  if (emptied === undefined && (await empty(connection).catch(() => false))) emptied = connection
  else {
    await connection.close()
    if (connection.dataDir) rmSync(connection.dataDir, { recursive: true })
  }
}
