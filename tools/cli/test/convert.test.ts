import { flake, flax, sno, storageFor } from '@snoflax/core'
import { expect, test } from 'vitest'
import { bin, cli, json } from './running.js'

const convert = async (...argv: string[]) => (await cli(['convert', ...argv])).out.trimEnd()

test('ids are converted to every storage and back', async () => {
  const ids = [flax.generate(), flax.min, flax.max]
  for (const storage of ['text', 'binary', 'uuid', 'uuid8']) {
    const there = (await convert('--family', 'flax', '--to', storage, ...ids)).split('\n')
    expect((await convert('--family', 'flax', '--to', 'text', ...there)).split('\n')).toEqual(ids)
  }
  expect(await convert('--family', 'flake', '--to', 'binary', '18446744073709551615')).toBe(
    '\\xffffffffffffffff',
  )
  expect(await convert('--family', 'flake', '--to', 'bigint', '\\xffffffffffffffff')).toBe(
    '18446744073709551615',
  )
})

test('the family can be left out if all that fit have the same result', async () => {
  const id = sno.generate()
  expect(await convert('--to', 'uuid', id)).toBe(
    storageFor(sno, 'postgres', { storage: 'uuid' }).toDatabase(id),
  )
  const { code, out, err } = await cli(['convert', '--to', 'binary', id, '-'.repeat(16)])
  expect({ code, out }).toEqual({ code: 1, out: `\\x${'0'.repeat(24)}\n` })
  expect(err).toContain(
    `${JSON.stringify(id)} could be an id of several families, so the result could be \\x`,
  )
  expect(err).toContain('; pass --family')
})

test('--dialect prints literals', async () => {
  const hex = Buffer.from(flax.decode(flax.max)).toString('hex')
  const argv = ['--family', 'flax', '--to', 'binary', flax.max, '--dialect']
  expect(await convert(...argv, 'postgres')).toBe(`'\\x${hex}'`)
  expect(await convert(...argv, 'sqlite')).toBe(`X'${hex}'`)
  expect(await convert(...argv, 'mysql')).toBe(`X'${hex}'`)
  expect(await convert('--family', 'flake', '--to', 'bigint', '7', '--dialect', 'postgres')).toBe('7')
})

test('ids are read from standard input, and what is not an id is null in the JSON', async () => {
  const id = flax.generate()
  const ran = await bin(['convert', '--to', 'text', '--json'], { input: `nope\n${id}\n` })
  expect(ran.code).toBe(1)
  expect(ran.err).toBe('snoflax: "nope" is not an id; run snoflax inspect to see why\n')
  expect(json(ran)).toEqual([
    { input: 'nope', output: null },
    { input: id, output: id },
  ])
})

test.each([
  [['--to', 'bigint', 'Kpcan0M1FakODT4k'], 'is an id of flax or uid, which has no storage bigint'],
  [
    ['--to', 'text', '--prefix', 'ord', 'cus_Kpcan0M1FakODT4k'],
    'is not an id behind the prefix ord_ or without one',
  ],
])('an id without the requested form is refused: %j', async (argv, message) => {
  const ran = await bin(['convert', ...argv])
  expect([ran.code, ran.out]).toEqual([1, ''])
  expect(ran.err).toContain(message)
})

test('a storage that the family or the database does not have is refused', async () => {
  const refusals = [
    [
      ['--to', 'uuid', flax.min, '--dialect', 'mysql'],
      'flax in mysql: cannot use storage uuid: MySQL has no uuid type',
    ],
    [
      ['--to', 'bigint', flake.max, '--family', 'flake', '--dialect', 'postgres'],
      `flake: ${flake.max} is 2^63 or more`,
    ],
    [['--to', 'bigint', '--family', 'flax'], 'flax has no storage bigint'],
    [['--to', 'text', '--dialect', 'oracle'], 'dialect must be one of postgres, sqlite, mysql, not oracle'],
  ] as const
  for (const [argv, message] of refusals) {
    const { code, err } = await cli(['convert', ...argv])
    expect(code).toBe(2)
    expect(err).toContain(message)
  }
  expect(await cli(['convert', flax.min])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--to <storage>'),
  })
})
