import {
  type FlakeFamily,
  type FlakeGenerator,
  type FlakeId,
  type FlakeIdentity,
  flake,
  type IdError,
  type IdErrorCode,
} from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { type Vector, vectorsOf } from '../vectors.js'
import { wallClock } from './clocks.js'
import { generatorQuirkOf } from './refused-quirks.js'
import { advance, isPendingAfter, virtualTime } from './virtual-time.js'

/** The constructor argument of the reference. */
interface ReferenceOptions {
  readonly id?: number
  readonly datacenter?: number
  readonly worker?: number
  readonly epoch?: number
  readonly seqMask?: number
}

interface Outcome {
  readonly now: number
  readonly hex?: string
  readonly error?: string
  readonly message?: string
}

interface Script extends Vector {
  readonly name: string
  readonly options: ReferenceOptions
  readonly steps: readonly Outcome[]
}

interface FullMillisecond extends Vector {
  readonly options: ReferenceOptions
  readonly calls: readonly (Outcome & { readonly call: number })[]
}

interface Options extends Vector {
  readonly optionsJs: string
  readonly timeMs: number
  readonly firstHex: string | null
}

interface Effect {
  readonly callback?: number
  readonly hex?: string
  readonly returned?: string
  readonly throws?: string
  readonly message?: string
  readonly setTimeout?: number
}

interface CallbackScript extends Vector {
  readonly name: string
  readonly options: ReferenceOptions
  readonly events: readonly {
    readonly now: number
    readonly action: 'call' | 'sync' | 'fire' | 'fire!'
    readonly request?: number
    readonly effects?: readonly Effect[]
    readonly fired?: readonly { readonly effects: readonly Effect[] }[]
  }[]
}

virtualTime()

interface Made {
  readonly family: FlakeFamily
  readonly generator: FlakeGenerator
}

/** Our generator for the options of a reference that throws on overflow and on a clock that moved back. */
function make({ epoch = 0, seqMask, ...identity }: ReferenceOptions, clock: () => number): Made {
  const family = flake.withEpoch(epoch)
  const generator = family.generator({
    ...(identity as FlakeIdentity),
    ...(seqMask !== undefined && { counterMask: seqMask }),
    onOverflow: 'throw',
    onClockBack: 'throw',
    clock,
  })
  return { family, generator }
}

/** The reference takes a missing identity for 0; ours has to be told so. */
const identified = (options: ReferenceOptions): ReferenceOptions =>
  options.id === undefined && options.worker === undefined ? { ...options, worker: 0 } : options

const refusalOf = (message: string): IdErrorCode =>
  message.startsWith('Clock moved backwards') ? 'CLOCK_MOVED_BACK' : 'SEQUENCE_EXHAUSTED'

describe('flake.json script', () => {
  const scripts = vectorsOf<Script>('flake', 'script')

  test.each(scripts.filter((vector) => generatorQuirkOf('flake', vector) === undefined))(
    '$v: $name',
    ({ options, steps }) => {
      const clock = wallClock()
      const { family, generator } = make(identified(options), clock.read)
      for (const { now, hex, message } of steps) {
        clock.nowMs = now
        if (hex !== undefined) expect(family.toHex(generator.generate())).toBe(hex)
        else expectRefusal(() => generator.generate(), refusalOf(message as string))
      }
    },
  )

  const quirkScript = (name: string): { script: Script; refused: IdErrorCode | undefined } => {
    const script = scripts.find((vector) => vector.name === name) as Script
    return { script, refused: generatorQuirkOf('flake', script)?.refused }
  }

  test.each(['first call at timestamp zero starts with counter 1', 'epoch in the future'])(
    'quirk: %s',
    (name) => {
      const { script, refused } = quirkScript(name)
      const epoch = script.options.epoch as number
      const clock = wallClock()
      const { family, generator } = make(identified(script.options), clock.read)
      for (const { now, hex } of script.steps) {
        clock.nowMs = now
        if (hex === undefined) expectRefusal(() => generator.generate(), refused as IdErrorCode)
        else
          expect(family.toBigInt(generator.generate())).toBe(BigInt(`0x${hex}`) - (now === epoch ? 1n : 0n))
      }
    },
  )

  test('quirk: timestamp beyond 42 bits wraps', () => {
    const { script, refused } = quirkScript('timestamp beyond 42 bits wraps')
    const clock = wallClock()
    const { generator } = make(script.options, clock.read)
    const [last, ...wrapped] = script.steps as [Outcome, ...Outcome[]]
    clock.nowMs = last.now
    expect(flake.toHex(generator.generate())).toBe(last.hex)
    for (const { now } of wrapped) {
      clock.nowMs = now
      expectRefusal(() => generator.generate(), refused as IdErrorCode)
    }
  })

  test('quirk: seqMask 5', () => {
    const { script, refused } = quirkScript('seqMask 5')
    expectRefusal(() => make(identified(script.options), wallClock().read), refused as IdErrorCode)
  })
})

describe('flake.json fullMillisecond', () => {
  test.each(vectorsOf<FullMillisecond>('flake', 'fullMillisecond'))('$v', ({ options, calls }) => {
    const clock = wallClock((calls[0] as Outcome).now)
    const { family, generator } = make(options, clock.read)
    const listed = new Map(calls.map((outcome) => [outcome.call, outcome]))
    let previous: FlakeId | undefined
    for (let call = 0; call <= Math.max(...listed.keys()); call++) {
      const { now, hex, message } = listed.get(call) ?? { now: clock.nowMs }
      clock.nowMs = now
      if (message !== undefined) {
        expectRefusal(() => generator.generate(), refusalOf(message))
        continue
      }
      const id = generator.generate()
      if (hex !== undefined) expect(family.toHex(id)).toBe(hex)
      else expect(family.toBigInt(id)).toBe(family.toBigInt(previous as FlakeId) + 1n)
      previous = id
    }
  })
})

describe('flake.json options', () => {
  test.each(vectorsOf<Options>('flake', 'options'))('$v: $optionsJs', (vector) => {
    const { optionsJs, timeMs, firstHex } = vector
    const given = new Function(`return (${optionsJs})`)() as ReferenceOptions
    const isIdentity = Object.keys(given).every(
      (key) => key === 'id' || key === 'datacenter' || key === 'worker',
    )
    const options = isIdentity ? given : identified(given)
    const first = (): string => {
      const { family, generator } = make(options, () => timeMs)
      return family.toHex(generator.generate())
    }
    const quirk = generatorQuirkOf('flake', vector)
    if (quirk?.refused !== undefined) expectRefusal(first, quirk.refused)
    else expect(BigInt(`0x${first()}`)).toBe(BigInt(`0x${firstHex}`) - (quirk === undefined ? 0n : 1n))
  })
})

describe('flake.json callbackScript', () => {
  const scripts = vectorsOf<CallbackScript>('flake', 'callbackScript')

  /** Plays the events with generateAsync in place of callbacks; says which request got which id in each event. */
  async function play({ options, events }: CallbackScript) {
    const clock = wallClock()
    const { family, generator } = make(identified(options), clock.read)
    const answers = new Map<number, string>()
    const open: Promise<unknown>[] = []
    const perEvent: { readonly answered: readonly [number, string][]; readonly sync: string | undefined }[] =
      []

    for (const { now, action, request } of events) {
      clock.nowMs = now
      const before = answers.size
      let sync: string | undefined
      if (action === 'sync') {
        try {
          sync = family.toHex(generator.generate())
        } catch (error) {
          sync = (error as IdError).code
        }
      } else if (action === 'call') {
        const asked = request as number
        const answer = (text: string): void => {
          answers.set(asked, text)
        }
        const promise = generator.generateAsync().then(
          (id) => answer(family.toHex(id)),
          (error: IdError) => answer(error.code),
        )
        open.push(promise)
        await advance(0)
      } else {
        await advance(1)
      }
      perEvent.push({ answered: [...answers].slice(before), sync })
    }
    const drain = async (): Promise<void> => {
      while (await isPendingAfter(Promise.all(open), 1)) clock.nowMs++
    }
    return { perEvent, answers, drain }
  }

  test.each(scripts.filter((vector) => generatorQuirkOf('flake', vector) === undefined))(
    '$v: $name',
    async (script) => {
      const { perEvent } = await play(script)
      for (const [index, { effects = [], fired = [] }] of script.events.entries()) {
        const all = [...effects, ...fired.flatMap((timer) => timer.effects)]
        const answered = all
          .filter(({ callback }) => callback !== undefined)
          .map(({ callback, hex }) => [callback, hex])
        const [sync] = all
          .filter(({ returned, throws }) => returned !== undefined || throws !== undefined)
          .map(({ returned, message }) => returned ?? refusalOf(message as string))
        expect(perEvent[index]).toEqual({ answered, sync })
      }
    },
  )

  const requestsOf = ({ events }: CallbackScript): number[] =>
    events.flatMap(({ request }) => (request === undefined ? [] : [request]))
  const idsOf = ({ events }: CallbackScript): string[] =>
    events.flatMap(({ effects = [], fired = [] }) =>
      [...effects, ...fired.flatMap((timer) => timer.effects)].flatMap(
        ({ hex, returned }) => hex ?? returned ?? [],
      ),
    )

  test.each(scripts.filter(({ name }) => name.startsWith('clock backwards')))(
    'quirk: $name',
    async (script) => {
      const { answers, drain } = await play(script)
      await drain()
      expect([...answers.keys()].sort()).toEqual(requestsOf(script))
      const made = [...answers.values()]
      expect(new Set(made).size).toBe(made.length)
      expect(made).toEqual(expect.arrayContaining(idsOf(script)))
      expect(made.length).toBeGreaterThan(idsOf(script).length)
      expect(made).not.toContainEqual(expect.stringMatching(/[A-Z]/))
    },
  )

  test('quirk: a later caller can overtake a deferred request', async () => {
    const script = scripts.find(({ name }) => name === 'a later caller can overtake a deferred request')
    const { answers, drain } = await play(script as CallbackScript)
    await drain()
    // The ids are the reference's; the call that waited has the first of them.
    expect([...answers.values()]).toEqual(idsOf(script as CallbackScript))
    expect([...answers.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  test('quirk: first call before the epoch, with a callback', async () => {
    const script = scripts.find(({ name }) => name === 'first call before the epoch, with a callback')
    const { answers } = await play(script as CallbackScript)
    expect([...answers]).toEqual([
      [0, 'TIME_OUT_OF_RANGE'],
      [1, '0000000000000000'],
      [2, '0000000000400000'],
    ])
  })
})
