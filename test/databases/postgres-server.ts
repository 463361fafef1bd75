import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Client } from 'pg'
import { freePort } from './free-port.js'
import type { GuardedProcess } from './guarded-process.js'
import { guardedProcess } from './guarded-process.js'
import { give, serverOwner, writeFileFor } from './owner.js'
import { copyAsStandby, copyRunningServer } from './postgres-backup.js'
import { embeddedBinaries, runnable } from './postgres-binaries.js'
import { connectTo, untilReachable } from './postgres-connection.js'
import type { PostgresDatabase, PostgresDatabaseOptions } from './postgres-databases.js'
import { createDatabase } from './postgres-databases.js'
import { type Standby, standby } from './postgres-standby.js'
import type { PostgresVersion } from './postgres-version.js'
import { wantedVersion } from './postgres-version.js'

export interface ServerOptions {
  /** The run's version unless said. */
  version?: PostgresVersion
  /** The folder of another installation of that version, whose `bin` is used; say `version` too. */
  installation?: string
  /** Server settings, as in postgresql.conf. */
  settings?: Record<string, string | number>
  /** Run a copy of the binaries, so that `extensionFolder` is the server's own. */
  ownBinaries?: boolean
}

/** A PostgreSQL server of one's own, from the embedded binaries. Stop it in `afterAll`. */
export interface PostgresServer {
  readonly version: PostgresVersion
  /** As superuser, to the maintenance database. Stays the same over restarts. */
  readonly url: string
  readonly port: number
  /** The data directory. */
  readonly directory: string
  /** Where it finds the files of extensions. */
  readonly extensionFolder: string
  /** The pid of the server's main process while it runs. */
  pid(): number | undefined
  /** A session as superuser in the maintenance database. */
  connect(): Promise<Client>
  /** A fresh database; it goes with the server. */
  database(options?: PostgresDatabaseOptions): Promise<PostgresDatabase>
  /** SIGKILL to the server and all its backends at once. */
  kill9(): Promise<void>
  /** Ends the server in order; its data stay. */
  shutdown(): Promise<void>
  /** Starts the server again, after ending it in order if it still runs. */
  restart(settings?: ServerOptions['settings']): Promise<void>
  /** A second, independent server from a copy of this one's files taken while it runs. */
  copy(): Promise<PostgresServer>
  /** A second server that follows this one. */
  standby(): Promise<PostgresStandby>
  /** What the server has logged so far. */
  log(): string
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

/** A server that follows another one. */
export interface PostgresStandby extends PostgresServer, Standby {}

type Settings = Record<string, string | number>
type Credentials = { user: string; password: string }

export async function startServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const version = options.version ?? wantedVersion()
  const credentials = { user: 'postgres', password: randomBytes(12).toString('hex') }
  return launch(
    version,
    credentials,
    settingsOf(options),
    options.installation,
    async ({ guarded, directory, binaries, owner }) => {
      const passwordFile = join(guarded.folder, 'password')
      writeFileFor(owner, passwordFile, credentials.password)
      const { code } = await guarded.run(
        binaries.initdb,
        [
          ['-D', directory, '-U', credentials.user, '-A', 'scram-sha-256', '--pwfile', passwordFile],
          ['--encoding=UTF8', '--no-locale', '--no-sync', '--no-instructions'],
        ].flat(),
        owner,
      )
      if (code !== 0) throw new Error('initdb failed')
    },
    options.ownBinaries,
  )
}

function settingsOf({ settings }: ServerOptions): Settings {
  return {
    // A commit survives a killed server all the same: only a crash of the machine loses what was not flushed.
    fsync: 'off',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '64MB',
    // In the data directory, so that nothing of a killed server outlives its folder.
    dynamic_shared_memory_type: 'mmap',
    // A standby that starts late still finds what it missed.
    wal_keep_size: '256MB',
    max_wal_size: '512MB',
    ...settings,
  }
}

interface Prepared {
  readonly guarded: GuardedProcess
  readonly directory: string
  readonly binaries: ReturnType<typeof embeddedBinaries>
  readonly owner: ReturnType<typeof serverOwner>
}

async function launch(
  version: PostgresVersion,
  credentials: Credentials,
  settings: Settings,
  installation: string | undefined,
  prepare: (prepared: Prepared) => Promise<void>,
  ownBinaries = false,
): Promise<PostgresServer> {
  const owner = serverOwner()
  const guarded = guardedProcess(`postgres-${version}`)
  try {
    give(guarded.folder, owner)
    const binaries = installation
      ? runnable(installation, owner, guarded.folder)
      : embeddedBinaries(version, owner, guarded.folder, ownBinaries)
    const prepared = { guarded, directory: join(guarded.folder, 'data'), binaries, owner }
    await prepare(prepared)
    return await running(version, credentials, settings, prepared)
  } catch (cause) {
    const log = logOf(guarded.folder).split('\n').slice(-40).join('\n')
    await guarded.remove()
    throw new Error(`PostgreSQL ${version} did not start: ${message(cause)}\n${log}`, { cause })
  }
}

async function running(
  version: PostgresVersion,
  credentials: Credentials,
  initialSettings: Settings,
  { guarded, directory, binaries, owner }: Prepared,
): Promise<PostgresServer> {
  let settings = initialSettings
  let pid: number | undefined
  const port = await freePort()
  const url = `postgres://${credentials.user}:${credentials.password}@127.0.0.1:${port}/postgres`

  const start = async () => {
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    pid = await guarded.start(binaries.postgres, ['-D', directory, '-p', String(port), ...flags], owner)
    const died = guarded.exited().then(({ code, signal }) => {
      pid = undefined
      throw new Error(`the server ended with ${signal ?? code}`)
    })
    died.catch(() => {})
    await untilReachable(url, 240_000, died)
  }
  const shutdown = async () => {
    await guarded.stop('SIGINT')
    pid = undefined
  }

  await start()
  const server: PostgresServer = {
    version,
    url,
    port,
    directory,
    extensionFolder: join(dirname(binaries.postgres), '../share/postgresql/extension'),
    pid: () => pid,
    connect: () => connectTo(url),
    database: (options) => createDatabase({ url, version, prefix: 'test' }, options),
    kill9: async () => {
      await guarded.kill9()
      pid = undefined
    },
    shutdown,
    restart: async (changed) => {
      settings = { ...settings, ...changed }
      if (pid !== undefined) await shutdown()
      await start()
    },
    copy: () =>
      launch(version, credentials, settings, undefined, (next) =>
        copyRunningServer(server, next.directory, next.owner),
      ),
    standby: async () => {
      const replica = await launch(version, credentials, settings, undefined, (next) =>
        copyAsStandby(server, next.directory, next.owner),
      )
      return { ...replica, ...standby(server, replica) }
    },
    log: () => logOf(guarded.folder),
    stop: () => guarded.remove(),
  }
  return server
}

function logOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'server.log'), 'utf8')
  } catch {
    return ''
  }
}

const message = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
