import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [schema = '', ...uses] = [...README.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
  ([, code]) => code as string,
)

interface Seen {
  readonly orm: { close(): Promise<void> }
  readonly ada: { readonly id: Id<'cus'> }
  readonly found: readonly { readonly id: SnoId }[]
  readonly november: readonly { readonly id: SnoId }[]
  readonly page: readonly { readonly id: SnoId }[]
  readonly next: readonly { readonly id: SnoId }[]
  readonly Visit: new () => { id: string; readonly createdAt: Date }
}

// Below this folder, so that bare imports lead where they do for users.
const folder = mkdtempSync(fileURLToPath(new URL('.readme-', import.meta.url)))
let database: PostgresDatabase
let seen: Seen

beforeAll(async () => {
  database = await postgres.open()
  writeFileSync(join(folder, 'schema.ts'), schema)
  const isImport = /^import .*$/gm
  const program = join(folder, 'program.ts')
  writeFileSync(
    program,
    [
      "import { flaxId } from '@snoflax/mikro-orm'",
      ...uses.flatMap((block) => block.match(isImport) ?? []),
      'export async function run() {',
      ...uses.map((block) => block.replaceAll(isImport, '')),
      'return { orm, ada, found, november, page, next, Visit } }',
    ].join('\n'),
  )
  const { run } = await import(program)
  vi.stubEnv('DATABASE_URL', database.url)
  seen = await run()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await seen?.orm.close()
  await database?.close()
})

test('the programs of the README run, and return ids', () => {
  expect(uses).toHaveLength(4)
  expect(prefixed(flax, 'cus').is(seen.ada.id)).toBe(true)
  expect(seen.found.map(({ id }) => sno.meta(id))).toEqual([2, 2, 2])
  const ids = seen.found.map(({ id }) => id).sort()
  expect([...seen.page, ...seen.next].map(({ id }) => id)).toEqual(ids.reverse())
  expect(seen.november).toEqual(expect.any(Array))
  const visit = Object.assign(new seen.Visit(), { id: flax.generateAt(1_800_000_000_000) })
  expect(visit.createdAt.getTime()).toBe(1_800_000_000_000)
})
