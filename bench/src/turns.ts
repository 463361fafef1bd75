import { quantile, shuffled, type Timing } from './timing.js'

/** Does its work and tells how many nanoseconds that took. */
export type Turn = () => Promise<number>

/** The turn of work that is timed from here, the way to the server and back included. */
export const timed =
  (work: () => Promise<unknown>): Turn =>
  async () => {
    const start = process.hrtime.bigint()
    await work()
    return Number(process.hrtime.bigint() - start)
  }

export interface TurnOptions {
  readonly rounds: number
  readonly warmUps: number
  /** What every turn does besides, timed in the same rounds and taken off. */
  readonly baseline?: Turn
  /** What has to be done before a turn, in no one's time. */
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
