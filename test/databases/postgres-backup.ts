import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Owner } from './owner.js'
import { give, writeFileFor } from './owner.js'
import { onConnection } from './postgres-connection.js'

interface Source {
  readonly url: string
  readonly directory: string
  readonly version: number
}

/** Copies the files of a running server as a base backup does, since pg_basebackup is not at hand. */
export async function copyRunningServer(source: Source, directory: string, owner: Owner): Promise<void> {
  const [begin, end] =
    source.version >= 15
      ? ["pg_backup_start('copy', true)", 'pg_backup_stop(false)']
      : ["pg_start_backup('copy', true, false)", 'pg_stop_backup(false, false)']

  // Both calls have to come from one session.
  await onConnection(source.url, async (client) => {
    await client.query(`SELECT ${begin}`)
    await copyFolder(source.directory, directory, owner)
    const { rows } = await client.query<{ labelfile: string }>(`SELECT labelfile FROM ${end}`)
    writeFileFor(owner, join(directory, 'backup_label'), rows[0]?.labelfile ?? '')
    await copyFolder(join(source.directory, 'pg_wal'), join(directory, 'pg_wal'), owner)
  })
}

/** The same, made to follow the server that it was copied from. */
export async function copyAsStandby(source: Source, directory: string, owner: Owner): Promise<void> {
  await copyRunningServer(source, directory, owner)
  const { hostname, port, username, password } = new URL(source.url)
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`
  writeFileFor(owner, join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  writeFileFor(owner, join(directory, 'standby.signal'), '')
}

// What a server keeps for its own process.
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])
// The log is copied last, when it tells all that happened to the other files while they were copied.
const LEFT_EMPTY = new Set(['pg_dynshmem', 'pg_replslot', 'pg_stat_tmp', 'pg_wal'])

async function copyFolder(from: string, to: string, owner: Owner): Promise<void> {
  await makeFolder(to, owner)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (LEFT_OUT.has(entry.name)) continue
    if (LEFT_EMPTY.has(entry.name)) await makeFolder(target, owner)
    else if (entry.isDirectory()) await copyFolder(source, target, owner)
    else await copyOne(source, target, owner)
  }
}

async function makeFolder(path: string, owner: Owner): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  give(path, owner)
}

async function copyOne(source: string, target: string, owner: Owner): Promise<void> {
  try {
    await copyFile(source, target)
    give(target, owner)
  } catch (error) {
    // Removed by the server meanwhile: the log knows of it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
