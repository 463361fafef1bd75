import { readFileSync } from 'node:fs'
import * as core from '@snoflax/core'
import * as ours from '@snoflax/etcd'
import * as leases from '@snoflax/leases'
import { describe, expect, test } from 'vitest'
import { blocksOf } from '../../../test/snippets/page.js'
import { run } from '../../../test/snippets/run.js'
import { Cluster, hasEtcd } from './cluster.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe.runIf(hasEtcd())('README.md', () => {
  test('the examples run', async () => {
    const cluster = await Cluster.start(1)
    try {
      const modules = { '@snoflax/core': core, '@snoflax/leases': leases, '@snoflax/etcd': ours }
      const blocks = blocksOf(README, 'ts')
      expect(blocks).toHaveLength(2)
      for (const code of blocks) {
        await run(code.replaceAll(/'http:.*2379'/g, `'${cluster.endpoints}'`), { modules })
      }
      expect(await cluster.get('snoflax/leases/sno/0000000001')).toMatchObject({ shards: [{ token: null }] })
    } finally {
      await cluster.stop()
    }
  })
})
