import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { Project } from './project.ts'

test('types: ids are branded, only id columns have a time, and the tests compile', async () => {
  for (const database of ['postgres', 'sqlite']) {
    await new Project(join(import.meta.dirname, database), 'none').succeeds('contract', 'emit')
  }
  const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', import.meta.dirname], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})
