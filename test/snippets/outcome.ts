import { setTimeout } from 'node:timers/promises'
import { Printed, run, type Surroundings, type Told } from './run.js'

export interface Outcome {
  /** How many comments told a value. */
  readonly claims: number
  /** What came out otherwise than it was told. */
  readonly contradictions: readonly string[]
}

/**
 * Whether a program gives what its comments tell: a text in quotes, a number, true or false, `{ the, names }` of an
 * object, or the line that `console.log` writes. Where it does not it runs again: a text that differs from run to run,
 * such as a new id, is told by its form only.
 */
export async function outcomeOf(code: string, surroundings: Surroundings): Promise<Outcome> {
  const seen = await run(code, surroundings)
  const once = claimsOf(seen, seen)
  const claims = once.some(isBroken) ? claimsOf(seen, await runLater(code, surroundings)) : once
  const broken = claims.filter(isBroken)
  return {
    claims: claims.length,
    contradictions: broken.map(({ expected, actual }) => `told ${expected}, came ${actual}`),
  }
}

/** Two generators that are made alike make the same id within one unit of their clock. */
async function runLater(code: string, surroundings: Surroundings): Promise<readonly Told[]> {
  await setTimeout(10)
  return run(code, surroundings)
}

interface Claim {
  readonly expected: string
  readonly actual: string
}

const isBroken = ({ expected, actual }: Claim): boolean => expected !== actual

const claimsOf = (seen: readonly Told[], again: readonly Told[]): Claim[] =>
  seen.flatMap((told, index) => claimOf(told, again[index]?.value) ?? [])

function claimOf({ comment, value }: Told, again: unknown): Claim | undefined {
  if (value instanceof Printed) return { expected: comment, actual: value.line }
  const [, text] = /^(?:.*, e\.g\. )?('.*?')/.exec(comment) ?? []
  if (text !== undefined) return textClaim(text, value, again)
  const [, names] = /^\{ ([\w, ]+) \}/.exec(comment) ?? []
  if (names !== undefined) return { expected: names, actual: Object.keys(value as object).join(', ') }
  return /^(?:-?\d+|true|false)$/.test(comment) ? { expected: comment, actual: String(value) } : undefined
}

function textClaim(expected: string, value: unknown, again: unknown): Claim {
  if (typeof value !== 'string') return { expected, actual: String(value) }
  const actual = `'${value}'`
  return value === again ? { expected, actual } : { expected: formOf(expected), actual: formOf(actual) }
}

const UUID = /^'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'$/

const formOf = (text: string): string => (UUID.test(text) ? 'a UUID' : `${text.length - 2} characters`)
