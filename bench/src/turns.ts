import { quantile, shuffled, type Timing } from './timing.js'

/** Does its work and returns how many nanoseconds it took. */
export type Turn = () => Promise<number>

/** A turn of work that is timed here, including the round trip to the server. */
export const timed =
  (work: () => Promise<unknown>): Turn =>
  async () => {
    const start = process.hrtime.bigint()
    await work()
    return Number(process.hrtime.bigint() - start)
  }

/** A turn of work of which only this process's CPU counts, not the server's, nor that of other processes. */
export const timedByCpu =
  (work: () => Promise<unknown>): Turn =>
  async () => {
    const start = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) * 1000
  }

export interface TurnOptions {
  readonly rounds: number
  readonly warmUps: number
  /** The overhead of every turn, timed in the same rounds and subtracted. */
  readonly baseline?: Turn
  /** Preparation of a turn, which is not timed. */
  readonly before?: () => Promise<unknown>
}

/** Times the contestants side by side, as `race` does: in each round all have their turn, in a new order. */
export async function raceTurns<Name extends string>(
  contestants: Readonly<Record<Name, Turn>>,
  { rounds, warmUps, baseline, before }: TurnOptions,
): Promise<Record<Name, Timing>> {
  const samples = new Map<Turn, number[]>()
  const turns = [...Object.values<Turn>(contestants), ...(baseline ? [baseline] : [])]
  for (const turn of turns) samples.set(turn, [])
  for (let round = -warmUps; round < rounds; round++) {
    for (const turn of shuffled(turns)) {
      await before?.()
      const ns = await turn()
      if (round >= 0) samples.get(turn)?.push(ns)
    }
  }
  const quartile = (turn: Turn): number => quantile(samples.get(turn) ?? [], 0.25)
  const baselineNs = baseline ? quartile(baseline) : 0
  const timing = (turn: Turn): Timing => ({
    stepNs: quartile(turn) - baselineNs,
    spread: quantile(samples.get(turn) ?? [], 0.5) / quartile(turn) - 1,
  })
  return Object.fromEntries(
    (Object.keys(contestants) as Name[]).map((name) => [name, timing(contestants[name])]),
  ) as Record<Name, Timing>
}
