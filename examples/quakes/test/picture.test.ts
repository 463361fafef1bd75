import { stripVTControlCharacters } from 'node:util'
import { flax } from '@snoflax/core'
import { describe, expect, it } from 'vitest'
import { loadQuakes, strongestOf } from '#quakes/data'
import { quakeIds } from '#quakes/ids'
import { picture } from '#quakes/picture'
import { coloured, plain } from '#quakes/terminal/colour'

describe('picture', () => {
  const quakes = loadQuakes()
  const quake = strongestOf(quakes)
  const made = quakeIds(quakes).map((ids) => ({ name: ids.family.name, ids, id: ids.make(quake) }))

  it.each(made)(
    'of $name has the same text with and without colours, in at most 100 columns',
    ({ ids, id }) => {
      const lines = picture(plain, ids, id)
      expect(picture(coloured, ids, id).map(stripVTControlCharacters)).toEqual(lines)
      expect(lines[0]).toContain(` ${id} `)
      expect(lines[0]?.replaceAll('-', '')).toContain(Buffer.from(ids.family.decode(id)).toString('hex'))
      expect(lines.filter((line) => line.length > 100)).toEqual([])
    },
  )

  it('colours text and hex by the field in which each character begins', () => {
    // 40 bits of time: characters 0 to 6 of 6 bits begin in it, and hex digits 0 to 9.
    const id = flax.parse('Kpcan0M1FakODT4k')
    const [line] = picture(coloured, { family: flax, make: () => id, meanings: {} }, id)
    const hex = Buffer.from(flax.decode(id)).toString('hex')
    expect(line).toContain('\u001b[36mKpcan0M\u001b[39m\u001b[33m1FakODT4k\u001b[39m')
    expect(line).toContain(`\u001b[36m${hex.slice(0, 10)}\u001b[39m\u001b[33m${hex.slice(10)}\u001b[39m`)
  })

  it('explains fields as the demo does', () => {
    const [, ofSno, ofFlake, ofUid] = made.map(({ ids, id }) => picture(plain, ids, id).join('\n'))
    const lowest = Math.floor(quake.magnitude * 2) / 2
    expect(ofSno).toContain(`magnitude ${lowest} to ${lowest + 0.5}`)
    for (const shown of [ofSno, ofFlake, ofUid]) expect(shown).toContain(`network ${quake.network}`)
  })
})
