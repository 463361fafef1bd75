import type { Database } from '@snoflax/core'
import { quoteName, quoteText } from '@snoflax/core/adapter'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
// biome-ignore lint/style/noRestrictedImports: inside, and its cases are more than an adoption's
import { closingOf, isWord, readSql, type SqlToken, splitAtCommas } from '../src/read-sql.js'

const DIALECTS = ['postgres', 'sqlite', 'mysql', 'mariadb'] as const

const texts = (tokens: readonly SqlToken[]): string[] => tokens.map(({ text }) => text)
const kindsOf = (sql: string, dialect: Database) =>
  readSql(sql, { dialect }).map(({ kind, text }) => [kind, text])

describe('is read as one token', () => {
  const cases: readonly (readonly [SqlToken['kind'], string, ...Database[]])[] = [
    ['string', "'it''s -- /* no comment */ $1 :x'", ...DIALECTS],
    ['string', "E'a\\'b'", 'postgres'],
    ['string', "e'\\\\'", 'postgres'],
    ['string', "U&'d\\0061t'", 'postgres'],
    ['string', "x'00ff'", 'postgres', 'sqlite', 'mysql'],
    ['string', "$$ it's $1 $a$ -- $$", 'postgres'],
    ['string', '$body$ BEGIN $$ ; $$ END $body$', 'postgres'],
    ['string', '$ä$…$ä$', 'postgres'],
    ['string', "'a\\'b'", 'mysql', 'mariadb'],
    ['string', '"none"', 'mysql', 'mariadb'],
    ['string', "_utf8mb4'é'", 'mysql', 'mariadb'],
    ['string', "'does not end", ...DIALECTS],
    ['string', "'does not end, nor what its backslash escapes\\", 'mysql'],
    ['string', "E'does not end, nor what its backslash escapes\\", 'postgres'],
    ['string', '$$ does not end', 'postgres'],
    ['name', '"a ""quoted"" name"', 'postgres', 'sqlite'],
    ['name', '`a ``quoted`` name`', 'sqlite', 'mysql'],
    ['name', '[a name]', 'sqlite'],
    ['name', '"s"."t".column', 'postgres', 'sqlite'],
    ['name', 'o . *', ...DIALECTS],
    ['name', 'Zürich_$1', ...DIALECTS],
    ['number', '0x1F', ...DIALECTS],
    ['number', '1.5e-10', ...DIALECTS],
    ['number', '.5', ...DIALECTS],
    ['placeholder', '$12', 'postgres'],
    ['placeholder', '?', 'sqlite', 'mysql', 'mariadb'],
    ['placeholder', '?7', 'sqlite'],
    ['placeholder', ':id', 'sqlite'],
    ['placeholder', '@id', 'sqlite'],
    ['placeholder', '$id', 'sqlite'],
    ['operator', '::', 'postgres'],
    ['operator', '<=>', 'mysql'],
    ['operator', '?', 'postgres'],
  ]
  const flat = cases.flatMap(([kind, sql, ...dialects]) =>
    dialects.map((dialect) => ({ kind, sql, dialect })),
  )
  test.each(flat)('$dialect: $kind $sql', ({ kind, sql, dialect }) => {
    expect(kindsOf(sql, dialect)).toEqual([[kind, sql]])
  })
})

test.each<[string, ...Database[]]>([
  ['-- to the end', ...DIALECTS],
  ['/* a -- b */', ...DIALECTS],
  ['/* nested /* twice */ there */', 'postgres'],
  ['/* does not end', ...DIALECTS],
  ['# to the end', 'mysql', 'mariadb'],
])('%s is a comment, no token', (sql, ...dialects) => {
  for (const dialect of dialects) expect(readSql(sql, { dialect })).toEqual([])
})

test('block comments nest in PostgreSQL only', () => {
  expect(texts(readSql('/* a /* b */ c */ d', { dialect: 'postgres' }))).toEqual(['d'])
  expect(texts(readSql('/* a /* b */ c', { dialect: 'sqlite' }))).toEqual(['c'])
})

test('in MySQL, -- needs a blank after it, and the SQL in a /*! comment is read', () => {
  expect(texts(readSql('1--1', { dialect: 'mysql' }))).toEqual(['1', '-', '-', '1'])
  expect(texts(readSql('1 /*!50000 + 2 */ * 3', { dialect: 'mysql' }))).toEqual(['1', '+', '2', '*', '3'])
  expect(texts(readSql('5*/*c*/2', { dialect: 'mysql' }))).toEqual(['5', '*', '2'])
})

test('a comment inside a /*! comment does not end it', () => {
  expect(texts(readSql('1 /*!50000 + /* a */ 2 */ * 3', { dialect: 'mysql' }))).toEqual([
    '1',
    '+',
    '2',
    '*',
    '3',
  ])
  expect(texts(readSql('1 /*! -- */\n + 2 */', { dialect: 'mysql' }))).toEqual(['1', '+', '2'])
  expect(texts(readSql('/*! a */ 5*/*c*/2', { dialect: 'sqlite' }))).toEqual(['5', '*', '2'])
})

test('MariaDB runs comments that MySQL does not', () => {
  expect(texts(readSql('1 /*M!100100 + 2 */', { dialect: 'mariadb' }))).toEqual(['1', '+', '2'])
  expect(texts(readSql('1 /*M!100100 + 2 */', { dialect: 'mysql' }))).toEqual(['1'])
})

test('a carriage return ends a line comment in PostgreSQL only', () => {
  expect(texts(readSql('1 -- a\r, id', { dialect: 'postgres' }))).toEqual(['1', ',', 'id'])
  expect(texts(readSql('1 -- a\r, id', { dialect: 'sqlite' }))).toEqual(['1'])
})

test('an unterminated literal of escaped quotes is read in one pass', () => {
  const sql = `'${"\\'".repeat(50_000)}\\`
  expect(texts(readSql(sql, { dialect: 'mysql' }))).toEqual([sql])
})

const MANY = 2 ** 24

test.each([
  ['a string', `'${'a'.repeat(MANY)}'`],
  ['a string of quotes', `'${"''".repeat(MANY)}'`],
  ['a quoted name', `"${'a'.repeat(MANY)}"`],
  ['a name', 'a'.repeat(MANY)],
])('%s of megabytes is one token', (_, sql) => {
  for (const dialect of ['postgres', 'mysql'] as const) {
    expect(readSql(sql, { dialect })).toMatchObject([{ start: 0, end: sql.length }])
  }
})

test.each([
  ['a line comment', `--${' 𝕏'.repeat(MANY / 2)}`],
  ['a block comment', `/*${' 𝕏'.repeat(MANY / 2)}*/`],
])('%s of megabytes is no token', (_, sql) => {
  for (const dialect of ['postgres', 'mysql'] as const) expect(readSql(sql, { dialect })).toEqual([])
})

test('a backslash escapes nothing in PostgreSQL and SQLite', () => {
  for (const dialect of ['postgres', 'sqlite'] as const) {
    expect(texts(readSql("'a\\' = b", { dialect }))).toEqual(["'a\\'", '=', 'b'])
  }
})

test('a cast is not a named placeholder', () => {
  expect(kindsOf('a::text', 'sqlite')[1]).toEqual(['operator', '::'])
})

test('names are split into parts, unquoted and with their case kept', () => {
  const [path, star, word] = readSql('"My ""Table""".Id, t.*, Select', { dialect: 'postgres' }).filter(
    ({ kind }) => kind === 'name',
  )
  expect(path).toMatchObject({ parts: ['My "Table"', 'Id'], isQuoted: true })
  expect(star).toMatchObject({ parts: ['t', '*'], isQuoted: false })
  expect(isWord(word, 'SELECT')).toBe(true)
  expect(isWord(readSql('"SELECT"', { dialect: 'postgres' })[0], 'SELECT')).toBe(false)
})

test('brackets are found from inside and from the opening one', () => {
  const tokens = readSql("f(a, (b, c), ')')", { dialect: 'sqlite' })
  expect(tokens.map(({ open }) => open)).toEqual([-1, -1, 1, 1, 1, 4, 4, 4, 1, 1, 1, -1])
  expect(closingOf(tokens, 1)).toBe(11)
  expect(closingOf(tokens.slice(0, 6), 1)).toBe(6)
  expect(splitAtCommas(tokens.slice(2, 11)).map((part) => texts(part).join(''))).toEqual([
    'a',
    '(b,c)',
    "')'",
  ])
})

test('quotes are doubled inside quotes', () => {
  expect(quoteName('a"b')).toBe('"a""b"')
  expect(quoteText("a'b")).toBe("'a''b'")
})

describe('any text', () => {
  const dialect = fc.constantFrom(...DIALECTS)
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...'\' " ` [ ] $$ $a$ /* */ /*! -- # \\ ( )'.split(' '), '\n', ' '),
      fc.constantFrom(...':: :x ? $1 E x a.b . * 1 1e , ; \u{1F600} é'.split(' ')),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 30 },
  )

  test('is read in order, and tokens are parts of it', () => {
    fc.assert(
      fc.property(dialect, pieces, (dialect, given) => {
        const sql = given.join('')
        let from = 0
        for (const { start, end, text } of readSql(sql, { dialect })) {
          expect(start).toBeGreaterThanOrEqual(from)
          expect(end).toBeGreaterThan(start)
          expect(sql.slice(start, end)).toBe(text)
          if (!/--|#|\/\*|\*\//.test(sql)) expect(sql.slice(from, start).trim()).toBe('')
          from = end
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('is one token once quoted as a name or string, and a name is read back', () => {
    const notNul = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.constantFrom('postgres', 'sqlite'), notNul, (dialect, text) => {
        expect(readSql(quoteName(text), { dialect })).toMatchObject([{ kind: 'name', parts: [text] }])
        expect(readSql(quoteText(text), { dialect })).toMatchObject([{ kind: 'string' }])
      }),
    )
  })
})
