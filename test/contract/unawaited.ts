import { describe, expect, test } from 'vitest'
import { expectRefusal, MALFORMED, type Scene } from './suite.js'
import type { Variant } from './variant.js'

/** A promise, or what an ORM returns in place of one. */
export interface Awaitable {
  then(onFulfilled: (value: unknown) => unknown, onRejected: (error: unknown) => unknown): Promise<unknown>
  catch(onRejected: (error: unknown) => unknown): Promise<unknown>
  finally(onFinally: () => void): Promise<unknown>
}

/** Calls of the ORM with an id, which return what it returns: not awaited, not wrapped. */
export type Unawaited<Session> = Readonly<Record<string, (session: Session, id: string) => Awaitable>>

/** The same, where they depend on the variant. */
export type UnawaitedIn<Session> = (variant: Variant) => Unawaited<Session>

const rethrow = (error: unknown) => {
  throw error
}

/** A refused id must be a rejection, however a caller waits for it. */
export function testUnawaited<Session>(
  scene: Scene<Session>,
  unawaited: Unawaited<Session> | UnawaitedIn<Session>,
): void {
  const calls = typeof unawaited === 'function' ? unawaited(scene.variant) : unawaited
  describe('a refused id rejects', () => {
    test('in some call', () => expect(Object.keys(calls)).not.toEqual([]))
    for (const [name, call] of Object.entries(calls)) {
      test(name, async () => {
        let isDone = false
        await expectRefusal(call(scene.session, MALFORMED).catch(rethrow))
        await expectRefusal(call(scene.session, MALFORMED).then((value) => value, rethrow))
        await expectRefusal(
          call(scene.session, MALFORMED).finally(() => {
            isDone = true
          }),
        )
        expect(isDone).toBe(true)
      })
    }
  })
}
