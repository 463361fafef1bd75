import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, thisRun } from '@snoflax/test'
import { createConnection, createPool, type Pool } from 'mysql2/promise'

/** A MySQL in its place: see .ci/mysql. */
const MYSQLD = process.env['SNOFLAX_MYSQLD']
const COMMAND = MYSQLD ?? 'mariadbd'

/** Whether the server that a test starts is MySQL. */
export const isMysql = MYSQLD !== undefined

/** Whether there is a server to be started. */
export const hasMariadb = (): boolean => {
  try {
    execFileSync(COMMAND, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const IS_ROOT = process.getuid?.() === 0

/** A MariaDB, or a MySQL, of one test, which may be killed, and copied with its data. */
export class MariadbServer {
  private readonly child: ChildProcess
  private pooled: Pool | undefined

  private constructor(
    readonly folder: string,
    readonly port: number,
    options: readonly string[],
  ) {
    const own = ['--no-defaults', `--datadir=${folder}/data`, `--socket=${folder}/socket`, `--port=${port}`]
    const quick = [
      '--bind-address=127.0.0.1',
      '--innodb-flush-method=nosync',
      '--innodb-buffer-pool-size=32M',
      // MariaDB empties its own when it starts, whoever else is at work there.
      `--tmpdir=${folder}`,
    ]
    const arguments_ = [
      ...own,
      ...quick,
      ...(isMysql ? ['--mysqlx=OFF'] : []),
      ...(IS_ROOT ? ['--user=mysql'] : []),
      ...options,
    ]
    this.child = spawn(COMMAND, arguments_, { stdio: 'ignore' })
  }

  /** A new server, or one on the data of a folder. */
  static async start({
    folder = newFolder(),
    port,
    options = [],
  }: {
    readonly folder?: string
    readonly port?: number
    readonly options?: readonly string[]
  } = {}): Promise<MariadbServer> {
    const server = new MariadbServer(folder, port ?? (await freePort()), options)
    for (;;) {
      if (server.child.exitCode !== null) throw new Error(`${COMMAND} ended with ${server.child.exitCode}`)
      try {
        const connection = await createConnection(server.url)
        await connection.end()
        return server
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }

  get url(): string {
    return `mysql://root@127.0.0.1:${this.port}`
  }

  get pool(): Pool {
    this.pooled ??= createPool({ uri: this.url, connectionLimit: 4 })
    return this.pooled
  }

  async query(text: string): Promise<Record<string, unknown>[]> {
    const [rows] = await this.pool.query(text)
    return rows as Record<string, unknown>[]
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.pooled?.end().catch(() => {})
    this.pooled = undefined
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill(signal)
    await ended
  }

  /** Copies the data of a server that has ended. */
  static copy(folder: string): string {
    const copy = emptyFolder()
    cpSync(`${folder}/data`, `${copy}/data`, { recursive: true })
    own(copy)
    return copy
  }

  static remove(...folders: readonly string[]): void {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

/** Which the server may read. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-mariadb-'))
  chmodSync(folder, 0o755)
  own(folder)
  return folder
}

/** Of a server that was installed, and never started. */
let installed: string | undefined

function newFolder(): string {
  if (installed === undefined) {
    const folder = installedFolder()
    // Where it is removed when the run ends.
    installed = join(thisRun().folder, `mariadb-${process.pid}`)
    cpSync(folder, installed, { recursive: true })
    MariadbServer.remove(folder)
  }
  const copy = MariadbServer.copy(installed)
  // MySQL's name of the server, which it chooses if it has none.
  rmSync(`${copy}/data/auto.cnf`, { force: true })
  return copy
}

function installedFolder(): string {
  const folder = emptyFolder()
  const [command, ...options] = isMysql
    ? [COMMAND, '--no-defaults', '--initialize-insecure']
    : ['mariadb-install-db', '--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db']
  const user = IS_ROOT ? ['--user=mysql'] : []
  execFileSync(command as string, [...options, `--datadir=${folder}/data`, ...user], {
    stdio: 'pipe',
    // The server that installs has temporary tables, which another that starts in the same folder would remove.
    env: { ...process.env, TMPDIR: folder },
  })
  return folder
}

function own(folder: string): void {
  if (IS_ROOT) execFileSync('chown', ['-R', 'mysql', folder])
}
