import { sno } from '@snoflax/core'
import { expect } from 'vitest'
import { bytesOf, hexOf, latin1 } from '../bytes.js'
import { checkVectors } from '../check-vectors.js'
import { expectRefusal } from '../refusal.js'

interface IdVector {
  readonly hex: string
  readonly text: string
  readonly timeMs: number
  readonly units: number
  readonly tickTock: 0 | 1
  readonly meta: number
  readonly partition: number
  readonly sequence: number
  readonly isZero: boolean
}

const EPOCH_MS = Date.UTC(2010, 0, 1)
const idOf = (hex: string) => sno.encode(bytesOf(hex))

checkVectors('snoCodec', {
  id({ hex, text, timeMs, units, tickTock, meta, partition, sequence, isZero }: IdVector) {
    const fields = { timeMs, tickTock, meta, partition, sequence }
    const id = idOf(hex)
    expect(id).toBe(text)
    expect(hexOf(sno.decode(text))).toBe(hex)
    expect(sno.unpack(id)).toEqual(fields)
    expect(sno.pack(fields)).toBe(text)
    expect(sno.time(id)).toEqual(new Date(timeMs))
    expect((sno.timeMs(id) - EPOCH_MS) / 4).toBe(units)
    expect(sno.meta(id)).toBe(meta)
    expect(sno.withMeta(id, 0)).toBe(sno.pack({ ...fields, meta: 0 }))
    expect(sno.withMeta(sno.withMeta(id, 255), meta)).toBe(id)
    expect(sno.isZero(id)).toBe(isZero)
  },
  badText({ textHex }: { textHex: string }) {
    expectRefusal(() => sno.decode(latin1(textHex)), 'INVALID_LENGTH')
    expectRefusal(() => sno.parse(latin1(textHex)), 'INVALID_LENGTH')
    expect(sno.is(latin1(textHex))).toBe(false)
  },
  badChars: () => expect.fail('every one of these is a quirk'),
  badBytes({ hex }: { hex: string }) {
    expectRefusal(() => idOf(hex), 'INVALID_LENGTH')
  },
  sort({ input, sorted, sortedText }: { input: string[]; sorted: string[]; sortedText: string[] }) {
    const ids = input.map(idOf).sort(sno.compare)
    expect(ids).toEqual(sortedText)
    expect(ids.map((id) => hexOf(sno.decode(id)))).toEqual(sorted)
    expect(input.map(idOf).sort()).toEqual(sortedText)
  },
  compare({ a, b, result }: { a: string; b: string; result: number }) {
    expect(Math.sign(sno.compare(idOf(a), idOf(b)))).toBe(result)
    expect(Math.sign(sno.compare(idOf(b), idOf(a)))).toBe(0 - result)
  },
  partition({ bytes, json, uint16 }: { bytes: string; json: string; uint16: number }) {
    const id = sno.pack({ timeMs: EPOCH_MS, tickTock: 0, meta: 0, partition: uint16, sequence: 0 })
    expect(hexOf(sno.decode(id).slice(6, 8))).toBe(bytes)
    const snapshot = sno.generator({ partition: uint16 }).snapshot()
    expect(snapshot.partition).toEqual(JSON.parse(json))
    expect(sno.generator({ snapshot: { ...snapshot, partition: JSON.parse(json) } }).partition).toBe(uint16)
  },
})
