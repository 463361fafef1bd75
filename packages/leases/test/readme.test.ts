import { readFileSync } from 'node:fs'
import * as core from '@snoflax/core'
import * as ours from '@snoflax/leases'
import { expect, test } from 'vitest'
import { blocksOf } from '../../../test/snippets/page.js'
import { run } from '../../../test/snippets/run.js'
import { ScriptedStore } from './scripted-store.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the example of README.md leases, generates an id and releases', async () => {
  const store = new ScriptedStore()
  store.acquires = [{ token: 't', number: 7, shard: 0, startMs: 0, untilMs: Date.now() + 30_000 }]
  const blocks = blocksOf(README, 'ts')
  expect(blocks).toHaveLength(1)
  await run(blocks.join(), {
    modules: { '@snoflax/core': core, '@snoflax/leases': ours },
    globals: { store },
  })
  expect(store.asked).toEqual(['acquire', 'release'])
})
