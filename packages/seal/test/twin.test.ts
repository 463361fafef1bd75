import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ff1ByTwin } from './twin.js'

interface Ff1Vector {
  readonly v: string
  readonly key: string
  readonly radix: number
  readonly tweak: string
  readonly plain: string
  readonly sealed: string
}

const VECTORS: readonly Ff1Vector[] = JSON.parse(
  readFileSync(new URL('../../../spec/vectors/ff1.json', import.meta.url), 'utf8'),
).vectors

const digitsOf = (text: string): number[] => [...text].map((digit) => Number.parseInt(digit, 36))

test.each(VECTORS)('the twin, with which seals are compared, computes the vector $v of FF1', (vector) => {
  const { key, radix, tweak, plain, sealed } = vector
  const twin = ff1ByTwin(Buffer.from(key, 'hex'), radix, Buffer.from(tweak, 'hex'))
  expect(twin.encrypt(digitsOf(plain))).toEqual(digitsOf(sealed))
  expect(twin.decrypt(digitsOf(sealed))).toEqual(digitsOf(plain))
})
