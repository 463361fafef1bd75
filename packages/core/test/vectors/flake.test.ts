import {
  type FlakeFamily,
  type FlakeGenerator,
  type FlakeId,
  type FlakeIdentity,
  flake,
  type IdError,
  type IdErrorCode,
} from '@snoflax/core'
import { expect } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { checkVectors } from '../check-vectors.js'
import { wallClock } from '../generators/clocks.js'
import { advance, isPendingAfter, virtualTime } from '../generators/virtual-time.js'
import type { FlakeFormat, FlakeVector } from '../recorded-vectors.js'
import { expectRefusal } from '../refusal.js'

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
  readonly message?: string
}

interface Effect {
  readonly callback?: number
  readonly hex?: string
  readonly returned?: string
  readonly throws?: string
  readonly message?: string
}

interface CallbackScript {
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

/** Our generator for the options of a reference that throws on overflow and on a clock that moved back. */
function make(
  { epoch = 0, seqMask, ...identity }: ReferenceOptions,
  clock: () => number,
): { readonly family: FlakeFamily; readonly generator: FlakeGenerator } {
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

/** Of what the reference makes ids with, and ours refuses. */
const REFUSED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  // All processes would generate the same ids.
  GENERATOR_REQUIRED: ['{}', '{id: undefined}', '{datacenter: null, worker: undefined}'],
  FIELD_OUT_OF_RANGE: [
    // Numbers are cut to their bits, so that two workers become one.
    '{id: 1024}',
    '{id: 1025}',
    '{id: 4294967297}',
    '{datacenter: 32, worker: 32}',
    '{datacenter: 33, worker: 63}',
    // These are no epoch.
    '{epoch: NaN}',
    '{epoch: 1300000000000.5}',
    // A mask of 0 means the default, one above 4095 writes over the worker.
    '{seqMask: 0}',
    '{seqMask: 0x1FFF}',
  ],
  INVALID_TYPE: [
    '{id: null}',
    '{id: "5"}',
    '{id: true}',
    '{datacenter: "4", worker: "x"}',
    '{epoch: "1300000000000"}',
    '{epoch: null}',
    '{epoch: new Date(1300000000000)}',
    '{seqMask: "15"}',
  ],
  // An id wins silently over datacenter and worker; a mask that is not 2^n - 1 has holes.
  INVALID_OPTION: ['{id: null, datacenter: 9, worker: 7}', '{seqMask: 10}'],
  // A clock before the epoch counts as moved back.
  TIME_OUT_OF_RANGE: ['{epoch: 1700000000002}', '{epoch: 1800000000000}'],
}

/** Plays the events with generateAsync in place of callbacks; says which request got which id in each event. */
async function play({ options, events }: CallbackScript) {
  const clock = wallClock()
  const { family, generator } = make(identified(options), clock.read)
  const answers = new Map<number, string>()
  const open: Promise<unknown>[] = []
  const perEvent: { readonly answered: readonly [number, string][]; readonly sync: string | undefined }[] = []
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
      const answer = (text: string) => void answers.set(request as number, text)
      open.push(
        generator.generateAsync().then(
          (id) => answer(family.toHex(id)),
          (error: IdError) => answer(error.code),
        ),
      )
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

const effectsOf = ({ effects = [], fired = [] }: CallbackScript['events'][number]): Effect[] => [
  ...effects,
  ...fired.flatMap((timer) => timer.effects),
]

checkVectors('flake', {
  id({ epoch, id: generator, timeMs, timestamp, counter, hex, dec }: FlakeVector & { timestamp: number }) {
    const family = flake.withEpoch(epoch)
    const fields = { timeMs, datacenter: Math.floor(generator / 32), worker: generator % 32, counter }
    const id = family.encode(bytesOf(hex))
    expect(id).toBe(dec)
    expect(hexOf(family.decode(dec))).toBe(hex)
    expect(family.toHex(id)).toBe(hex)
    expect(family.fromHex(hex)).toBe(dec)
    expect(family.toBigInt(id)).toBe(BigInt(dec))
    expect(family.fromBigInt(BigInt(dec))).toBe(dec)
    expect(family.unpack(id)).toEqual(fields)
    expect(family.pack(fields)).toBe(dec)
    expect(family.time(id)).toEqual(new Date(timeMs))
    expect(family.timeMs(id) - family.layout.epochMs).toBe(timestamp)
  },

  format({ hex, dec, hexTrimmed, bin4, decPadded20 }: FlakeFormat & { bin4: string }) {
    expect(flake.encode(bytesOf(hex))).toBe(dec)
    expect(flake.fromHex(hexTrimmed)).toBe(dec)
    expect(flake.toHex(flake.parse(dec))).toBe(hex)
    expect(flake.fromBigInt(BigInt(`0b${bin4.replaceAll(' ', '')}`))).toBe(dec)
    if (decPadded20 === dec) expect(flake.is(decPadded20)).toBe(true)
    else expectRefusal(() => flake.parse(decPadded20), 'NOT_CANONICAL')
  },

  sort({ input, sorted }: { input: string[]; sorted: string[] }) {
    const ids = input.map((hex) => flake.encode(bytesOf(hex))).sort(flake.compare)
    expect(ids.map((id) => hexOf(flake.decode(id)))).toEqual(sorted)
  },

  script({ options, steps }: { options: ReferenceOptions; steps: readonly Outcome[] }) {
    const clock = wallClock()
    if (options.seqMask === 5) {
      // It has holes: two ids a millisecond.
      expectRefusal(() => make(identified(options), clock.read), 'INVALID_OPTION')
      return
    }
    const { family, generator } = make(identified(options), clock.read)
    for (const { now, hex, message } of steps) {
      clock.nowMs = now
      const time = now - family.layout.epochMs
      // Before the epoch the reference's clock has moved back; beyond 42 bits it repeats ids of 139 years ago.
      if (time < 0 || time >= 2 ** 42) expectRefusal(() => generator.generate(), 'TIME_OUT_OF_RANGE')
      else if (hex === undefined) expectRefusal(() => generator.generate(), refusalOf(message as string))
      // The reference's counter starts at 1 if the first call comes at time 0, ours at 0.
      else expect(family.toBigInt(generator.generate())).toBe(BigInt(`0x${hex}`) - (time === 0 ? 1n : 0n))
    }
  },

  fullMillisecond({
    options,
    calls,
  }: {
    options: ReferenceOptions
    calls: readonly (Outcome & { readonly call: number })[]
  }) {
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
  },

  options({ optionsJs, timeMs, firstHex }: { optionsJs: string; timeMs: number; firstHex: string | null }) {
    const value = new Function(`return (${optionsJs})`)() as ReferenceOptions
    const isIdentity = Object.keys(value).every((key) => ['id', 'datacenter', 'worker'].includes(key))
    const first = () => {
      const { family, generator } = make(isIdentity ? value : identified(value), () => timeMs)
      return family.toBigInt(generator.generate())
    }
    const [refused] = Object.entries(REFUSED_OPTIONS).find(([, ones]) => ones.includes(optionsJs)) ?? []
    if (refused !== undefined) expectRefusal(first, refused as IdErrorCode)
    else expect(first()).toBe(BigInt(`0x${firstHex}`) - (value.epoch === timeMs ? 1n : 0n))
  },

  async callbackScript(script: CallbackScript) {
    const { name, events } = script
    const { perEvent, answers, drain } = await play(script)
    const recorded = events.flatMap(effectsOf).flatMap(({ hex, returned }) => hex ?? returned ?? [])
    if (name.startsWith('clock backwards')) {
      // The reference loses the request in a ReferenceError; ours waits for the clock.
      await drain()
      expect([...answers.keys()].sort()).toEqual(events.flatMap(({ request }) => request ?? []))
      const made = [...answers.values()]
      expect(new Set(made).size).toBe(made.length)
      expect(made).toEqual(expect.arrayContaining(recorded))
      expect(made.length).toBeGreaterThan(recorded.length)
      expect(made).not.toContainEqual(expect.stringMatching(/[A-Z]/))
    } else if (name === 'a later caller can overtake a deferred request') {
      // The ids are the reference's; the call that waited has the first of them.
      await drain()
      expect([...answers.values()]).toEqual(recorded)
      expect([...answers.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6])
    } else if (name === 'first call before the epoch, with a callback') {
      expect([...answers]).toEqual([
        [0, 'TIME_OUT_OF_RANGE'],
        [1, '0000000000000000'],
        [2, '0000000000400000'],
      ])
    } else {
      for (const [index, event] of events.entries()) {
        const effects = effectsOf(event)
        const answered = effects
          .filter(({ callback }) => callback !== undefined)
          .map(({ callback, hex }) => [callback, hex])
        const [sync] = effects
          .filter(({ returned, throws }) => returned !== undefined || throws !== undefined)
          .map(({ returned, message }) => returned ?? refusalOf(message as string))
        expect(perEvent[index]).toEqual({ answered, sync })
      }
    }
  },
})
