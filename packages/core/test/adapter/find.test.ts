import { accepting, flax, prefixed, sno, ulid, uuid7 } from '@snoflax/core'
import { findRow, keysOf } from '@snoflax/core/adapter'
import { twitter } from '@snoflax/families'
import { describe, expect, test } from 'vitest'

const key = <Family>(model: string, family: Family) => ({ model, column: 'id', family })
const keys = [
  key('customers', prefixed(flax, 'cus')),
  key('profiles', prefixed(flax, 'cus')),
  key('orders', prefixed(sno, 'ord')),
  key('lines', prefixed(sno, 'ord_line')),
  key('tweets', prefixed(twitter, 'tweet')),
  key('notes', flax),
  key('files', ulid),
  key('users', accepting(prefixed(flax, 'usr'), /[a-z0-9]{24}/)),
]

/** The models whose rows are read. */
async function models(id: unknown, from = keys): Promise<string[]> {
  const read: string[] = []
  await findRow(from, id, async ({ model }) => {
    read.push(model)
    return []
  })
  return read
}

describe('the columns that can contain an id', () => {
  test.each([
    ['cus_Kpcan0M1FakODT4k', ['customers', 'profiles']],
    ['ord_brpk4q72xwf2m63l', ['orders']],
    ['ord_line_brpk4q72xwf2m63l', ['lines']],
    ['usr_Kpcan0M1FakODT4k', ['users']],
    ['tz4a98xxat96iws9zmbrgj3a', ['users']],
    ['Kpcan0M1FakODT4k', ['notes']],
    ['01KAMFKV2D7MRSGKMP8CTEA5BG', ['files']],
    ['tweet_1234567890', ['tweets']],
    ['inv_Kpcan0M1FakODT4k', []],
    ['customer0_Kpcan0M1FakODT4k', []],
    ['0190163d-8694-739b-aea5-966c26f8ad91', []],
    ['anna.lee@example.co.uk', []],
    ['', []],
  ])('%j: %j', async (id, expected) => {
    expect(await models(id)).toEqual(expected)
  })

  test.each([
    ['cus_Kpcan0M1FakODT4', 'INVALID_LENGTH', 'cus'],
    ['cus_', 'INVALID_LENGTH', 'cus'],
    ['ord_line_brpk', 'INVALID_LENGTH', 'ord_line'],
    ['usr_Kpcan0M1FakODT4!', 'INVALID_CHARACTER', 'usr'],
    ['Kpcan0M1FakODT4', 'INVALID_LENGTH', 'flax'],
    ['01KAMFKV2D7MRSGKMP8CTEA5B!', 'INVALID_CHARACTER', 'ulid'],
    [' 01KAMFKV2D7MRSGKMP8CTEA5BG', 'INVALID_LENGTH', 'ulid'],
  ] as const)('%j is malformed', async (id, code, family) => {
    await expect(models(id)).rejects.toMatchObject({ code, family, value: id })
  })

  test('says what kind of UUID is expected', async () => {
    const found = models('f47ac10b-58cc-4372-a567-0e02b2c3d479', [key('a', uuid7)] as never)
    await expect(found).rejects.toMatchObject({ code: 'NOT_CANONICAL' })
  })

  test.each([
    ['12345', ['likes']],
    ['abc', []],
  ])('of ids of any length: %j', async (id, expected) => {
    expect(await models(id, [key('likes', twitter)] as never)).toEqual(expected)
  })

  test.each([5, null, undefined, {}])('refuses %j', async (id) => {
    await expect(models(id)).rejects.toMatchObject({ code: 'INVALID_TYPE', value: id })
  })
})

test('the keys of a schema are read once', () => {
  const schema = {}
  expect(keysOf(schema, () => keys)).toBe(keys)
  expect(keysOf(schema, () => [])).toBe(keys)
  expect(keysOf({}, () => [])).toEqual([])
})

describe('the row of an id', () => {
  const look = async ({ model }: { model: string }) => (model === 'orders' ? [] : [{ of: model }])

  test('is found in each table that shares the key', async () => {
    expect(await findRow(keys, 'cus_Kpcan0M1FakODT4k', look)).toEqual({
      model: 'customers',
      column: 'id',
      row: { of: 'customers' },
      also: [{ model: 'profiles', column: 'id', row: { of: 'profiles' } }],
      hasMore: false,
    })
  })

  test('is looked up where the count says that it is; one table is looked up at once', async () => {
    const tables = Array.from({ length: 250 }, (_, at) => key(`t${at}`, uuid7))
    const asked: number[] = []
    const looked: string[] = []
    const find = (among: typeof tables, counts: Readonly<Record<string, unknown>>) =>
      findRow(
        among,
        uuid7.generate(),
        async ({ model }) => {
          looked.push(model)
          return model === 't7' ? [] : [{}]
        },
        async (several) => {
          asked.push(several.length)
          return several.map(({ model }) => counts[model] ?? '0')
        },
      )
    const found = await find(tables, { t3: 1, t7: 1n, t100: '1', t249: true })
    expect([found?.model, found?.also.map(({ model }) => model)]).toEqual(['t3', ['t100', 't249']])
    expect([asked.splice(0), looked.splice(0)]).toEqual([
      [100, 100, 50],
      ['t3', 't7', 't100', 't249'],
    ])
    expect(await find(tables.slice(0, 2), {})).toBeNull()
    expect([asked.splice(0), looked.splice(0)]).toEqual([[2], []])
    expect(await find(tables.slice(0, 1), {})).toMatchObject({ model: 't0' })
    expect([asked, looked]).toEqual([[], ['t0']])
  })

  test.each([
    [1, 0, false],
    [2, 1, false],
    [11, 10, false],
    [12, 10, true],
    [500, 10, true],
  ])('of %i rows, also lists %i', async (rows, also, hasMore) => {
    const all = Array.from({ length: rows }, (_, at) => at)
    const limits: number[] = []
    const found = await findRow(keys, 'ord_brpk4q72xwf2m63l', async (_, limit: number) => {
      limits.push(limit)
      return all.slice(0, limit)
    })
    expect(found).toMatchObject({ model: 'orders', row: 0, hasMore })
    expect(found?.also.map(({ row }) => row)).toEqual(all.slice(1, also + 1))
    expect(limits).toEqual([12])
  })

  test('of several tables, ten further rows are listed', async () => {
    const read = async (rows: number, limit: number) => Array.from({ length: Math.min(rows, limit) }, () => 0)
    const found = (...counts: number[]) =>
      findRow(keys.slice(0, 2), 'cus_Kpcan0M1FakODT4k', ({ model }, limit: number) =>
        read(counts[model === 'customers' ? 0 : 1] ?? 0, limit),
      )
    expect(await found(6, 5)).toMatchObject({ also: { length: 10 }, hasMore: false })
    expect(await found(6, 6)).toMatchObject({ also: { length: 10 }, hasMore: true })
    expect(await found(0, 1)).toMatchObject({ model: 'profiles', also: [], hasMore: false })
  })

  test('is null if no row has the id, and if no table can have it', async () => {
    expect(await findRow(keys, 'ord_brpk4q72xwf2m63l', look)).toBe(null)
    expect(await findRow(keys, 'inv_Kpcan0M1FakODT4k', look)).toBe(null)
  })

  test('rejects for a malformed id', async () => {
    await expect(findRow(keys, 'cus_Kpcan', look)).rejects.toMatchObject({
      code: 'INVALID_LENGTH',
      statusCode: 400,
    })
  })
})
