import { accepting, flake, flax, type IdFamily, prefixed, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { twitter } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

const key = prefixed(flax, 'key')
/** Flag v, which the compiler knows in newer targets only. */
const SETS = 'v'

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
    ['labels of every length', flax, /user-\d+/],
    ['numbers of every length', flax, /[1-9]\d*/],
    ['numbers of 15 to 19 digits', flax, /\d{15,19}/],
    ['numbers of another epoch', flax, flake.withEpoch(Date.UTC(2026, 10, 1))],
    ['snowflakes', flax, twitter],
    ['snowflakes behind the same prefix', key, prefixed(twitter, 'key')],
    ['numbers behind the same prefix', key, /key_\d+/],
    ['one id alone', flax, /Kpcan0M1FakODT4k/],
    ['one character of many', flax, /[a-z]{15}[!-0]/],
    ['an alternative', flax, /c[a-z0-9]{24}|x\w{3}(?:y|z{2}){6}/],
    ['nested counts', flax, /(?:(?:ab){2}|c){4}/],
    ['another case', flax, /[À-Ÿa-z]{16}/i],
    ['escapes', flax, /\x41(?:\u0062|\d){15}/],
    ['sets of flag v', flax, new RegExp('[[a-z]--[aeiou]]{16}', SETS)],
    ['classes of flag u', flax, /\p{Lu}{8}\p{N}{8}/u],
    ['lookarounds', flax, /(?=.*\d)(?!cus_)[a-z\d]{16}/],
    ['words', flax, /\b\w{8}-\b\w{7}/],
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
    ['labels', flax, /user-\d{1,9}/],
    ['numbers', flax, /[1-9]\d{0,14}/],
    ['numbers beside a prefix', key, /[1-9]\d*/],
    ['snowflakes beside a prefix', key, twitter],
    ['numbers in an alphabet without 0', sno, /\d+0/],
    ['every length but one', flax, /\d{1,15}|\d{17,}/],
    ['lookarounds that exclude ids', key, /(?!key_)\w{20}/],
    ['letters outside ASCII', flax, /[а-я]{16}/],
    ['one character of a foreign set', flax, /[a-z]{15}[^\w-]/],
    ['ids without the prefix', key, flax],
    ['UUIDs of version 4', uuid7, uuid7.withVersion4()],
    ['ULIDs', flax, ulid],
    ['base58 in another family', prefixed(uuid7, 'key'), /key_[1-9A-HJ-NP-Za-km-z]{16}/],
  ])('others are not: %s', (_, family, accept) => {
    expect(accepting(family, accept).name).toBe(family.name)
  })
})

describe('a pattern that can take exponential time', () => {
  test.each([
    [/^(a+)+$/],
    [/(a*)*/],
    [/(?:[a-z]+-?)+/],
    [/(?:\w|\d)+/],
    [/(?:a|aa)+/],
    [/(?:ab|a|b)*c/],
    [/(?:\w+\s?){2,}/],
    [/key_(?:x+x+)+y/i],
  ])('is refused: %s', (pattern) => {
    expectRefusal(() => accepting(prefixed(flax, 'cus'), pattern), 'INVALID_OPTION', {
      field: 'accept',
      message: expect.stringMatching(/a loop can repeat the same text in two ways|empty text/),
    })
  })

  test.each([
    [/[a-z0-9]+(?:-[a-z0-9]+)*/],
    [/(?:[a-z]+-)+[a-z]+/],
    [/(?:a|b)+/],
    [/(?:(?:a|b)*c)+/],
    [/(?:a(?:bc?)?)+/],
    [/(?:a?b)+/],
    [/[a-z]+[a-z0-9]*/],
    [/(?:[A-Z][a-z]+ ?){1,5}/],
    [/x(?:(?!--)[\s\S])+/],
  ])('others are not: %s', (pattern) => {
    expect(accepting(prefixed(flax, 'cus'), pattern).name).toBe('cus')
    // Long, and refused at its end.
    expect(pattern.test(`${'ab1-'.repeat(50)}\0`)).toBeTypeOf('boolean')
  })
})
