import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import type { OpenDatabase } from '../databases/open-database.js'
import { databases } from '../databases.js'
import type { ContractAdapter, Path, Paths, Refusal } from './adapter.js'
import './record.js'
import type { Junction } from './schema.js'
import { plant, type Seed } from './seed.js'
import { Stored } from './stored.js'
import type { Variant } from './variant.js'

/** All that an assertion needs. Filled before the first test of a variant. */
export interface Scene<Session> {
  readonly variant: Variant
  readonly junction: Junction
  readonly mismatch: 'error' | 'notFound'
  session: Session
  stored: Stored
  seed: Seed
}

/** The assertions about every path of one kind, by name. */
export type Assertions<Session, Arguments extends readonly unknown[], Result> = Readonly<
  Record<string, (run: (...args: Arguments) => Promise<Result>, scene: Scene<Session>) => Promise<void>>
>

/** A malformed id of every family: of no family's length or alphabet. */
export const MALFORMED = 'no such id!'

/** The assertions that an unchecked path doesn't meet. */
const REFUSALS = ['refuses a malformed id', 'a malformed id finds nothing, or is refused']

/** Opens a database for each variant, and the ORM on it, for the tests that `body` defines. */
export function describeVariants<Session>(
  adapter: ContractAdapter<Session>,
  variants: readonly Variant[],
  body: (scene: Scene<Session>) => void,
): void {
  const names = variants.map(
    (variant) => [`${variant.database}, ${variant.family.name} as ${variant.storage}`, variant] as const,
  )
  describe.each(names)(`${adapter.orm}: %s`, (_, variant) => {
    const { junction, mismatch: option = 'error' } = adapter
    const mismatch = typeof option === 'function' ? option(variant) : option
    const scene = { variant, junction, mismatch } as Scene<Session>
    let database: OpenDatabase | undefined
    beforeAll(async () => {
      database = await open(variant)
      scene.session = await adapter.open(database, variant)
      scene.stored = new Stored(database, variant)
      scene.seed = await plant(scene.stored, variant, adapter.junction)
    })
    afterAll(async () => {
      if (scene.session !== undefined) await adapter.close(scene.session)
      await database?.close()
    })
    body(scene)
  })
}

function open(variant: Variant): Promise<OpenDatabase> {
  const kind = databases.find(({ name }) => name === variant.database)
  if (!kind) throw new Error(`This run has no ${variant.database}`)
  return kind.open()
}

/** Every assertion on every path of one kind. */
export function testPaths<Session, Arguments extends readonly unknown[], Result>(
  { orm }: ContractAdapter<Session>,
  scene: Scene<Session>,
  operation: string,
  paths: Paths<Session, Arguments, Result>,
  assertions: Assertions<Session, Arguments, Result>,
): void {
  describe(operation, () => {
    test('has a path', () => expect(Object.keys(paths)).not.toEqual([]))
    for (const [name, path] of Object.entries(paths)) {
      const refused = path.refused?.(scene.variant)
      const unchecked = path.unchecked?.(scene.variant)
      for (const [assertion, check] of Object.entries(assertions)) {
        if (unchecked !== undefined && REFUSALS.includes(assertion)) continue
        const title = refused ? `${name}: refused` : `${name}: ${assertion}`
        test(title, async ({ task }: TestContext) => {
          if (refused) await expectRefused(path, refused, check, scene)
          else await check((...args) => path.run(scene.session, ...args), scene)
          const { database, storage, family } = scene.variant
          task.meta.contract = {
            orm,
            database,
            storage,
            family: family.name,
            operation,
            path: name,
            refused: refused?.why,
            unchecked,
          }
        })
        if (refused) break
      }
    }
  })
}

/** Runs the assertion, and expects the first call of the path to fail as declared. */
async function expectRefused<Session, Arguments extends readonly unknown[], Result>(
  path: Path<Session, Arguments, Result>,
  refusal: Refusal,
  check: Assertions<Session, Arguments, Result>[string],
  scene: Scene<Session>,
): Promise<void> {
  const calls: unknown[] = []
  const run = (...args: Arguments) =>
    path.run(scene.session, ...args).then(
      () => calls.push(undefined),
      (error: unknown) => calls.push(error),
    )
  await check(run as unknown as (...args: Arguments) => Promise<Result>, scene).catch(() => undefined)
  expect(calls.length, 'calls of the path').toBeGreaterThan(0)
  const [error] = calls as (Error | undefined)[]
  if (refusal.by instanceof RegExp) expect(`${error?.message} ${error?.cause}`).toMatch(refusal.by)
  else expect(error).toMatchObject({ name: 'IdError', code: refusal.by })
}

/** The promise must fail with an IdError that shows the value and its place. */
export async function expectRefusal(promise: Promise<unknown>, value: string = MALFORMED): Promise<void> {
  const error = await promise.then(
    (result) => expect.fail(`no error for ${value}, but ${JSON.stringify(result)}`),
    (cause: unknown) => cause as Error,
  )
  expect(error, String(error)).toMatchObject({
    name: 'IdError',
    code: expect.stringMatching(/^(INVALID_LENGTH|INVALID_CHARACTER|NOT_CANONICAL|WRONG_PREFIX)$/),
  })
  expect(error.message).toContain(value)
  expect((error as Error & { path?: string }).path, 'the place of the value').toBeTruthy()
}

/** The promise of a condition with a malformed id: an IdError, or nothing is found; uuid columns refuse it themselves. */
export async function expectMismatch<Result>(
  { mismatch, variant }: Pick<Scene<unknown>, 'mismatch' | 'variant'>,
  promise: Promise<Result>,
): Promise<Result | undefined> {
  if (mismatch !== 'notFound') await expectRefusal(promise)
  else if (variant.storage.startsWith('uuid')) await expect(promise).rejects.toThrow(/uuid/)
  else return promise.catch(orNotFound)
  return undefined
}

function orNotFound(error: Error): undefined {
  if (!/not found/i.test(error.message)) throw error
}
