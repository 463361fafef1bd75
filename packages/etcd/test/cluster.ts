import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@snoflax/test'

const ETCD = process.env['SNOFLAX_ETCD'] ?? 'etcd'

/** Whether there is an etcd to be started. @throws where SNOFLAX_ETCD names one that does not run. */
export function hasEtcd(): boolean {
  const { status, error } = spawnSync(ETCD, ['--version'], { stdio: 'ignore' })
  if (status === 0) return true
  if (process.env['SNOFLAX_ETCD']) throw new Error(`SNOFLAX_ETCD names ${ETCD}, which does not run: ${error}`)
  console.log('etcd: not installed, so leases in etcd were not tried')
  return false
}

/** Whether there is an etcdctl that restores snapshots; that of 3.6 leaves this to etcdutl. */
export function hasEtcdctl(): boolean {
  const env = { ...process.env, ETCDCTL_API: '3' }
  if (spawnSync('etcdctl', ['snapshot', 'restore', '--help'], { env }).status === 0) return true
  console.log(
    'etcdctl: not installed, or without `snapshot restore`, so restored leases in etcd were not tried',
  )
  return false
}

interface Member {
  readonly name: string
  readonly client: number
  readonly peer: number
  /** By which the others reach it. */
  readonly link: Link
  child: ChildProcess | undefined
}

/** The connections of other members to one, which can be cut one by one. */
class Link {
  private readonly pairs = new Set<{ readonly from: string; readonly sockets: readonly Socket[] }>()
  private readonly server: Server

  constructor(port: number, isCut: (from: string) => boolean) {
    this.server = createServer((client) => {
      client.once('data', (first) => {
        const upstream = connect(port, '127.0.0.1')
        // Members say in each request who they are; all requests of a connection are of one.
        const from = /^X-Server-From: (\w+)/im.exec(first.toString('latin1'))?.[1] ?? ''
        const pair = { from, sockets: [client, upstream] as const }
        this.pairs.add(pair)
        const pass = (to: Socket) => (data: Buffer) => {
          if (!isCut(from)) to.write(data)
        }
        pass(upstream)(first)
        client.on('data', pass(upstream))
        upstream.on('data', pass(client))
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          one.on('error', () => {})
          one.on('close', () => {
            this.pairs.delete(pair)
            if (!isCut(from)) other.destroy()
          })
        }
      })
      client.on('error', () => {})
    })
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  endAll(): void {
    for (const { sockets } of this.pairs) for (const socket of sockets) socket.destroy()
  }

  close(): void {
    this.server.close()
    this.endAll()
  }
}

/** An etcd of this test, of one member or more. */
export class Cluster {
  private readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'snoflax-etcd-'))
  private readonly members: Member[] = []
  private isolated: { readonly member: Member; readonly id: string } | undefined

  /** A new one, or one member with the files of another cluster's. */
  static async start(count: number, files?: string): Promise<Cluster> {
    const cluster = new Cluster()
    if (files !== undefined) renameSync(files, join(cluster.folder, 'member0'))
    const { members } = cluster
    for (let i = 0; i < count; i++) {
      const peer = await freePort()
      const isCut = (from: string) => cluster.isolated?.id === from || cluster.isolated?.member === members[i]
      const link = await new Link(peer, isCut).listen()
      members.push({ name: `member${i}`, client: await freePort(), peer, link, child: undefined })
    }
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
    const all = this.members.map(({ name, link }) => `${name}=http://127.0.0.1:${link.port}`).join(',')
    const options = {
      name: member.name,
      'data-dir': join(this.folder, member.name),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': `http://127.0.0.1:${member.peer}`,
      'initial-advertise-peer-urls': `http://127.0.0.1:${member.link.port}`,
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
        await this.call(i, 'kv/range', { key: encoded('/') })
        return
      } catch {
        if (this.members[i]?.child?.exitCode != null) throw new Error('etcd has ended')
        await sleep(50)
      }
    }
  }

  /** No member reaches this one, nor it them; clients still do. */
  async isolate(i: number): Promise<void> {
    const { header } = await this.call(i, 'maintenance/status', {})
    const id = BigInt((header as { member_id: string }).member_id).toString(16)
    this.isolated = { member: this.members[i] as Member, id }
  }

  /** Ends what hangs since {@link isolate}. */
  reunite(): void {
    this.isolated = undefined
    for (const { link } of this.members) link.endAll()
  }

  /** The member that leads, by what it says itself; `besides` one that may think so wrongly. */
  async leader(besides?: number): Promise<number> {
    for (;;) {
      for (const i of this.members.keys()) {
        if (i === besides) continue
        const status = await this.call(i, 'maintenance/status', {}).catch(() => undefined)
        if (status?.['leader'] === (status?.['header'] as { member_id?: string })?.member_id) return i
      }
      await sleep(50)
    }
  }

  private filesOf(i: number): string {
    return join(this.folder, `member${i}`)
  }

  /** Copies the files of a member that has ended. */
  copyFiles(i: number): string {
    const copy = join(this.folder, 'copy')
    cpSync(this.filesOf(i), copy, { recursive: true })
    return copy
  }

  replaceFiles(i: number, files: string): void {
    rmSync(this.filesOf(i), { recursive: true })
    renameSync(files, this.filesOf(i))
  }

  /** As volume managers do. */
  touchFiles(i: number): void {
    const files = this.filesOf(i)
    spawnSync('chown', ['-R', String(statSync(files).uid), files])
    spawnSync('chmod', ['-R', 'g-w', files])
    spawnSync('cp', ['-al', files, `${files}-links`])
  }

  async kill(i: number): Promise<void> {
    await killed(this.members[i]?.child)
  }

  /** Starts a member that was killed. */
  async restart(i: number): Promise<void> {
    this.startMember(i)
    await this.answering(i)
  }

  /** Forgets earlier revisions, and rewrites the files. */
  async compact(): Promise<void> {
    const { header } = await this.call(0, 'kv/range', { key: encoded('/') })
    await this.call(0, 'kv/compaction', {
      revision: (header as { revision: string }).revision,
      physical: true,
    })
    await this.call(0, 'maintenance/defragment', {})
  }

  /** The keys that begin with a prefix, and their values. */
  async entries(prefix: string): Promise<[string, unknown][]> {
    const range = { key: encoded(prefix), range_end: encoded(`${prefix}\xff`) }
    const { kvs } = await this.call(0, 'kv/range', range)
    return ((kvs ?? []) as { key: string; value: string }[]).map(({ key, value }) => [
      decoded(key),
      JSON.parse(decoded(value)),
    ])
  }

  async remove(key: string): Promise<void> {
    await this.call(0, 'kv/deleterange', { key: encoded(key) })
  }

  /** Saves what the one member has, by etcdctl. */
  saveSnapshot(): string {
    const file = join(this.folder, 'snapshot')
    etcdctl('snapshot', 'save', file, `--endpoints=${this.endpoints}`)
    return file
  }

  /** Ends the one member, and starts it with what was saved. */
  async restoreSnapshot(file: string, { token = this.folder }: { token?: string } = {}): Promise<void> {
    const [{ name, link, child }] = this.members as [Member]
    await killed(child)
    const data = join(this.folder, name)
    rmSync(data, { recursive: true })
    const url = `http://127.0.0.1:${link.port}`
    etcdctl(
      ...[
        'snapshot',
        'restore',
        file,
        `--data-dir=${data}`,
        `--name=${name}`,
        `--initial-cluster=${name}=${url}`,
      ],
      ...[`--initial-cluster-token=${token}`, `--initial-advertise-peer-urls=${url}`],
    )
    this.startMember(0)
    await this.answering(0)
  }

  signal(i: number, signal: NodeJS.Signals): void {
    this.members[i]?.child?.kill(signal)
  }

  async put(key: string, value: unknown): Promise<void> {
    await this.call(0, 'kv/put', { key: encoded(key), value: encoded(JSON.stringify(value)) })
  }

  async get(key: string): Promise<unknown> {
    const { kvs } = await this.call(0, 'kv/range', { key: encoded(key) })
    const [found] = (kvs ?? []) as { value: string }[]
    return found && JSON.parse(decoded(found.value))
  }

  async stop(): Promise<void> {
    for (const { child } of this.members) await killed(child)
    for (const { link } of this.members) link.close()
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

const encoded = (text: string) => Buffer.from(text).toString('base64')
const decoded = (text: string) => Buffer.from(text, 'base64').toString()

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

function etcdctl(...args: string[]): void {
  const env = { ...process.env, ETCDCTL_API: '3' }
  const { status, error, stderr } = spawnSync('etcdctl', args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`etcdctl ${args.join(' ')}: ${error ?? stderr}`)
}
