import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { manifestOf, PACKAGES } from '../../scripts/packages.js'
import { packAll } from '../../scripts/packed.js'
import { freePort } from '../databases/free-port.js'

/** A project as users create it, with a program that generates, stores, finds and refuses an id. */
export interface Platform {
  readonly name: string
  /** Of the project; platforms of the same folder share one, made and installed by the first of them. */
  readonly folder: string
  /** The commands before the program exists. They are retried, since most of them download. */
  readonly made?: readonly string[]
  /** Folders of `projects/` whose files are the program, laid over what was made. */
  readonly files?: readonly string[]
  /** The commands after that; the last one is the program. */
  readonly commands: readonly string[]
}

/** A server that runs. */
export interface Served {
  readonly url: string
  readonly stop: () => Promise<void>
}

const TRIES = 3
const MINUTE_MS = 60_000

/** Projects in a folder, which have our packages from tarballs. */
export class Projects {
  private readonly tarballs: ReadonlyMap<string, string>

  constructor(private readonly folder: string) {
    const packed = join(folder, 'packed')
    mkdirSync(packed)
    this.tarballs = packAll(packed)
  }

  /** Returns the output of the last command. @throws the output of a failed command. */
  async run({ folder, made = [], files = [], commands }: Platform): Promise<string> {
    const project = join(this.folder, folder)
    mkdirSync(project, { recursive: true })
    for (const command of made) await this.tryCommand(project, command)
    for (const name of files)
      cpSync(join(import.meta.dirname, 'projects', name), project, { recursive: true })
    let output = ''
    for (const command of commands) output = await this.runCommand(project, command)
    return output
  }

  /** A file of a project. */
  at(project: string, file: string): string {
    return join(this.folder, project, file)
  }

  /** Runs one command in a project, as its owner types it. Commands that download are retried. */
  async type(project: string, command: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const place = join(this.folder, project)
    mkdirSync(place, { recursive: true })
    if (/^(?:npm|npx) (?:install|init)\b/.test(command)) {
      await this.tryCommand(place, command, env)
      return ''
    }
    return this.runCommand(place, command, env)
  }

  /** Starts a server as its owner types it, and waits until it answers. @throws its output, if it ends before. */
  async serve(project: string, command: string, env: Readonly<Record<string, string>>): Promise<Served> {
    const port = await freePort()
    const child = spawn(command, {
      cwd: join(this.folder, project),
      env: { ...ENVIRONMENT, ...env, PORT: `${port}` },
      shell: true,
      // A group of its own, which ends with npm's children.
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const closed = once(child, 'close')
    const url = `http://127.0.0.1:${port}`
    while (!(await isAnswering(url))) {
      if (child.exitCode !== null) throw new Error(`${command}\n${output}`)
      await setTimeout(100)
    }
    const stop = async () => {
      process.kill(-(child.pid as number))
      await closed
    }
    return { url, stop }
  }

  private async tryCommand(
    project: string,
    command: string,
    env?: Readonly<Record<string, string>>,
  ): Promise<void> {
    for (let left = TRIES; left > 0; left -= 1) {
      try {
        await this.runCommand(project, command, env)
        return
      } catch (error) {
        if (left === 1) throw error
      }
    }
  }

  private runCommand(
    cwd: string,
    command: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const inTarballs = withDependencies(command).replaceAll(
      OURS,
      (name) => `${name}@file:${this.tarballs.get(name)}`,
    )
    const child = spawn(inTarballs, {
      cwd,
      env: { ...ENVIRONMENT, ...env },
      shell: true,
      timeout: 4 * MINUTE_MS,
      killSignal: 'SIGKILL',
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    return new Promise((resolve, reject) => {
      child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command}\n${output}`))))
    })
  }
}

const OURS = /(?<= (?:install|add) .*)(?<= )(?:@snoflax\/[\w-]+|snoflax)(?= |$)/g

/** The command that also installs what our packages depend on, which no registry has. */
function withDependencies(command: string): string {
  const named: readonly string[] = command.match(OURS) ?? []
  const needed = named.flatMap((name) => {
    const short = PACKAGES.find((one) => manifestOf(one).name === name)
    return Object.keys((short && manifestOf(short).dependencies) ?? {}).filter((one) =>
      one.startsWith('@snoflax/'),
    )
  })
  const missing = [...new Set(needed)].filter((one) => !named.includes(one))
  return [command, ...missing].join(' ')
}

const isAnswering = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

const registry = spawnSync('npm', ['config', 'get', 'registry'], {
  encoding: 'utf8',
  shell: true,
}).stdout.trim()

/** The environment without the variables of npm and vitest. */
const ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV|TEST)/i.test(name)),
  ),
  CI: 'true',
  NO_COLOR: '1',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_registry: registry,
  YARN_NPM_REGISTRY_SERVER: registry,
  YARN_ENABLE_TELEMETRY: '0',
  YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
  CHECKPOINT_DISABLE: '1',
  // Generating needs no engine; the variable keeps Prisma from fetching one.
  PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
}
