import type { IdErrorCode } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'
import { type Vector, type VectorFile, vectorsOf } from './vectors.js'

interface QuirkBase {
  readonly kinds: readonly string[]
  readonly tag?: string
  /** Which vectors of these kinds; all if left out. */
  readonly when?: (vector: never) => boolean
  /** Why ours does not do as the reference does. */
  readonly reason: string
  /** True if the kind's ordinary check holds besides. */
  readonly restHolds?: boolean
}

/** Something that a reference does and ours refuses. */
interface RefusedQuirk extends QuirkBase {
  readonly refused: IdErrorCode
  readonly position?: (vector: never) => number
  readonly attempts: (vector: never) => readonly (() => unknown)[]
}

/** Something that ours answers in a way of its own. */
interface ChangedQuirk extends QuirkBase {
  readonly instead: (vector: never) => void
}

/** A deliberate difference from a reference that its vectors show. */
export type Quirk = RefusedQuirk | ChangedQuirk

type AnyVector<Q> = {
  [Key in keyof Q]: Q[Key] extends ((vector: never) => infer R) | undefined ? (vector: Vector) => R : Q[Key]
}
type KnownQuirk = AnyVector<RefusedQuirk> | AnyVector<ChangedQuirk>

/**
 * One test for each vector of the file: its quirk if it is one, and else, or where the rest holds, its kind's check.
 * A kind without a check fails, and a quirk that no vector shows.
 */
export function checkVectors(
  file: VectorFile,
  checks: Readonly<Record<string, (vector: never) => void | Promise<void>>>,
  quirks: readonly Quirk[] = [],
): void {
  const quirkOf = (vector: Vector): KnownQuirk | undefined =>
    (quirks as readonly KnownQuirk[]).find(
      ({ kinds, tag = vector.tag, when }) =>
        kinds.includes(vector.kind) && tag === vector.tag && (when?.(vector) ?? true),
    )
  const kinds = [...new Set(vectorsOf(file).map(({ kind }) => kind))].map((kind) => ({
    kind,
    vectors: vectorsOf(file, kind),
  }))

  test(`${file}.json: every kind is checked, and every quirk is shown`, () => {
    expect(Object.keys(checks).sort()).toEqual(kinds.map(({ kind }) => kind).sort())
    const shown = new Set<unknown>(kinds.flatMap(({ vectors }) => vectors.map(quirkOf)))
    expect(quirks.filter((quirk) => !shown.has(quirk)).map(({ reason }) => reason)).toEqual([])
  })

  describe.each(kinds)(`${file}.json $kind ($vectors.length)`, ({ kind, vectors }) => {
    const check = checks[kind] as (vector: Vector) => void | Promise<void>
    test.each(vectors)('$v', async (vector) => {
      const quirk = quirkOf(vector)
      if (quirk !== undefined) meetQuirk(quirk, vector)
      if (quirk === undefined || quirk.restHolds) await check(vector)
    })
  })
}

function meetQuirk(quirk: KnownQuirk, vector: Vector): void {
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

/** The check of a kind whose vectors are all quirks. */
export const allQuirks = (): void => expect.fail('every one of these is a quirk')
