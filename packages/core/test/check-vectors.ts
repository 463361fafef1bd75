import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'
import { type Quirk, quirkOf } from './refused-quirks.js'
import { CLAIMS, type ClaimName, type Vector, vectorsOf } from './vectors.js'

type KindOf<Name extends ClaimName> = (typeof CLAIMS)[Name]['kinds'][number]

/** One test for each vector of the claim: its quirk if it is one, and else, or where asked for, the kind's check. */
export function checkVectors<Name extends ClaimName>(
  name: Name,
  checks: { readonly [Kind in KindOf<Name>]: (vector: never) => void },
): void {
  const { file, kinds } = CLAIMS[name]
  describe.each(kinds.map((kind) => ({ kind, vectors: vectorsOf(file, kind) })))(
    `${file}.json $kind ($vectors.length)`,
    ({ kind, vectors }) => {
      const check = checks[kind as KindOf<Name>] as (vector: Vector) => void
      test.each(vectors)('$v', (vector) => {
        const quirk = quirkOf(file, vector)
        if (quirk !== undefined) meetQuirk(quirk, vector)
        if (quirk === undefined || quirk.restHolds) check(vector)
      })
    },
  )
}

function meetQuirk(quirk: Quirk, vector: Vector): void {
  if ('instead' in quirk) {
    quirk.instead(vector)
    return
  }
  const attempts = quirk.attempts(vector)
  expect(attempts).not.toHaveLength(0)
  for (const attempt of attempts) {
    const error = expectRefusal(attempt, quirk.refused)
    if (quirk.position !== undefined) expect(error).toHaveProperty('position', quirk.position(vector))
  }
}
