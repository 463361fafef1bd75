import { readFileSync } from 'node:fs'
import type { IdFamily } from '@snoflax/core'
import { discord, twitter, typeid, ulid, uuid7 } from '@snoflax/families'
import { describe } from 'vitest'
import { type Cases, checkCases } from '../../core/test/check-cases.js'

const FAMILIES = { uuid7, ulid, typeid: typeid('user').base, twitter, discord }

describe.each(Object.entries(FAMILIES))('spec/cases/%s.json', (name, family) => {
  const file = new URL(`../../../spec/cases/${name}.json`, import.meta.url)
  checkCases(family as unknown as IdFamily, JSON.parse(readFileSync(file, 'utf8')) as Cases)
})
