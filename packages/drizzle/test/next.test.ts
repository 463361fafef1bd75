import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

// What the built package does with the release candidate of Drizzle 1.0, which it does not claim to support yet.
// The move needs two changes, both in hooks: values beside a column are encoded in SQL.buildQueryFromSourceParams,
// whose work 1.0 does in collectSQL; and nested rows go through buildRqbColumn, which asks columns of its own types
// only for their form in JSON. Arrays are then dimensions of the column itself.

const at = (file: string) => fileURLToPath(new URL(`next/${file}`, import.meta.url))

let seen: Record<string, Record<string, string>>
beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    at('register.js'),
    at('program.js'),
  ])
  seen = JSON.parse(stdout)
})

const WORKS = {
  'eq()': 'works',
  'inArray()': 'works',
  'createdBetween()': 'works',
  'keyset()': 'works',
  'placeholder(column)': 'works',
  'query.findMany()': 'works',
  'a malformed id': expect.stringMatching(/^IdError: customers\.id: flax: an id has 16 characters/),
}

describe('Drizzle 1.0 rc', () => {
  test('text in SQLite works in full', () => {
    expect(seen['SQLite, text']).toEqual({
      ...WORKS,
      'sql.placeholder()': 'works',
      'a value in a template': 'works',
      'nested rows': 'works',
    })
  })

  test('uuid and binary in PostgreSQL lack what encodes bare values, and fail loudly there', () => {
    for (const storage of ['uuid', 'binary']) {
      expect(seen[`PostgreSQL, ${storage}`]).toEqual({
        ...WORKS,
        'nested rows': 'works',
        'sql.placeholder()': expect.stringContaining(storage === 'uuid' ? 'type uuid' : 'bytea'),
        'a value in a template': expect.stringContaining(storage === 'uuid' ? 'type uuid' : 'bytea'),
      })
    }
  })

  test('binary in SQLite lacks both hooks', () => {
    expect(seen['SQLite, binary']).toEqual({
      ...WORKS,
      'sql.placeholder()': 'finds nothing',
      'a value in a template': 'finds nothing',
      'nested rows': expect.stringContaining('JSON cannot hold BLOB values'),
    })
  })
})
