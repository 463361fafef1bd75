import { IdError, type IdErrorCode } from '@snoflax/core'
import { expect } from 'vitest'

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

/** Asserts that the call is refused with this code and these facts, and returns the error. */
export function expectRefusal(call: () => unknown, code: IdErrorCode, facts: Partial<IdError> = {}): IdError {
  const error = thrownBy(call)
  expect(error).toBeInstanceOf(IdError)
  expect((error as IdError).code, (error as IdError).message).toBe(code)
  expect(error).toMatchObject(facts)
  return error as IdError
}
