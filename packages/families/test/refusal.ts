import { IdError, type IdErrorCode } from '@snoflax/core'
import { expect } from 'vitest'

/** The call must fail with an IdError of this code, which is returned. */
export function expectRefusal(call: () => unknown, code: IdErrorCode): IdError {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(IdError)
    expect((error as IdError).code).toBe(code)
    return error as IdError
  }
  return expect.fail(`no ${code}`)
}
