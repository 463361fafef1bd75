import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzleMigration, installSql, prismaMigration, typeormMigration } from '@snoflax/pg-sql'
import { postgres } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, cli, json } from './running.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snoflax-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the printed SQL installs itself', async () => {
  const { code, out } = await bin(['sql', '--schema', 'ids', '--families', 'flax,uidLocal'])
  expect(code).toBe(0)
  const database = await postgres.open()
  await database.query(out)
  expect(
    await database.query(`SELECT ids.flax_is_valid(ids.flax_generate_text()) AS flax,
      ids.uid_local_is_valid(ids.uid_local_generate()) AS local, to_regprocedure('ids.sno_generate(integer)') AS sno`),
  ).toEqual([{ flax: true, local: true, sno: null }])
  await database.close()
})

test('the printed SQL is that of pg-sql', async () => {
  expect((await cli(['sql', '--grant-to', 'app', 'etl'])).out).toBe(
    `${installSql({ grantTo: ['app', 'etl'] }).trimEnd()}\n`,
  )
})

test.each([
  ['typeorm', typeormMigration],
  ['prisma', prismaMigration],
  ['drizzle', drizzleMigration],
])('a migration of %s can be printed, as JSON too, or written to a new file', async (tool, migration) => {
  const argv = ['sql', '--for', tool, '--families', 'sno', '--at', '2026-11-01']
  const expected = migration({ families: ['sno'], schema: 'snoflax', at: new Date('2026-11-01') })
  expect((await cli(argv)).out).toBe(`${expected.content.trimEnd()}\n`)
  expect(json(await cli([...argv, '--json']))).toEqual(expected)
  const { code, out } = await cli([...argv, '--out', folder])
  expect({ code, out }).toEqual({ code: 0, out: `${join(folder, expected.path)}\n` })
  expect(readFileSync(out.trimEnd(), 'utf8')).toBe(expected.content)
  const again = await cli([...argv, '--out', folder])
  expect(again).toMatchObject({ code: 2, out: '', err: expect.stringContaining('EEXIST') })
})

test.each([
  [['--schema', 'My Schema'], 'schema must be a name of lower-case letters'],
  [['--families', 'flax,ulid'], 'family must be one of'],
  [['--for', 'knex'], 'Allowed choices are typeorm, prisma, drizzle'],
])('%j is refused', async (argv, message) => {
  const { code, out, err } = await cli(['sql', ...argv])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(message)
})
