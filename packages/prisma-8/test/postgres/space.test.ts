import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { VERSION } from '@snoflax/pg-sql'
import { Project } from '../project.ts'
import { freshDatabase } from './database.ts'

const FIRST = `// use prisma-8

model Note {
  id   snoflax.Flax() @id @default(flaxDb())
  text String
}
`
const SECOND = `${FIRST}
model Order {
  id    snoflax.Sno() @id @default(snoDb())
  total Int
}
`

/** A project whose extension is of a release. */
function projectOf(url: string) {
  const folder = mkdtempSync(join(import.meta.dirname, 'generated-'))
  after(() => rmSync(folder, { recursive: true }))
  const project = new Project(import.meta.dirname, url)
  const contract = join(folder, 'contract.prisma')
  return (release: 1 | 2, source: string) => {
    writeFileSync(contract, source)
    const environment = {
      CONTRACT: contract,
      OUTPUT: folder,
      MIGRATIONS: join(folder, 'migrations'),
      VERSIONS: String(release),
    }
    return async (...args: readonly string[]) => {
      const answer = await project.prismaWith(environment, ...args, '--config', 'upgrade.config.ts')
      assert.ok(answer.ok, `${args.join(' ')}: ${JSON.stringify(answer)}`)
    }
  }
}

type Query = Awaited<ReturnType<typeof freshDatabase>>['query']

/** What `snoflax doctor` would report of the schema. */
const drift = (query: Query) =>
  query(`SELECT object FROM snoflax._manifest m FULL JOIN snoflax._definitions() d USING (object)
    WHERE m.parts IS DISTINCT FROM d.parts OR m.version <> '${VERSION}'`)

test('a later release upgrades an installed database, and keeps its rows', async () => {
  const { url, query } = await freshDatabase()
  const project = projectOf(url)
  const first = project(1, FIRST)
  await first('contract', 'emit')
  await first('migration', 'plan', '--name', 'init')
  await first('db', 'init')
  await query(`INSERT INTO "Note" (text) VALUES ('kept')`)
  assert.deepEqual(await query(`SELECT to_regprocedure('snoflax.sno_generate_uuid()') AS made`), [
    { made: null },
  ])

  const second = project(2, SECOND)
  await second('contract', 'emit')
  await second('migration', 'plan', '--name', 'orders')
  await second('db', 'migrate')
  await second('db', 'verify')
  assert.deepEqual(await drift(query), [])
  await query('SELECT snoflax.sno_set_partition(3)')
  await query('INSERT INTO "Order" (total) VALUES (1)')
  const rows = await query(`SELECT text FROM "Note" WHERE snoflax.flax_is_valid(id)`)
  assert.deepEqual(rows, [{ text: 'kept' }])
})

test('an empty database gets every release in order', async () => {
  const { url, query } = await freshDatabase()
  const second = projectOf(url)(2, SECOND)
  await second('contract', 'emit')
  await second('migration', 'plan', '--name', 'init')
  await second('db', 'init')
  await second('db', 'verify')
  await second('db', 'init')
  await second('db', 'migrate')
  assert.deepEqual(await drift(query), [])
  await query('SELECT snoflax.sno_set_partition(3)')
  await query('INSERT INTO "Order" (total) VALUES (1)')
  // Drift of tables is Prisma's to find.
  await query('ALTER TABLE "Order" ALTER id DROP DEFAULT, ALTER id TYPE text')
  await assert.rejects(second('db', 'verify'), /CONTRACT.SCHEMA_VERIFICATION_FAILED/)
})
