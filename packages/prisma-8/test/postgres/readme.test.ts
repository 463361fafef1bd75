import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Project } from '../project.ts'
import { freshDatabase } from './database.ts'

const page = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code as string)

test('the quick start of the README runs', async () => {
  // Elsewhere, since Prisma merges the configuration of every folder above into a project's own.
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-readme-'))
  after(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  const [config, db, program] = blocks('ts')
  const [contract] = blocks('prisma')
  for (const [name, text] of Object.entries({
    'package.json': '{ "type": "module" }',
    'prisma.config.ts': config,
    'contract.prisma': contract,
    'db.ts': db,
    'program.ts': program,
  })) {
    assert.ok(text, name)
    writeFileSync(join(folder, name), text)
  }
  const { url } = await freshDatabase()
  const project = new Project(folder, url)
  await project.succeeds('contract', 'emit')
  await project.succeeds('migration', 'plan', '--name', 'init')
  await project.succeeds('db', 'init')
  const { stdout, stderr } = spawnSync(process.execPath, ['program.ts'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: url },
    encoding: 'utf8',
  })
  assert.equal(stdout, '2 1\n', stderr)
})
