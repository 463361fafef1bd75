import { collectGarbage } from './engine.js'
import { readFlat } from './flat.js'
import { quantile, shuffled, type Timing } from './timing.js'

/** One unit of work, which gets its number. Its result is read, so that the engine can't skip it. */
export type Step = (i: number) => string | number | bigint | Uint8Array

/**
 * The longest turn: long enough to time, short enough that the others follow within milliseconds, and with fewer ids
 * than any generator can generate in one unit of its clock.
 */
const TURN_NS = 200_000
const MAX_STEPS = 1024
const MIN_STEPS = 16
/** The share of a turn before timing starts, which loads code and samples into the caches again. */
const RUN_UP = 1 / 16
const WARM_UP_ROUNDS = 200
const ROUNDS = 600

/** Keeps the results alive. */
let sink = 0

/**
 * Times the contestants side by side: in each round every one has its turn, in a new order, so that other work of the
 * machine affects all alike.
 */
export function race<Name extends string>(contestants: Readonly<Record<Name, Step>>): Record<Name, Timing> {
  const names = Object.keys(contestants) as Name[]
  const loop = new Runner((i) => i)
  const runners = names.map((name) => new Runner(contestants[name]))
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    collectGarbage()
    for (const runner of shuffled([loop, ...runners])) {
      if (round < 0) runner.warmUp()
      else runner.run()
    }
  }
  if (Number.isNaN(sink)) throw new Error('A contestant returned something that is not a number')
  const loopNs = loop.quantile(0.25)
  return Object.fromEntries(names.map((name, i) => [name, timing(runners[i] as Runner, loopNs)])) as Record<
    Name,
    Timing
  >
}

class Runner {
  private readonly samples: number[] = []
  private steps = MIN_STEPS
  private fastestNs = Number.POSITIVE_INFINITY

  constructor(private readonly step: Step) {}

  /** A turn that only measures how many steps fit into one. */
  warmUp(): void {
    this.fastestNs = Math.min(this.fastestNs, this.turn())
    this.steps = Math.round(Math.min(MAX_STEPS, Math.max(MIN_STEPS, TURN_NS / this.fastestNs)))
  }

  run(): void {
    this.samples.push(this.turn())
  }

  quantile(fraction: number): number {
    return quantile(this.samples, fraction)
  }

  private turn(): number {
    sink += repeat(this.step, this.steps * RUN_UP)
    const start = process.hrtime.bigint()
    const sum = repeat(this.step, this.steps)
    const end = process.hrtime.bigint()
    sink += sum
    return Number(end - start) / this.steps
  }
}

function timing(runner: Runner, loopNs: number): Timing {
  const quartileNs = runner.quantile(0.25)
  return { stepNs: quartileNs - loopNs, spread: runner.quantile(0.5) / quartileNs - 1 }
}

/** Calls all contestants from one loop, so that none is inlined and all results are read the same way. */
function repeat(step: Step, count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += read(step(i))
  return sum
}

function read(result: ReturnType<Step>): number {
  if (typeof result === 'string') return readFlat(result)
  return typeof result === 'object' ? (result[0] as number) : Number(result)
}
