import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import postgres from '@prisma/orm-postgres/runtime'
import type { Untyped } from '../operations.ts'
import { Project } from '../project.ts'
import { freshDatabase } from './database.ts'

const report = readFileSync(
  join(import.meta.dirname, '../../../../docs/upstream/prisma-literal-keys.md'),
  'utf8',
)

// When this fails Prisma has cured it: withIds needs no middleware for it any more, and binary columns can come.
test('Prisma writes keys of rows as literals, also of its own Bytes', async () => {
  const folder = mkdtempSync(join(import.meta.dirname, 'generated-'))
  after(() => rmSync(folder, { recursive: true }))
  const contract = join(folder, 'contract.prisma')
  writeFileSync(contract, /```prisma\n(.*?)```/s.exec(report)?.[1] as string)
  const { url } = await freshDatabase()
  const project = new Project(import.meta.dirname, url)
  const environment = {
    CONTRACT: contract,
    OUTPUT: folder,
    MIGRATIONS: join(folder, 'migrations'),
    PLAIN: '1',
  }
  for (const args of [
    ['contract', 'emit'],
    ['migration', 'plan', '--name', 'init'],
    ['db', 'init'],
  ]) {
    const answer = await project.prismaWith(environment, ...args)
    assert.ok(answer.ok, JSON.stringify(answer))
  }
  const { default: contractJson } = await import(join(folder, 'contract.json'), { with: { type: 'json' } })
  const db: Untyped = postgres({ contractJson, url })
  after(() => db.close())
  const { Blob } = db.orm.public
  const id = new Uint8Array([1, 2, 3])
  await Blob.create({ id, name: 'stored' })
  assert.equal((await Blob.where((row: Untyped) => row.id.eq(id)).first()).name, 'stored')
  assert.equal(await Blob.where((row: Untyped) => row.id.eq(id)).update({ name: 'changed' }), null)
  assert.equal(await Blob.where((row: Untyped) => row.id.eq(id)).delete(), null)
  assert.deepEqual(
    (await Blob.all()).map(({ name }: { name: string }) => name),
    ['stored'],
  )
})
