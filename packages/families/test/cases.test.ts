import { type IdFamily, typeid, ulid, uuid7 } from '@snoflax/core'
import { discord, twitter } from '@snoflax/families'
import { describe } from 'vitest'
import { checkCases } from '../../core/test/check-cases.js'
import { type FamilyCases, specification } from '../../core/test/sql-cases.js'

const FAMILIES = { uuid7, ulid, typeid: typeid('user').base, twitter, discord }

describe.each(Object.entries(FAMILIES))('spec/cases/%s.json', (name, family) => {
  checkCases(family as unknown as IdFamily, specification<FamilyCases>(`cases/${name}`))
})
