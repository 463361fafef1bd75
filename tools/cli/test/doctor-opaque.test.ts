import { postgres, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { declaring } from './declaring.js'
import { doctor } from './reports.js'

const ORG = 'org_tz4a98xxat96iws9zmbrgj3a'
const KEY = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
const TABLES = `orgs: { id: column(opaque('org', { pattern: /org_[a-z0-9]{24}/, generate: () => '${ORG}' })) },
  keys: {
    id: column(opaque('key', { pattern: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, generate: () => '${KEY}' })),
    org_id: column.ref('orgs.id'),
  }`

describe.each(['sqlite', 'postgres'] as const)('opaque ids, %s', (kind) => {
  test('values are compared with the pattern, and their time is not asked', async () => {
    const database = await (kind === 'sqlite' ? sqlite : postgres).open()
    try {
      const key = kind === 'sqlite' ? 'text' : 'uuid'
      const made = kind === 'sqlite' ? `(trim('${KEY}'))` : 'gen_random_uuid()'
      await database.query('create table orgs (id text primary key)')
      await database.query(
        `create table keys (id ${key} primary key default ${made}, org_id text references orgs)`,
      )
      for (const id of [ORG, ORG.replace('z', 'a'), 'org_1'])
        await database.query(`insert into orgs values ('${id}')`)
      await database.query(`insert into keys values ('${KEY}', '${ORG}')`)
      const url = 'file' in database ? (database.file as string) : database.url
      const { columns, findings, advice } = await doctor(url, '--kysely', declaring('opaque', TABLES, kind))
      expect(
        columns.map(({ place, family, storage, rowsRead }) => [place, family, storage, rowsRead]).sort(),
      ).toEqual([
        ['keys.id', 'key', key, 1],
        ['keys.org_id', 'org', 'text', 1],
        ['orgs.id', 'org', 'text', 3],
      ])
      expect(findings.map(({ check, where, message }) => [check, where, message])).toEqual([
        [
          'malformed',
          'orgs.id',
          'values that are not org in storage text: 1; the first: org: "org_1" does not match /org_[a-z0-9]{24}/',
        ],
      ])
      expect(advice).toEqual([])
    } finally {
      await database.close()
    }
  })
})
