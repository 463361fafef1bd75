// adopt's reader of SQL: it reads whatever comes, loses nothing but comments, and takes time in proportion to the length.
const assert = require('node:assert')
const { readFileSync } = require('node:fs')
const Module = require('node:module')

// adopt doesn't export it. What the fuzzer instruments it compiles, too.
const path = require.resolve('../tools/adopt/src/read-sql.ts')
const reader = /** @type {any} */ (new Module(path))
reader._compile(readFileSync(path, 'utf8'), path)
/** @type {typeof import('../tools/adopt/src/read-sql.js')} */
const { closingOf, readSql, splitAtCommas } = reader.exports

const LONG = 1 << 15
/** Blanks, then comments if anything. */
const SKIPPED = /^\s*(?:$|--|#|\/\*|\*\/)/

exports.fuzz = (/** @type {Buffer} */ data) => {
  const text = data.toString()
  for (const dialect of ['postgres', 'sqlite', 'mysql', 'mariadb']) {
    const tokens = readSql(text, { dialect })
    let at = 0
    for (const [i, token] of tokens.entries()) {
      assert.match(text.slice(at, token.start), SKIPPED)
      assert.equal(text.slice(token.start, token.end), token.text)
      assert.ok(token.end > token.start && token.open < i)
      if (token.text === '(') closingOf(tokens, i)
      at = token.end
    }
    assert.match(text.slice(at), SKIPPED)
    splitAtCommas(tokens)
  }
}

/** What grows by the cube of its length takes longer than the fuzzer waits. */
exports.repeated = (/** @type {Buffer} */ data) => {
  const text = data.toString()
  const long = text.repeat(LONG / Math.max(text.length, 1))
  for (const dialect of ['postgres', 'sqlite', 'mysql', 'mariadb']) {
    readSql(long, { dialect })
  }
}

exports.words = [
  ...[
    "'",
    '"',
    '`',
    '$t$',
    '$$',
    '/*',
    '*/',
    '/*!',
    '/*M!',
    '--',
    '#',
    '\\',
    '\n',
    '(',
    ')',
    ',',
    ';',
    '?',
    '$1',
    ':id',
    '::',
  ],
  ...[
    ' = ',
    ' in ',
    ' between ',
    ' and ',
    ' or ',
    ' not ',
    ' case when ',
    ' then ',
    ' else ',
    ' end ',
    ' is null',
    ' like ',
  ],
  ...[
    ' escape ',
    ' any(',
    ' array[',
    ']',
    ' row(',
    ' coalesce(',
    ' cast(',
    ' as ',
    ' select ',
    ' union ',
    "E'",
    "U&'",
    "_utf8mb4'",
    '1e9',
  ],
  ...[' from ', ' join ', ' with ', ' using ', ' into ', ' update ', ' recursive ', ' unnest('],
]
