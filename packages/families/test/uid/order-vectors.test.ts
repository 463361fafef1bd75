import { uid, uidLocal } from '@snoflax/families'
import { expect } from 'vitest'
import { bytesOf, hexOf } from '../../../core/test/bytes.js'
import { checkVectors } from '../../../core/test/check-vectors.js'
import { globalFields, type NativeUid } from '../../../core/test/uid-natives.js'

interface Sorted {
  readonly input: string[]
  readonly sorted: string[]
  readonly sortedText: string[]
}

checkVectors('uidOrder', {
  sortLocal({ input, sorted, sortedText }: Sorted) {
    const ids = input.map((hex) => uidLocal.encode(bytesOf(hex)))
    expect([...ids].sort(uidLocal.compare)).toEqual(sortedText)
    expect([...ids].sort()).toEqual(sortedText)
    expect(sortedText.map((text) => hexOf(uidLocal.decode(text)))).toEqual(sorted)
  },
  sortGlobal({ I, input, sorted, sortedText, sortedUids }: Sorted & { I: number; sortedUids: NativeUid[] }) {
    const family = uid.withNeighbourhood(I)
    const ids = input.map((hex) => family.encode(bytesOf(hex)))
    expect([...ids].sort(family.compare)).toEqual(sortedText)
    expect([...ids].sort()).toEqual(sortedText)
    expect(sortedText.map((text) => hexOf(family.decode(text)))).toEqual(sorted)
    expect(sortedText.map((text) => family.unpack(family.parse(text)))).toEqual(sortedUids.map(globalFields))
  },
  sortTerms: () => expect.fail('every one of these is a quirk'),
})
