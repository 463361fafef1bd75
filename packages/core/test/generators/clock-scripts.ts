import fc from 'fast-check'

/** What a clock does between two calls, in milliseconds. Most steps are small, as they are in life. */
export const clockStep: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 4, arbitrary: fc.integer({ min: -8, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 40_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -40_000_000, max: -1_000 }) },
)

/** A call after each step, and how many ids it asks for. */
export const clockScript: fc.Arbitrary<readonly { readonly stepMs: number; readonly count: number }[]> =
  fc.array(fc.record({ stepMs: clockStep, count: fc.integer({ min: 1, max: 4 }) }), { maxLength: 80 })
