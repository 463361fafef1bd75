import { stripVTControlCharacters } from 'node:util'
import { flake, flax, sno, uid, uidLocal } from '@snoflax/core'
import { describe, expect, it } from 'vitest'
import { loadQuakes, strongestOf } from '#quakes/data'
import { quakeIds } from '#quakes/ids'
import { fieldsOf, picture } from '#quakes/picture'
import { coloured, plain } from '#quakes/terminal/colour'

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 89 + 0x9d) & 0xff)

const valuesOf = (fields: ReturnType<typeof fieldsOf>): Record<string, number> =>
  Object.fromEntries(fields.map(({ name, value }) => [name, Number(value)]))

describe('fieldsOf', () => {
  it.each([flax, sno, flake, uid, uidLocal])('cuts all bits of $name, in order', (family) => {
    const id = family.encode(bytes(family.byteLength))
    const all = Array.from(family.decode(id), (byte) => byte.toString(2).padStart(8, '0')).join('')
    expect(
      fieldsOf(family, id)
        .map(({ bits }) => bits)
        .join(''),
    ).toBe(all)
  })

  it('gives the values that unpack gives', () => {
    const snoId = sno.encode(bytes(10))
    const { timeMs, ...snoFields } = sno.unpack(snoId)
    expect(valuesOf(fieldsOf(sno, snoId))).toEqual({
      time: (timeMs - sno.layout.epochMs) / sno.layout.unitMs,
      ...snoFields,
    })
    const flakeId = flake.encode(bytes(8))
    const { timeMs: time, ...flakeFields } = flake.unpack(flakeId)
    expect(valuesOf(fieldsOf(flake, flakeId))).toEqual({ time, ...flakeFields })
    const uidId = uid.encode(bytes(12))
    const { megaSeconds, seconds, microSeconds, node, sequence } = uid.unpack(uidId)
    expect(valuesOf(fieldsOf(uid, uidId))).toEqual({
      megaSeconds,
      secondsHigh: seconds >> 8,
      node,
      secondsLow: seconds & 0xff,
      step: microSeconds / 1024,
      sequence,
    })
  })
})

describe('picture', () => {
  const quakes = loadQuakes()
  const quake = strongestOf(quakes)
  const made = quakeIds(quakes).map((ids) => ({ name: ids.family.name, ids, id: ids.make(quake) }))

  it.each(made)('of $name has the same text with colours and without, 100 columns at most', ({ ids, id }) => {
    const lines = picture(plain, ids, id)
    expect(picture(coloured, ids, id).map(stripVTControlCharacters)).toEqual(lines)
    expect(lines[0]).toContain(` ${id} `)
    expect(lines[0]).toContain(Buffer.from(ids.family.decode(id)).toString('hex'))
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  })

  it('colours text and hex as the field in which each character begins', () => {
    // 40 bits of time: characters 0 to 6 of 6 bits begin in it, and hex digits 0 to 9.
    const id = flax.parse('Kpcan0M1FakODT4k')
    const [line] = picture(coloured, { family: flax, make: () => id, meanings: {} }, id)
    const hex = Buffer.from(flax.decode(id)).toString('hex')
    expect(line).toContain('\u001b[36mKpcan0M\u001b[39m\u001b[33m1FakODT4k\u001b[39m')
    expect(line).toContain(`\u001b[36m${hex.slice(0, 10)}\u001b[39m\u001b[33m${hex.slice(10)}\u001b[39m`)
  })

  it('says what fields mean in the demo', () => {
    const [, ofSno, ofFlake, ofUid] = made.map(({ ids, id }) => picture(plain, ids, id).join('\n'))
    const lowest = Math.floor(quake.magnitude * 2) / 2
    expect(ofSno).toContain(`magnitude ${lowest} to ${lowest + 0.5}`)
    for (const shown of [ofSno, ofFlake, ofUid]) expect(shown).toContain(`network ${quake.network}`)
  })
})
