import { IdError, type IdErrorCode } from '@snoflax/core'
import type { InventoryRow, Verdict } from './inventory.js'
import type { Work } from './work.js'

/** @throws {IdError} always, with the place and the message. */
export function refuse(
  place: string,
  message: string,
  value?: unknown,
  code: IdErrorCode = 'INVALID_OPTION',
): never {
  throw new IdError(code, `${place}: ${message}`, { value, path: place })
}

export const refuseOtherSession = (): never =>
  refuse('adoption', 'another session is running this adoption; wait for it or terminate it')

/** A step would commit or roll back the transaction of its caller. */
export const refuseTransaction = (): never =>
  refuse('client', 'the client is inside a transaction; pass a pool, or a client outside of any transaction')

/** Collects all obstacles of a plan, so that they can be removed at once, and the inventory. */
export class Obstacles {
  readonly #found = new Map<string, IdError>()
  #areRightsMissing = false
  readonly #rows = new Map<string, InventoryRow>()

  /** @param ignore names of the inventory that the user takes on. */
  constructor(private readonly ignore: readonly string[] = []) {}

  get inventory(): InventoryRow[] {
    return [...this.#rows.values()]
  }

  get isEmpty(): boolean {
    return this.#found.size === 0
  }

  note(place: string, message: string): void {
    this.attempt(() => refuse(place, message))
  }

  /** Adds a row to the inventory. */
  list(name: string, verdict: Verdict, note: string): void {
    this.#rows.set(name, { name, verdict, note })
  }

  isListed(name: string): boolean {
    return this.#rows.has(name)
  }

  isNoted(place: string): boolean {
    return [...this.#found.values()].some(({ path }) => path === place)
  }

  isIgnored(name: string): boolean {
    return this.ignore.includes(name)
  }

  /** Notes an obstacle that the user may take on by its name. Lists it in the inventory. */
  ask(name: string, problem: string): void {
    this.list(name, this.isIgnored(name) ? 'ignored' : 'obstacle', problem)
    if (this.isIgnored(name)) return
    this.note(name, `${problem}, or take it on with ignore: [${JSON.stringify(name)}]`)
  }

  /** Notes a right that the role lacks. */
  noteRight(place: string, message: string): void {
    this.#areRightsMissing = true
    this.note(place, message)
  }

  /** Without an inventory, in which what the role can't see would be missing. */
  refuseRights(): void {
    if (!this.#areRightsMissing) return
    this.#rows.clear()
    this.refuse()
  }

  /** Notes names to ignore that are not in the inventory, such as misspelt ones. */
  noteUnknown(): void {
    for (const name of this.ignore)
      if (!this.#rows.has(name))
        this.note(
          'ignore',
          `the inventory has no ${name}; spell it as the plan does, such as "view public.recent"`,
        )
  }

  /** The work's result; undefined, and an obstacle, if it throws an IdError. */
  attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.#keep(error)
      return undefined
    }
  }

  /** The same for steps on a database. */
  *tryStep<Result>(work: () => Work<Result>): Work<Result | undefined> {
    try {
      return yield* work()
    } catch (error) {
      this.#keep(error)
      return undefined
    }
  }

  #keep(error: unknown): void {
    if (!(error instanceof IdError)) throw error
    this.#found.set(error.message, error)
  }

  /** @throws {IdError} for one obstacle its own error, for several one that lists them. */
  refuse(): void {
    const found = [...this.#found.values()]
    const [first, ...others] = found
    if (first === undefined) return
    const list = found.map(({ message }) => `- ${message}`).join('\n')
    const error =
      others.length === 0
        ? first
        : new IdError('INVALID_OPTION', `${found.length} obstacles:\n${list}`, {
            cause: new AggregateError(found),
          })
    inventories.set(error, this.inventory)
    throw error
  }
}

const inventories = new WeakMap<object, readonly InventoryRow[]>()

/**
 * The errors behind an error of `planAdoption`, one for each obstacle. Each message names the table or column and says
 * what to do.
 *
 * @example
 * try {
 *   await planAdoption(pool, { tables: [{ table: 'invoices', createdAt: 'paid_at', generator: (clock) => sno.generator({ partition: 900, clock }) }] })
 * } catch (error) {
 *   for (const { path, message } of obstaclesOf(error)) console.log(path, message)
 * }
 */
export function obstaclesOf(error: unknown): readonly IdError[] {
  if (!(error instanceof IdError)) return []
  return error.cause instanceof AggregateError ? error.cause.errors : [error]
}

/**
 * The inventory of a plan that was refused: its obstacles, and what was looked at beside them. Empty if a right was
 * missing, so that not everything could be looked at.
 *
 * @example
 * try {
 *   await planAdoption(pool, { tables: [{ table: 'invoices', createdAt: 'paid_at', generator: (clock) => sno.generator({ partition: 900, clock }) }] })
 * } catch (error) {
 *   for (const { name, verdict } of inventoryOf(error)) console.log(verdict, name)
 * }
 */
export const inventoryOf = (error: unknown): readonly InventoryRow[] => inventories.get(Object(error)) ?? []
