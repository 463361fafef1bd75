import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FamilyCases, type StorageCases, specification } from '../../core/test/sql-cases.js'
import { checkFamily, checkStorages } from './case-checks.js'
import { Checks } from './checks.js'
import { openInstalled, servers } from './installed.js'

describe.each(servers)('$name', (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  test.each(['flax', 'sno', 'flake', 'uid', 'uidLocal'])('the cases of %s hold', async (file) => {
    const cases = specification<FamilyCases>(`cases/${file}`)
    const checks = new Checks()
    for (const variant of [cases, ...(cases.variants ?? [])]) checkFamily(checks, file, variant)
    expect(checks.size).toBeGreaterThan(cases.valid.length * 6 + cases.invalid.length / 2)
    expect(await checks.failures(database)).toEqual([])
  })

  test('the cases of storages hold', async () => {
    const cases = specification<StorageCases>('cases/storage')
    const checks = new Checks()
    checkStorages(checks, cases)
    expect(checks.size).toBeGreaterThan(300)
    expect(await checks.failures(database)).toEqual([])
  })
})
