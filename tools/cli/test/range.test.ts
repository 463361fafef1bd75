import { flax } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { mysql, postgres, sqlite } from '@snoflax/test'
import { expect, test } from 'vitest'
import { bin, cli, json } from './running.js'

interface Ranged {
  readonly family: string
  readonly from: string
  readonly to: string
  readonly exact: boolean
  readonly ids: { gte: string; lt: string }
  readonly bounds: readonly { dialect: string; storage: string; gte: string; lt: string; sql: string }[]
}

const SPAN = ['--from', '2026-11-01', '--to', '2026-12-01T00:00:00+00:00']
const ranged = async (...argv: string[]): Promise<Ranged> => json(await cli(['range', '--json', ...argv]))

test('bounds are printed for every storage and dialect', async () => {
  const found = await ranged(...SPAN)
  expect(found).toMatchObject({
    family: 'flax',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-12-01T00:00:00.000Z',
    exact: true,
    ids: flax.range(Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)),
  })
  expect(found.bounds.map(({ dialect, storage }) => `${dialect} ${storage}`)).toEqual([
    'postgres text',
    'postgres uuid',
    'postgres binary',
    'postgres uuid8',
    'sqlite text',
    'sqlite binary',
    'mysql text',
    'mysql binary',
  ])
})

// Each is pasted as it is, over the ids on either side of both bounds.
test.each([
  ['flax', 'text', 'text COLLATE "C"'],
  ['flax', 'uuid', 'uuid'],
  ['flax', 'binary', 'bytea'],
  ['sno', 'uuid8', 'uuid'],
  ['flake', 'bigint', 'bigint'],
])(
  'PostgreSQL, %s as %s: the printed condition selects exactly the ids in the range',
  async (family, storage, type) => {
    const database = await postgres.open()
    const moments = ['2026-10-31T23:59:59.996Z', '2026-11-01', '2026-11-30T23:59:59.996Z', '2026-12-01']
    await database.query(`CREATE TABLE a (n integer, "The Id" ${type})`)
    for (const [n, at] of moments.entries()) {
      const options = family === 'flake' ? ['--worker', '1'] : []
      const [value] = json<string[]>(
        await cli(['generate', family, '--at', at, '--to', storage, '--json', ...options]),
      )
      await database.query('INSERT INTO a VALUES ($1, $2)', [n, value])
    }
    const argv = [family, ...SPAN, '--column', '"The Id"', '--dialect', 'postgres', '--storage', storage]
    const { out } = await bin(['range', ...argv])
    expect(await database.query(`SELECT n FROM a WHERE ${out} ORDER BY n`)).toEqual([{ n: 1 }, { n: 2 }])
    await database.close()
  },
)

test.each([sqlite, mysql].filter((kind) => kind.selected()))(
  '$name: the printed conditions select exactly the ids in the range',
  async (kind) => {
    const database = await kind.open()
    const binary = kind === mysql ? 'BINARY(12)' : 'BLOB'
    await database.query(`CREATE TABLE a (n INTEGER, t VARCHAR(16), b ${binary})`)
    for (const [n, at] of [Date.UTC(2026, 9, 31), Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)].entries()) {
      const id = flax.generateAt(at)
      await database.query('INSERT INTO a VALUES (?, ?, ?)', [n, id, Buffer.from(flax.decode(id))])
    }
    for (const [column, storage] of [
      ['t', 'text'],
      ['b', 'binary'],
    ] as const) {
      const { out } = await cli([
        'range',
        ...SPAN,
        '--column',
        column,
        '--dialect',
        kind.name,
        '--storage',
        storage,
      ])
      expect(await database.query(`SELECT n FROM a WHERE ${out}`)).toEqual([{ n: 1 }])
    }
    await database.close()
  },
)

test('times are arguments, too, and the family may be left out', async () => {
  const { ids } = await ranged(...SPAN)
  expect((await ranged('flax', '2026-11-01', '2026-12-01')).ids).toEqual(ids)
  expect((await ranged('2026-11-01', '2026-12-01')).ids).toEqual(ids)
  expect(await ranged('flax', '2026-11-01')).toMatchObject({ to: '2026-11-02T00:00:00.000Z' })
  expect(await ranged('sno', '2026-11-01', '--to', '2026-12-01')).toMatchObject({
    family: 'sno',
    to: '2026-12-01T00:00:00.000Z',
  })
})

test('days and ages are times: yesterday is a whole day, -7d goes until now', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const day = await ranged('flax', 'yesterday')
  // The day may have ended since.
  expect(Date.parse(day.to) - Date.parse(day.from)).toBe(86_400_000)
  expect(Date.parse(day.to)).toBeGreaterThanOrEqual(Date.parse(today))
  for (const argv of [
    ['-7d'],
    ['flax', '-7d', 'now'],
    ['--from', '-7d', '--to', 'now'],
    ['-168h'],
    ['-1w'],
  ]) {
    const { from, to } = await ranged(...argv)
    const ms = Date.parse(to) - Date.parse(from) - 7 * 86_400_000
    expect([argv, ms >= 0 && ms < 60_000]).toEqual([argv, true])
  }
})

test('the text output', async () => {
  const { out, err } = await cli([
    'range',
    'flake',
    '--from',
    '2040-01-01',
    '--to',
    '2041-01-01',
    '--column',
    'o.id',
  ])
  expect(err).toBe('')
  // 2^63 and above has no place in a signed bigint.
  expect(out.split('\n')).toEqual([
    'PostgreSQL',
    "  binary  o.id >= '\\x80947f8900000000' AND o.id < '\\x826bb56b00000000'",
    "  uuid8   o.id >= '80947f89-0000-8000-8000-000000000003' AND o.id < '826bb56b-0000-8000-8000-000000000003'",
    'SQLite',
    "  binary  o.id >= X'80947f8900000000' AND o.id < X'826bb56b00000000'",
    'MySQL, MariaDB',
    '  bigint  o.id >= 9265170559795200000 AND o.id < 9397804518604800000',
    "  binary  o.id >= X'80947f8900000000' AND o.id < X'826bb56b00000000'",
    '',
  ])
})

test('uid selects whole windows, and the output says how to recheck', async () => {
  const found = await ranged('uid', ...SPAN, '--neighbourhood', '10')
  expect(found).toMatchObject({
    exact: false,
    ids: uid.withNeighbourhood(10).range(Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)),
  })
  const { err } = await cli(['range', 'uid', ...SPAN])
  expect(err).toBe(
    "uid ranges select whole windows; recheck: snoflax.uid_time(id) >= '2026-11-01T00:00:00.000Z' AND " +
      "snoflax.uid_time(id) < '2026-12-01T00:00:00.000Z'\n",
  )
})

test.each([
  ['2026', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2026-11', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2024-12', '2024-12-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
  ['2026-11-30', '2026-11-30T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-11-01T23', '2026-11-01T23:00:00.000Z', '2026-11-02T00:00:00.000Z'],
  ['2026-11-01T23Z', '2026-11-01T23:00:00.000Z', '2026-11-02T00:00:00.000Z'],
  ['2026-11-01 00+01:00', '2026-10-31T23:00:00.000Z', '2026-11-01T00:00:00.000Z'],
])('%s ends after itself', async (text, from, to) => {
  expect(await ranged('flax', text)).toMatchObject({ from, to })
  expect(await ranged(text)).toMatchObject({ from, to })
})

test('an end after the last time of the family adds no condition', async () => {
  const { ids, bounds } = await ranged('--from', '2026-11-01', '--to', '2226-11-01', '--dialect', 'sqlite')
  expect(ids).toEqual({ gte: flax.lowerBound(Date.UTC(2026, 10, 1)) })
  expect(bounds[0]?.sql).toBe(`id >= '${ids.gte}'`)
})

test.each([
  [
    ['--from', '2026-12-01', '--to', '2026-11-01'],
    'flax: a range must go from the earlier time to the later one',
  ],
  [['--from', 'then', '--to', '2026-11-01'], 'a time must be now, '],
  [['flax'], 'pass a time, or two: range flax 2026-11, '],
  [['flax', '7d'], 'a time must be now, '],
  [['flax', '2026-13'], 'a time must be now, '],
  [['flax', '2026-02-30T12'], 'a time must be now, '],
  [['flax', '2026-11-01T12:00'], 'a time must be now, '],
  [[...SPAN, '--storage', 'bigint'], 'flax has no storage bigint in these databases'],
  [[...SPAN, '--storage', 'uuid', '--dialect', 'sqlite'], 'flax has no storage uuid in SQLite'],
])('%j is refused', async (argv, message) => {
  const { code, out, err } = await cli(['range', ...argv])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(`snoflax: ${message}`)
})
