import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from './installed.js'
import { testPlans } from './plan-checks.js'
import { isQuick, STORED } from './plans.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

testPlans(
  STORED.filter((one) => !isQuick(one)),
  () => database,
)
