import { flake } from '@snoflax/core'
import { expect } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { checkVectors } from '../check-vectors.js'
import { expectRefusal } from '../refusal.js'

interface IdVector {
  readonly epoch: number
  readonly id: number
  readonly timeMs: number
  readonly timestamp: number
  readonly counter: number
  readonly hex: string
  readonly dec: string
}

interface Formatted {
  readonly hex: string
  readonly dec: string
  readonly hexTrimmed: string
  readonly bin4: string
  readonly decPadded20: string
}

checkVectors('flakeCodec', {
  id({ epoch, id: generator, timeMs, timestamp, counter, hex, dec }: IdVector) {
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
  format({ hex, dec, hexTrimmed, bin4, decPadded20 }: Formatted) {
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
})
