import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sno } from '@snoflax/core'

const PROGRAM = fileURLToPath(new URL('programs/hold.js', import.meta.url))
const BUILT = new URL('../../dist/index.js', import.meta.url)

export interface HolderOptions {
  readonly url: string
  readonly checked: boolean
  readonly numbers: { readonly min: number; readonly max: number }
  readonly ttlMs: number
  /** How far the clocks are off, and how far they step. */
  readonly skewMs: number
}

/** Processes that lease partitions and make ids. */
export class Holders {
  private readonly folder = mkdtempSync(join(tmpdir(), 'snoflax-leases-'))
  private readonly running = new Map<string, ChildProcess>()
  private started = 0

  /** They run outside vitest and find the packages as users do. @throws if they were not built. */
  constructor(private readonly options: HolderOptions) {
    if (!existsSync(BUILT)) throw new Error('packages/pg-sql/dist is missing: run `npm run build` first')
  }

  start(): void {
    const name = `holder ${++this.started}`
    const task = { ...this.options, name, file: join(this.folder, name) }
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.running.set(name, child)
    child.once('exit', () => this.running.delete(name))
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.running.get(name)?.kill(signal)
  }

  /** Asks all to give back what they have, and waits for them. */
  async end(): Promise<void> {
    const ends = [...this.running.values()].map(
      (child) => new Promise((resolve) => child.once('exit', resolve)),
    )
    for (const name of this.running.keys()) {
      this.signal(name, 'SIGCONT')
      this.signal(name, 'SIGTERM')
    }
    const late = setTimeout(() => this.kill(), 10_000)
    await Promise.all(ends)
    clearTimeout(late)
  }

  /** What each has made. A line that a kill has cut off counts for nothing. */
  *made(): Generator<{ readonly name: string; readonly ids: readonly string[] }> {
    for (const name of readdirSync(this.folder)) {
      yield { name, ids: readFileSync(join(this.folder, name), 'utf8').split('\n').slice(0, -1) }
    }
  }

  /** About how many that is so far. */
  count(): number {
    const bytes = readdirSync(this.folder).map((name) => statSync(join(this.folder, name)).size)
    return bytes.reduce((sum, size) => sum + size, 0) / (sno.max.length + 1)
  }

  remove(): void {
    this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private kill(): void {
    for (const child of this.running.values()) child.kill('SIGKILL')
  }
}
