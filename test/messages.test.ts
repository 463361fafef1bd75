import { expect, test } from 'vitest'
import { allMessages, messagesIn, raisedIn, refusingIn } from './messages.js'

test('every message of every package is approved', async () => {
  // Read the difference as a text, then `npx vitest run test/messages.test.ts -u`.
  await expect(allMessages()).toMatchFileSnapshot('messages.txt')
})

test('messages are found where errors are made, where functions refuse, and in what these name', () => {
  const source = `
    const RULE = 'is a whole number'
    const reason = (n: number) => (n ? 'too many by far' : \`\${n} is too few\`)
    function refuse(what: string): never { throw new RangeError(\`no \${what} here\`) }
    const outOf = () => new IdError('INVALID_LENGTH', 'of another length')
    if (a) refuse('such thing')
    if (b) throw new TypeError(RULE + reason(2))
    const other = 'not in any error'
  `
  const refusing = new Set(refusingIn('a.ts', source))
  expect([...refusing]).toEqual(['refuse'])
  expect(messagesIn('a.ts', source, refusing)).toEqual([
    "'is a whole number'",
    "'too many by far'",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '`${n} is too few`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '`no ${what} here`',
    "'of another length'",
    "'such thing'",
  ])
  expect(raisedIn("x; RAISE EXCEPTION 'no %',\n  id USING ERRCODE = '22023';")).toEqual([
    "RAISE EXCEPTION 'no %', id USING ERRCODE = '22023';",
  ])
})
