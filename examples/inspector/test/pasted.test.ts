import { expect, test } from 'vitest'
import { bare } from '#inspector/pasted'

test('removes blanks and quotes around pasted text, and nothing else', () => {
  expect(['  x ', '"x"', "'x'\n", '`x`', '"x', '""x""'].map(bare)).toEqual(['x', 'x', 'x', 'x', '"x', '"x"'])
  expect(bare("\t'brpk4q72xwf2m63l' ")).toBe('brpk4q72xwf2m63l')
  expect(bare("X'4e6f2160a0ff9a0a1033'")).toBe("X'4e6f2160a0ff9a0a1033'")
})
