import { accepting, flax, type IdFamily, prefixed, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

const key = prefixed(flax, 'key')

describe('keys that are also ids of the family', () => {
  test.each<[name: string, family: IdFamily, accept: RegExp | IdFamily]>([
    ['base58 behind the same prefix', key, /key_[1-9A-HJ-NP-Za-km-z]{16}/],
    ['nanoid(16)', flax, /[\w-]{16}/],
    ['lower case of the same length', flax, /[a-z0-9]{16}/],
    ['hex of the same length', flax, /[0-9a-f]{16}/],
    ['upper-case hex', flax, /[0-9A-F]{16}/],
    ['digits of the same length', flax, /\d{16}/],
    ['octal digits of the same length', flax, /[0-7]{16}/],
    ['a literal beginning', flax, /usr[a-z0-9]{13}/],
    ['a literal end', flax, /[a-z0-9]{12}test/],
    ['every text', flax, /.+/],
    ['every text, behind a prefix', key, /^.+$/],
    ['every text of some lengths', sno, /[a-z0-9]{8,32}/],
    ['UUIDs of every version', uuid7, /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/],
    ['sno in flax', flax, sno],
    ['flax in sno', sno, flax],
    ['lower-case words of 26', typeid('usr'), /usr_[0-9a-z]{26}/],
  ])('%s are refused', (_, family, accept) => {
    expectRefusal(() => accepting(family, [/other/, accept]), 'INVALID_OPTION', {
      field: 'accept',
      message: expect.stringMatching(/also matches ids of the column, such as ".*\{ prefix: 'cus' \}/),
    })
  })

  test.each<[name: string, family: IdFamily, accept: RegExp | IdFamily]>([
    ['base58 behind another prefix', prefixed(flax, 'cus'), /key_[1-9A-HJ-NP-Za-km-z]{16}/],
    ['nanoid(21)', flax, /[\w-]{21}/],
    ['cuid', flax, /c[a-z0-9]{24}/],
    ['labels', flax, /user-\d+/],
    ['numbers', flax, /[1-9]\d*/],
    ['ids without the prefix', key, flax],
    ['UUIDs of version 4', uuid7, uuid7.withVersion4()],
    ['ULIDs', flax, ulid],
    ['base58 in another family', prefixed(uuid7, 'key'), /key_[1-9A-HJ-NP-Za-km-z]{16}/],
  ])('others are not: %s', (_, family, accept) => {
    expect(accepting(family, accept).name).toBe(family.name)
  })
})
