import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ETCD = process.env['SNOFLAX_ETCD'] ?? 'etcd'

/** Whether there is an etcd to be started. @throws where SNOFLAX_ETCD names one that does not run. */
export function hasEtcd(): boolean {
  const { status, error } = spawnSync(ETCD, ['--version'], { stdio: 'ignore' })
  if (status === 0) return true
  if (process.env['SNOFLAX_ETCD']) throw new Error(`SNOFLAX_ETCD names ${ETCD}, which does not run: ${error}`)
  console.log('etcd: not installed, so leases in etcd were not tried')
  return false
}

interface Member {
  readonly name: string
  readonly client: number
  readonly peer: number
  child: ChildProcess | undefined
}

/** An etcd of this test, of one member or more. */
export class Cluster {
  private readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'snoflax-etcd-'))
  private constructor(private readonly members: readonly Member[]) {}

  static async start(count: number): Promise<Cluster> {
    const members: Member[] = []
    for (let i = 0; i < count; i++) {
      members.push({
        name: `member${i}`,
        client: await freePort(),
        peer: await freePort(),
        child: undefined,
      })
    }
    const cluster = new Cluster(members)
    for (let i = 0; i < count; i++) cluster.startMember(i)
    await Promise.all(members.map((_, i) => cluster.answering(i)))
    return cluster
  }

  get endpoints(): string[] {
    return this.members.map(({ client }) => `http://127.0.0.1:${client}`)
  }

  get servers(): { host: string; port: number }[] {
    return this.members.map(({ client }) => ({ host: '127.0.0.1', port: client }))
  }

  /** Starts a member, with the data that it has. */
  startMember(i: number): void {
    const member = this.members[i] as Member
    const client = `http://127.0.0.1:${member.client}`
    const peer = `http://127.0.0.1:${member.peer}`
    const all = this.members.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',')
    const options = {
      name: member.name,
      'data-dir': join(this.folder, member.name),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': all,
      'initial-cluster-token': this.folder,
      'log-level': 'fatal',
    }
    member.child = spawn(
      ETCD,
      Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      { stdio: 'ignore' },
    )
  }

  /** Waits until the member agrees with the others. */
  async answering(i: number): Promise<void> {
    for (;;) {
      try {
        await this.call(i, 'kv/range', { key: Buffer.from('/').toString('base64') })
        return
      } catch {
        if (this.members[i]?.child?.exitCode != null) throw new Error('etcd has ended')
        await sleep(50)
      }
    }
  }

  /** The member that leads. */
  async leader(): Promise<number> {
    for (;;) {
      for (const i of this.members.keys()) {
        const status = await this.call(i, 'maintenance/status', {}).catch(() => undefined)
        if (status?.['leader'] === (status?.['header'] as { member_id?: string })?.member_id) return i
      }
      await sleep(50)
    }
  }

  signal(i: number, signal: NodeJS.Signals): void {
    this.members[i]?.child?.kill(signal)
  }

  async put(key: string, value: unknown): Promise<void> {
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    await this.call(0, 'kv/put', { key: encoded(key), value: encoded(JSON.stringify(value)) })
  }

  async get(key: string): Promise<unknown> {
    const { kvs } = await this.call(0, 'kv/range', { key: Buffer.from(key).toString('base64') })
    const [found] = (kvs ?? []) as { value: string }[]
    return found && JSON.parse(Buffer.from(found.value, 'base64').toString())
  }

  async stop(): Promise<void> {
    for (const { child } of this.members) {
      if (!child || child.exitCode !== null || child.signalCode !== null) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async call(i: number, path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.endpoints[i]}/v3/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(2000),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Record<string, unknown>
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
