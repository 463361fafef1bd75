import { describe, expect, test } from 'vitest'
import { type Vector, vectorsOf } from '../vectors.js'
import { GENERATOR_QUIRKS, generatorQuirkOf } from './refused-quirks.js'

describe("the quirks of the references' generators are in the vectors", () => {
  test.each(GENERATOR_QUIRKS)('$file $kind $names $tag: $reason', (quirk) => {
    const shown = vectorsOf<Vector & { name?: string; optionsJs?: string }>(quirk.file, quirk.kind).filter(
      (vector) => generatorQuirkOf(quirk.file, vector) === quirk,
    )
    expect(shown).not.toHaveLength(0)
    if (quirk.names) expect(shown.map(({ name, optionsJs }) => name ?? optionsJs)).toEqual(quirk.names)
  })
})
