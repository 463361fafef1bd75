/**
 * Steps on a database, written once for all databases. They yield what a driver returns: PostgreSQL's promises are
 * awaited; SQLite's results are used synchronously, so that no statement of the application comes between those of a
 * transaction on a shared connection.
 */
export type Work<Result> = Generator<unknown, Result, unknown>

export async function perform<Result>(work: Work<Result>): Promise<Result> {
  let step = work.next()
  while (!step.done) {
    step = isPromise(step.value)
      ? await step.value.then(
          (value) => work.next(value),
          (error) => work.throw(error),
        )
      : work.next(step.value)
  }
  return step.value
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | undefined)?.then === 'function'
