import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const GUARD_MS = 300_000

/** What Prisma's command answered. */
export interface Answer {
  readonly ok: boolean
  readonly result?: Record<string, unknown>
  readonly error?: {
    readonly code: string
    readonly why?: string
    readonly meta?: { readonly diagnostics?: readonly Diagnostic[] }
  }
}

interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly span?: { readonly start: { readonly line: number } }
}

/** A project of a user, in its folder. */
export class Project {
  readonly folder: string
  private readonly url: string

  constructor(folder: string, url: string) {
    this.folder = folder
    this.url = url
  }

  /** Forgets what an earlier run emitted and planned. */
  clean(): void {
    for (const made of ['generated', 'migrations'])
      rmSync(join(this.folder, made), { recursive: true, force: true })
  }

  /** Runs Prisma's command, and answers what it said last. */
  prisma(...args: readonly string[]): Promise<Answer> {
    return this.prismaWith({}, ...args)
  }

  /** The same with more in the environment, where the configuration finds it. */
  prismaWith(more: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Answer> {
    const command = join(this.folder, 'node_modules/prisma/dist/prisma.js')
    const env = {
      ...process.env,
      DATABASE_URL: this.url,
      PRISMA_DISABLE_TELEMETRY: '1',
      NO_COLOR: '1',
      CI: '1',
      ...more,
    }
    return new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [command, ...args],
        { cwd: this.folder, env, timeout: GUARD_MS, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 },
        (error, stdout, stderr) => {
          const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
          const last = lines.map((line) => JSON.parse(line)).findLast(({ kind }) => kind === 'result')
          if (last) resolve({ ...last.envelope, ok: last.envelope.exitCode === 0 })
          else reject(new Error(`prisma ${args.join(' ')}: ${error?.message}\n${stdout}\n${stderr}`))
        },
      )
    })
  }

  /** The same of a command that has to succeed. */
  async succeeds(...args: readonly string[]): Promise<Record<string, unknown>> {
    const { ok, result, error } = await this.prisma(...args)
    assert.ok(ok, `prisma ${args.join(' ')}: ${JSON.stringify(error)}`)
    return result ?? {}
  }
}
