import { existsSync } from 'node:fs'
import { freePort } from '@snoflax/test'
import { expect, vi } from 'vitest'
import { isMysql, MariadbServer } from '../mariadb-server.js'

const PROVIDER = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'].find(existsSync)

/** Whether nodes can be started: Debian has galera-4 beside mariadb-server. */
export function hasGalera(): boolean {
  if (PROVIDER === undefined) console.log('Galera: galera-4 is not installed, so it was not tried')
  return PROVIDER !== undefined && !isMysql
}

/** Three nodes of Galera on this machine. */
export class GaleraCluster {
  private constructor(readonly nodes: readonly MariadbServer[]) {}

  static async start(): Promise<GaleraCluster> {
    const ports = await Promise.all([0, 1, 2].map(() => freePort()))
    const transferPorts = await Promise.all([0, 1, 2].map(() => freePort()))
    const filePorts = await Promise.all([0, 1, 2].map(() => freePort()))
    const optionsOf = (node: number) => {
      const provider = {
        'gmcast.listen_addr': `tcp://127.0.0.1:${ports[node]}`,
        'ist.recv_addr': `127.0.0.1:${transferPorts[node]}`,
        'gcache.size': '16M',
        'evs.keepalive_period': 'PT0.5S',
        'evs.suspect_timeout': 'PT2S',
        'evs.inactive_timeout': 'PT4S',
      }
      return [
        '--wsrep-on=ON',
        `--wsrep-provider=${PROVIDER}`,
        `--wsrep-cluster-address=gcomm://${ports.map((port) => `127.0.0.1:${port}`).join()}`,
        `--wsrep-node-address=127.0.0.1:${ports[node]}`,
        // All begin with the same files, and fetch the rest from another node's cache.
        '--wsrep-sst-method=rsync',
        `--wsrep-sst-receive-address=127.0.0.1:${filePorts[node]}`,
        `--wsrep-provider-options=${Object.entries(provider)
          .map((option) => option.join('='))
          .join(';')}`,
        '--binlog-format=ROW',
        '--innodb-autoinc-lock-mode=2',
        `--server-id=${node + 1}`,
      ]
    }
    const bootstrap = [...optionsOf(0), '--wsrep-new-cluster']
    const seed = await MariadbServer.start({ options: bootstrap })
    await seed.end()
    const folders = [seed.folder, MariadbServer.copy(seed.folder), MariadbServer.copy(seed.folder)]
    const nodes: MariadbServer[] = []
    const cluster = new GaleraCluster(nodes)
    try {
      for (const [i, folder] of folders.entries()) {
        nodes.push(await MariadbServer.start({ folder, options: i === 0 ? bootstrap : optionsOf(i) }))
      }
      await cluster.agree()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** Waits until all nodes form one cluster and answer. */
  async agree(): Promise<void> {
    for (const node of this.nodes) {
      await vi.waitFor(
        async () => expect(await statusOf(node)).toEqual({ size: `${this.nodes.length}`, ready: 'ON' }),
        { timeout: 120_000, interval: 200 },
      )
    }
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      node.signal('SIGCONT')
      await node.end('SIGKILL')
    }
    MariadbServer.remove(...this.nodes.map(({ folder }) => folder))
  }
}

/** Of a node, as it sees it. */
export async function statusOf(node: MariadbServer): Promise<{ size: unknown; ready: unknown }> {
  const rows = await node.query("SHOW STATUS WHERE variable_name IN ('wsrep_cluster_size', 'wsrep_ready')")
  const of = (name: string) => rows.find((row) => row['Variable_name'] === name)?.['Value']
  return { size: of('wsrep_cluster_size'), ready: of('wsrep_ready') }
}
