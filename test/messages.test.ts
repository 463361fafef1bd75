import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allMessages, messagesIn, raisedIn, refusingIn } from './messages.js'
import { at } from './workspace.js'

const shown = allMessages()

test('messages are found in errors, in refusals, and in constants that these use', () => {
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

interface Message {
  readonly file: string
  readonly text: string
}

/** What a reader sees of each message: no SQL of ours, no code that fills gaps. */
function readable(): Message[] {
  return shown
    .split('\n\n')
    .flatMap((chapter) => {
      const [file = '', ...lines] = chapter.split('\n')
      return lines.map((line) => ({ file, text: withoutCode(line) }))
    })
    .filter(
      ({ file, text }) =>
        file !== 'packages/core/src/adapter/mysql-default.ts' && !/SELECT \w|CREATE /.test(text),
    )
}

const withoutCode = (line: string) => {
  let text = line
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/\$\{[^{}]*\}/g, '…')
  }
  return /^ *RAISE /.test(text) ? (text.match(/'(?:[^']|'')*'/g) ?? []).join(' ') : text
}

const tables = readFileSync(at('docs/words.md'), 'utf8')
  .split('\n\n')
  .filter((part) => part.startsWith('| word'))
const cells = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
const [terms = [], ambiguous = []] = tables.map(cells)

const listed = (cell = '') => cell.split(', ').filter((word) => word !== '')
const uses = (word: string, { text }: Message) => new RegExp(`(?<![\\w.-])${word}(?![\\w-])`, 'i').test(text)

const messages = readable()

test('each word has one meaning: no term is listed twice or refused elsewhere', () => {
  const words = terms.flatMap(([word]) => listed(word))
  expect(words).toEqual([...new Set(words)])
  const refused = terms.flatMap(([, , not]) => listed(not))
  expect(words.filter((word) => refused.includes(word))).toEqual([])
  expect(refused.length).toBeGreaterThan(10)
})

test.each(terms.filter(([, , not]) => not !== ''))('messages use %s', (_, __, not) => {
  const found = listed(not).flatMap((word) => messages.filter((message) => uses(word, message)))
  expect(found).toEqual([])
})

/** The phrases of messages in which a word of the second table stands. Each must mean what the page says. */
const PHRASES: Readonly<Record<string, readonly RegExp[]>> = {
  key: [
    /(foreign|primary|old|new|other|accepted) keys?|its keys|keys are|as its key|set the key|key order|a key of a later time|the keys? of|\{ key \}|createdAt\.key|a key of (type|storage)|the key by hand|compare its key|needs keys of storage|of the same key does/,
    /keys\[|\{ keys: … \}|a key must have 32 bytes|replace the keys|must have at least one key|seal-keys|etcd has no key/,
  ],
  migration: [/(by|in|into) a migration|mark this migration/],
  partition: [
    /sno|--partition|'a partition'|default partitions|partition,? (worker|or worker)|partition or|pass partition|snapshot/,
    /partitioned/,
  ],
}

test('the phrases below are those of the words in the second table', () => {
  const words = ambiguous.map(([word]) => word)
  expect(words).toEqual(Object.keys(PHRASES))
})

test.each(Object.entries(PHRASES))(
  'every use of %s in a message is one of the known phrases',
  (word, phrases) => {
    const stray = messages.filter(
      (message) =>
        new RegExp(`\\b${word}s?\\b`).test(message.text) &&
        !phrases.some((phrase) => phrase.test(message.text)),
    )
    expect(stray).toEqual([])
  },
)
