import { IdError } from '@snoflax/core'
import { type UidLocalId, uidLocal } from '@snoflax/families'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FAMILIES } from './families.js'
import { Sql } from './sql.js'

let sql: Sql
beforeEach(async () => {
  sql = await Sql.open()
})
afterEach(() => sql.close())

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('an invalid id', () => {
  test('throws an IdError with code, family, value and position, and the name of the function as its path', () => {
    const error = errorOf(() => sql.value('flax_time(?)', 'Kpcan0M1Fak DT4k'))
    expect(error).toBeInstanceOf(IdError)
    expect(error).toMatchObject({
      code: 'INVALID_CHARACTER',
      family: 'flax',
      value: 'Kpcan0M1Fak DT4k',
      position: 11,
      path: 'flax_time()',
      // An argument may come from a table, so the request need not be at fault.
      statusCode: undefined,
    })
    expect((error as Error).message).toMatch(/^flax_time\(\): flax: .*"Kpcan0M1Fak DT4k"/)
  })

  test('rolls its statement back and leaves the transaction open, as errors of SQLite do', () => {
    const { connection } = sql.database
    connection.exec('CREATE TABLE t (id BLOB); BEGIN; INSERT INTO t VALUES (flax_generate())')
    const insert = connection.prepare('INSERT INTO t SELECT flax_decode(value) FROM json_each(?)')
    expect(() => insert.run('["Kpcan0M1FakODT4k", "no id"]')).toThrow(IdError)
    expect(connection.inTransaction).toBe(true)
    connection.exec('COMMIT')
    sql.gives('count(*) FROM t', [], 1n)
  })

  test('in a row stops the creation of an index on it', () => {
    const { connection } = sql.database
    connection.exec("CREATE TABLE t (id TEXT); INSERT INTO t VALUES ('no id')")
    expect(() => connection.exec('CREATE INDEX i ON t (flax_time(id))')).toThrow(IdError)
    sql.gives("count(*) FROM sqlite_schema WHERE type = 'index'", [], 0n)
  })
})

describe('a value of another type', () => {
  test.each(FAMILIES)('is refused with the name of the function: $prefix', ({ prefix, family }) => {
    expect(errorOf(() => sql.value(`${prefix}_decode(?)`, 1.5))).toMatchObject({
      code: 'INVALID_TYPE',
      message: expect.stringMatching(`${prefix}_decode\\(\\): ${family.name}: `),
      cause: expect.objectContaining({ code: 'INVALID_TYPE' }),
    })
    sql.refuses(`${prefix}_decode(?)`, [Buffer.alloc(family.byteLength)], 'INVALID_TYPE')
    sql.refuses(`${prefix}_from_uuid8(?)`, [Buffer.alloc(16)], 'INVALID_TYPE')
    sql.gives(`${prefix}_is_valid(1.5)`, [], 0n)
  })

  test.each([
    ['flax_encode(5)', 'an id must be text or a blob, not an integer'],
    ['flax_encode(5.5)', 'an id must be text or a blob, not a REAL'],
    ["flake_from_bigint('5')", 'a number must be an INTEGER, not text'],
    ["flax_from_uuid(x'05')", 'a uuid must be text, not a blob'],
    ["flax_lower_bound(x'05')", 'Unix milliseconds, not a blob'],
  ])('is named as SQLite names its type: %s', (expression, message) => {
    expect(() => sql.value(expression)).toThrow(message)
  })
})

test('NULL in any argument returns NULL', () => {
  const { connection } = sql.database
  const functions = connection
    .prepare<[], { name: string; narg: number }>(
      `SELECT name, narg FROM pragma_function_list
        WHERE narg > 0 AND (name GLOB 'flax_*' OR name GLOB 'sno_*' OR name GLOB 'flake_*' OR name GLOB 'uid_*')`,
    )
    .all()
  expect(functions.length).toBeGreaterThan(100)
  for (const { name, narg } of functions) {
    for (let n = 0; n < narg; n++) {
      const values = Array.from({ length: narg }, (_, i) => (i === n ? 'NULL' : "'x'"))
      sql.gives(`${name}(${values.join(', ')})`, [], null)
    }
  }
})

test('a wrong number of arguments is an error of SQLite', () => {
  for (const call of ['flax_encode()', 'flax_time(1, 2)', 'flake_time(1, 2, 3)', 'sno_generate(1, 2)']) {
    expect(() => sql.value(call)).toThrow(`wrong number of arguments to function ${call.split('(')[0]}()`)
  }
})

test.each(['flake', 'uid_local'])('64 bits of %s are exact, or refused where they cannot be', (prefix) => {
  for (const number of [0n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
    sql.gives(`${prefix}_to_bigint(${prefix}_from_bigint(?))`, [number], number)
    sql.gives(`${prefix}_to_bigint(${prefix}_encode(?))`, [number], number)
    sql.gives(`${prefix}_from_bigint(${number})`, [], `\\x${number.toString(16).padStart(16, '0')}`)
  }
  const large = Buffer.from('8000000000000000', 'hex')
  sql.refuses(`${prefix}_to_bigint(?)`, [large], 'FIELD_OUT_OF_RANGE')
  sql.gives(`typeof(${prefix}_encode(?))`, [large], 'text')
  sql.refuses(`${prefix}_encode(?)`, [-1n], 'FIELD_OUT_OF_RANGE')
  sql.refuses(`${prefix}_encode(?)`, [2 ** 53], 'FIELD_OUT_OF_RANGE')
  sql.gives(`${prefix}_encode(?) = ${prefix}_encode(${2 ** 53 - 1})`, [2 ** 53 - 1], 1n)
  sql.refuses(`${prefix}_from_bigint(?)`, [1.5], 'FIELD_OUT_OF_RANGE')
})

test('numbers that are no ids are integers', () => {
  for (const call of [
    "sno_meta('brpk4q72xwf2m63l')",
    "uid_fingerprint('a@b')",
    "flax_time_ms('Kpcan0M1FakODT4k')",
  ])
    sql.gives(`typeof(${call})`, [], 'integer')
})

test('a text of digits is read as the text of an id, not as its number', () => {
  sql.gives("uid_local_time_ms('12345678903')", [], BigInt(uidLocal.timeMs('12345678903' as UidLocalId)))
  const bytes = uidLocal.decode('12345678903')
  sql.gives("uid_local_to_bigint('12345678903')", [], Buffer.from(bytes).readBigInt64BE())
  sql.gives("uid_local_encode(uid_local_from_uuid8(uid_local_to_uuid8('12345678903')))", [], '12345678903')
})

describe('fields', () => {
  const random = '"random": "\\\\x7680cb8bb9bdc1"'
  test.each([
    ['no JSON', 'time_ms=5', 'INVALID_OPTION'],
    ['a list', '[1, 2]', 'INVALID_OPTION'],
    ['null', 'null', 'INVALID_OPTION'],
    ['a blob', Buffer.from('{}'), 'INVALID_OPTION'],
    ['an unknown field', `{"time_ms": 1444939825807, ${random}, "node": 1}`, 'INVALID_OPTION'],
    ["TypeScript's name", `{"timeMs": 1444939825807, ${random}}`, 'INVALID_OPTION'],
    ['a missing field', '{"time_ms": 1444939825807}', 'INVALID_TYPE'],
    ['bytes without \\x', '{"time_ms": 1444939825807, "random": "7680cb8bb9bdc1"}', 'INVALID_TYPE'],
    ['half a byte', '{"time_ms": 1444939825807, "random": "\\\\x7680cb8bb9bdc"}', 'INVALID_TYPE'],
    ['a byte less', '{"time_ms": 1444939825807, "random": "\\\\x7680cb8bb9bd"}', 'INVALID_LENGTH'],
    ['a text for a number', `{"time_ms": "1444939825807", ${random}}`, 'INVALID_TYPE'],
  ])('%s is refused', (_, json, code) => {
    sql.refuses('flax_pack(?)', [json], code)
  })

  test('and other long texts are truncated in the message', () => {
    for (const call of ['flax_pack(?)', 'flax_lower_bound(?)', 'flax_from_uuid(?)', 'flax_decode(?)']) {
      const error = errorOf(() => sql.value(call, 'x'.repeat(100_000))) as Error
      expect(error.message).toContain('xxx…"')
      expect(error.message.length).toBeLessThan(250)
    }
  })

  test("can be read and changed with SQLite's JSON functions", () => {
    sql.gives("flax_unpack('0RdKJcxqVBiAiQr0') ->> 'time_ms'", [], 1444939825807n)
    sql.gives("unhex(substr(flax_unpack('0RdKJcxqVBiAiQr0') ->> 'random', 3))", [], '\\x7680cb8bb9bdc1')
    sql.gives(
      "flax_encode(flax_pack(json_set(flax_unpack('0RdKJcxqVBiAiQr0'), '$.time_ms', 1444939825808)))",
      [],
      '0RdKJd0qVBiAiQr0',
    )
  })
})

test('nodes of uid can be names or numbers', () => {
  const local = sql.value('uid_local_decode(?)', '.5.tXbhdV.3')
  sql.gives("uid_fingerprint('a@b')", [], 25954n)
  sql.refuses("uid_fingerprint('')", [], 'INVALID_OPTION')
  const named = sql.outcome("uid_from_local(?, 'a@b')", local)
  sql.gives('uid_unpack(uid_from_local(?, ?)) ->> ?', [local, 'a@b', 'node'], 25954n)
  sql.gives('uid_from_local(?, 25954)', [local], named)
  sql.gives('uid_from_local(?, ?)', [local, 25954], named)
  sql.refuses("uid_from_local(?, '')", [local], 'INVALID_OPTION')
  sql.refuses('uid_from_local(?, -1)', [local], 'FIELD_OUT_OF_RANGE')
  sql.refuses('uid_from_local(?, 1, 11)', [local], 'FIELD_OUT_OF_RANGE')
  sql.refuses("uid_to_local(uid_from_local(?, 'a@b'), 'b@a')", [local], 'NODE_MISMATCH')
  sql.refuses('uid_force_local(?)', [local], 'INVALID_LENGTH')
  sql.gives("uid_to_local(uid_from_local(?, 'a@b', 5), 'a@b', 5) = ?", [local, local], 1n)
  sql.gives("uid_force_local(uid_from_local(?, 'b@a', 10), 10) = ?", [local, local], 1n)
})
