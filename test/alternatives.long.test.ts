import { readFileSync } from 'node:fs'
import { createId } from '@paralleldrive/cuid2'
import { flax, prefixed, typeid, ulid, uuid7 } from '@snoflax/core'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { nanoid } from 'nanoid'
import { expect, test } from 'vitest'
import { pglite } from './databases.js'

const IDS = 4000
const FROM_MS = Date.UTC(2026, 0)
const TEN_YEARS_MS = Date.UTC(2036, 0) - FROM_MS

/** Ids of all times of ten years, since those of one hour have the same beginning. */
const ofTenYears = (family: { generateAt(time: number): string }) => (_: unknown, index: number) =>
  family.generateAt(FROM_MS + (TEN_YEARS_MS / IDS) * index)

const GENERATE = [
  ofTenYears(prefixed(flax, 'cus')),
  ofTenYears(uuid7),
  ofTenYears(typeid('user')),
  ofTenYears(ulid),
  createId,
  () => nanoid(),
]

const page = readFileSync(new URL('../docs/alternatives.md', import.meta.url), 'utf8')

function figuresOf(row: RegExp): number[] {
  const [, cells = ''] = row.exec(page) ?? []
  return cells.split('|').map(Number)
}

test('docs/alternatives.md says how many tokens of o200k an id takes', () => {
  const encoding = new Tiktoken(o200k)
  const counted = GENERATE.map((generate) => {
    const ids = Array.from({ length: IDS }, generate)
    return ids.reduce((sum, id) => sum + encoding.encode(id).length, 0) / IDS
  })
  const shown = figuresOf(/^\| tokens [^|]*\|(.*)\|$/m)
  console.info(counted.map((tokens) => tokens.toFixed(1)).join(' | '))
  expect(shown).toHaveLength(counted.length)
  counted.forEach((tokens, index) => {
    expect(Math.abs(tokens - (shown[index] as number)), `column ${index}: ${tokens}`).toBeLessThan(0.3)
  })
})

test('docs/alternatives.md says what a prefix costs in PostgreSQL, for each row of the index', async () => {
  const database = await pglite.open()
  const bytesOf = async (cast: 'text' | 'uuid', type: string, ids: readonly string[]) => {
    await database.query(`CREATE TABLE measured (id ${type} PRIMARY KEY)`)
    const values = 'SELECT value FROM json_array_elements_text($1::json)'
    await database.query(`INSERT INTO measured SELECT value::${cast} FROM (${values}) AS generated`, [
      JSON.stringify(ids),
    ])
    const [row] = await database.query("SELECT pg_relation_size('measured_pkey')::int AS bytes")
    await database.query('DROP TABLE measured')
    return Math.round(Number(row?.['bytes']) / ids.length)
  }
  const idsOf = (family: { generateAt(time: number): string }) =>
    Array.from({ length: 20_000 }, (_, index) => family.generateAt(FROM_MS + index))
  const counted: number[] = []
  for (const length of [3, 4, 7, 8, 13]) {
    const ids = idsOf(prefixed(flax, 'a'.repeat(length - 1)))
    counted.push(await bytesOf('text', 'text COLLATE "C"', ids))
  }
  counted.push(await bytesOf('uuid', 'uuid', idsOf(uuid7)))
  await database.close()
  expect(figuresOf(/^\| bytes \|(.*)\|$/m)).toEqual(counted)
})
