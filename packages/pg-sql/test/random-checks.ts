import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Checks } from './checks.js'
import { checkRandomBetween, checkRandomBound, checkRandomId } from './cross-checks.js'
import { FAMILIES, type TestedFamily } from './families.js'
import { openInstalled, type servers } from './installed.js'
import { checkMalformed } from './malformed-checks.js'
import { checkRandomPrefix } from './prefix-checks.js'
import { Random, SEED } from './random.js'

// So that a million ids need no more memory than thousands.
const BATCH = 5000

/** Random values, as many as `cases` of all families and servers together, in SQL and TypeScript. */
export function crossChecks(cases: number, kinds: typeof servers): void {
  const share = Math.ceil(cases / (FAMILIES.length * kinds.length))

  describe.each(kinds)(`$name, SNOFLAX_SEED=${SEED}`, (kind) => {
    let database: OpenDatabase
    beforeAll(async () => {
      database = await openInstalled(kind)
    })
    afterAll(() => database.close())

    async function crossCheck(
      count: number,
      tested: TestedFamily,
      add: (checks: Checks, tested: TestedFamily, random: Random) => void,
    ): Promise<void> {
      const random = new Random(SEED ^ FAMILIES.indexOf(tested))
      for (let done = 0; done < count; done += BATCH) {
        const checks = new Checks()
        for (let n = done; n < Math.min(done + BATCH, count); n++) add(checks, tested, random)
        expect(checks.size).toBeGreaterThan(0)
        expect((await checks.failures(database)).slice(0, 20)).toEqual([])
      }
    }

    describe.each(FAMILIES)('$name', (tested) => {
      const timeout = 300_000 + share * 20
      test(`${share} random ids`, () => crossCheck(share, tested, checkRandomId), timeout)
      test(`${share} prefixed ids`, () => crossCheck(share, tested, checkRandomPrefix), timeout)
      test(`${share} random times`, () => crossCheck(share, tested, checkRandomBound), timeout)
      test(`${share} random ranges`, () => crossCheck(share, tested, checkRandomBetween), timeout)
      test(`${share} malformed values`, () => crossCheck(share, tested, checkMalformed), timeout)
    })
  })
}
