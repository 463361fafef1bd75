import { IdError, type IdErrorCode } from '@snoflax/core'
import { expect } from 'vitest'

/** How a call is refused: an IdError's code, or TypeError for a value of the wrong JavaScript type. */
export type Refusal = IdErrorCode | 'TypeError'

/** What the call throws; fails if it returns. */
export function thrownBy(call: () => unknown): unknown {
  let result: unknown
  try {
    result = call()
  } catch (error) {
    return error
  }
  return expect.fail(`not refused, but answered with ${String(result)}`)
}

/** Asserts that the call is refused in this way, with these facts, and returns the error. */
export function expectRefusal(call: () => unknown, refusal: Refusal, facts: Partial<IdError> = {}): Error {
  const error = thrownBy(call)
  if (refusal === 'TypeError') {
    expect(error).toBeInstanceOf(TypeError)
  } else {
    expect(error).toBeInstanceOf(IdError)
    expect((error as IdError).code, (error as IdError).message).toBe(refusal)
  }
  expect(error).toMatchObject(facts)
  return error as Error
}

/** The same for an IdError, for what only it can tell. */
export function expectIdError(call: () => unknown, code: IdErrorCode): IdError {
  return expectRefusal(call, code) as IdError
}
