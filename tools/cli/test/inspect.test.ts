import { readFileSync } from 'node:fs'
import { flax, sno, storageFor } from '@snoflax/core'
import { uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { bin, cli, json } from './running.js'

interface Reading {
  readonly family: string
  readonly form: string
  readonly id: string
  readonly timeMs: number
  readonly timeUtc: string
  readonly plausible: boolean
  readonly fields: Record<string, unknown>
  readonly bits: readonly { name: string; bits: string; value: string }[]
  readonly forms: Record<string, string>
}
interface Inspected {
  readonly input: string
  readonly readings: readonly Reading[]
  readonly refusals?: readonly string[]
}

const inspected = async (...argv: string[]): Promise<Inspected[]> =>
  json(await cli(['inspect', '--json', ...argv]))

const spec = JSON.parse(
  readFileSync(new URL('../../../spec/cases/storage.json', import.meta.url), 'utf8'),
) as {
  valid: { family: string; storage: string; id: string; value: string; databases: string[] }[]
}

describe('every form of storage.json is read', () => {
  const cases = spec.valid.filter(({ databases }) => databases.includes('postgres'))
  test.each(cases)('$family as $storage: $value', async ({ family, storage, id, value }) => {
    const [found] = await inspected(String(value).replace(/^\\x/, '\\x'))
    const reading = found?.readings.find((one) => one.family === family && one.id === id)
    expect(reading?.forms[storage]).toBe(
      storage === 'binary' ? `\\x${String(value).replace(/^\\x/, '')}` : String(value),
    )
  })
})

test('all parts of an id are shown', async () => {
  const id = sno.pack({ timeMs: Date.UTC(2026, 10, 1), tickTock: 1, meta: 2, partition: 3, sequence: 4 })
  const [found] = await inspected(id)
  expect(found?.readings[0]).toMatchObject({
    family: 'sno',
    form: 'text',
    id,
    timeUtc: '2026-11-01T00:00:00.000Z',
    plausible: true,
    fields: { timeMs: Date.UTC(2026, 10, 1), tickTock: 1, meta: 2, partition: 3, sequence: 4 },
    forms: {
      text: id,
      uuid: storageFor(sno, 'postgres', { storage: 'uuid' }).toDatabase(id),
      uuid8: storageFor(sno, 'postgres', { storage: 'uuid8' }).toDatabase(id),
      binary: `\\x${Buffer.from(sno.decode(id)).toString('hex')}`,
    },
  })
  const bits = found?.readings[0]?.bits ?? []
  expect(bits.map(({ bits }) => bits).join('')).toBe(
    Array.from(sno.decode(id), (byte) => byte.toString(2).padStart(8, '0')).join(''),
  )
  expect(bits.map(({ name, value }) => [name, value])).toEqual([
    ['time', String((Date.UTC(2026, 10, 1) - Date.UTC(2010, 0, 1)) / 4)],
    ['tickTock', '1'],
    ['meta', '2'],
    ['partition', '3'],
    ['sequence', '4'],
  ])
})

test('hex and uuids are read in every form that drivers and people write', async () => {
  const id = flax.generate()
  const hex = Buffer.from(flax.decode(id)).toString('hex')
  const uuid = String(storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(id))
  for (const input of [
    hex,
    `\\x${hex}`,
    `0x${hex.toUpperCase()}`,
    `X'${hex}'`,
    uuid,
    uuid.toUpperCase(),
    `\\x${uuid.replaceAll('-', '')}`,
  ]) {
    const [found] = await inspected(input)
    expect(
      found?.readings.map(({ id }) => id),
      input,
    ).toContain(id)
  }
})

test('a uuid8 is read as its family; for other texts all families that fit are listed, the likeliest first', async () => {
  const id = sno.generate()
  const [found] = await inspected(id)
  expect(found?.readings[0]?.family).toBe('sno')
  expect(found?.readings.map(({ family }) => family).sort()).toEqual(['flax', 'sno', 'uid'])
  const [tagged] = await inspected(String(storageFor(sno, 'postgres', { storage: 'uuid8' }).toDatabase(id)))
  expect(tagged?.readings.map(({ family }) => family)).toEqual(['sno'])
  const local = uidLocal.generator().generate()
  const [number] = await inspected(
    String(storageFor(uidLocal, 'postgres', { storage: 'bigint' }).toDatabase(local)),
  )
  expect(number?.readings.map(({ family, plausible }) => [family, plausible])).toEqual([
    ['uidLocal', true],
    ['flake', false],
  ])
  const [only] = await inspected(id, '--family', 'flax')
  expect(only?.readings.map(({ family }) => family)).toEqual(['flax'])
})

test('--epoch and --neighbourhood are used to read an id', async () => {
  const id = '1541815603606036480'
  const [found] = await inspected(id, '--epoch', '1288834974657', '--family', 'flake')
  expect(found?.readings[0]?.timeUtc).toBe('2022-06-28T16:07:40.105Z')
  expect((await inspected(flax.max, '--neighbourhood', '5'))[0]?.readings).toHaveLength(2)
})

test('what is not an id is an error of one line, or says where a near miss differs, and code 1', async () => {
  const { code, out, err } = await cli(['inspect', 'nope', flax.generate(), 'Kpcan0M1FakODT4!'])
  expect(code).toBe(1)
  expect(out).toContain('family   flax')
  expect(err.split('\n')).toEqual([
    'snoflax: "nope" is not an id',
    '  no known kind of id has this form; pass --family to see why',
    'snoflax: "Kpcan0M1FakODT4!" is not an id',
    expect.stringMatching(/^ {2}uid: "!" at position 15 of "Kpcan0M1FakODT4!" is not one of /),
    expect.stringMatching(/^ {2}flax: "!" at position 15 of "Kpcan0M1FakODT4!" is not one of /),
    '',
  ])
  const ran = await cli(['inspect', '--json', 'nope', '--family', 'sno'])
  expect(ran.code).toBe(1)
  expect(json(ran)).toEqual([
    { input: 'nope', readings: [], refusals: ['sno: an id has 16 characters, not 4 ("nope")'] },
  ])
})

test('a ULID in lower case, or a TypeID without its prefix, is told', async () => {
  const id = '01M8GTM80XEDZA87P43FJTXES0'
  const { code, err } = await cli(['inspect', id.toLowerCase()])
  expect({ code, err }).toEqual({
    code: 1,
    err: `snoflax: "${id.toLowerCase()}" is not an id\n  ULIDs are upper-case; pass ${id}. A TypeID begins with its prefix\n`,
  })
})

test("a number of 18 digits or more may be Twitter's or Discord's: a plausible time is first", async () => {
  const [found] = await inspected('1541815603606036480')
  expect(found?.readings.map(({ family, timeUtc }) => `${family} ${timeUtc}`).slice(0, 1)).toEqual([
    'twitter 2022-06-28T16:07:40.105Z',
  ])
  const { out } = await cli(['inspect', '1541815603606036480'])
  expect(out).toMatch(/family {3}twitter, as text[\s\S]*or discord \(text\) of 2026-08-25/)
})

test('blanks around an id are no part of it', async () => {
  const id = flax.generate()
  const found = await inspected(` ${id}`, `${id}\n`, `\tcus_${id} `)
  expect(found.map(({ input }) => input)).toEqual([id, id, `cus_${id}`])
  expect((await cli(['convert', '--family', 'flax', '--to', 'text', ` ${id} `])).out).toBe(`${id}\n`)
})

test.each([
  ['cus_Kpcan0M1FakODT4', 'an id has 16 characters, not 15 ("Kpcan0M1FakODT4")'],
  ['cus_Kpcan0M1FakODT4kk', 'an id has 16 characters, not 17 ("Kpcan0M1FakODT4kk")'],
  ['Kpcan0M1FakODT4', 'flax: an id has 16 characters, not 15'],
])('%s lacks a character or has one too many', async (input, message) => {
  const { code, err } = await cli(['inspect', input])
  expect(code).toBe(1)
  expect(err).toContain(message)
})

test('an ObjectId is named before bytes in hex that could be one of ours', async () => {
  const { out } = await cli(['inspect', '507f1f77bcf86cd799439011'])
  expect(out.split('\n').slice(1, 3)).toEqual([
    "  MongoDB's ObjectId, of 2012-10-17T21:13:27.000Z",
    '  or flax (binary) of 2025-12-15T12:09:12.380Z',
  ])
  expect((await cli(['inspect', '\\x507f1f77bcf86cd799439011'])).out).toContain('family   flax')
})

test('what looks like bytes or a uuid and is not an id is refused as such', async () => {
  const reasonsOf = async (input: string) => (await inspected(input, '--family', 'sno'))[0]?.refusals
  expect(await reasonsOf('\\x0102')).toEqual(['sno: an id has 20 hex digits, not 4 ("\\\\x0102")'])
  expect(await reasonsOf('0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739')).toEqual([
    expect.stringContaining('is not a UUIDv8 of this family'),
  ])
})

const ID = flax.pack({ timeMs: Date.UTC(2026, 0, 15, 12), random: new Uint8Array([1, 2, 3, 4, 5, 6, 255]) })

test('the text output', async () => {
  const { out } = await bin(['inspect', ID], { env: { TZ: 'Europe/Berlin' } })
  expect(out.split('\n')).toEqual([
    ID,
    '  family   flax, as text',
    '  time     2026-01-15T12:00:00.000Z',
    '  local    2026-01-15 13:00:00.000 +01:00',
    '  fields   timeMs 1768478400000',
    '           random \\x010203040506ff',
    '  bits     01010001 00011110 10111100 00101110',
    '           tttttttt tttttttt tttttttt tttttttt',
    '           00000000 00000001 00000010 00000011',
    '           tttttttt rrrrrrrr rrrrrrrr rrrrrrrr',
    '           00000100 00000101 00000110 11111111',
    '           rrrrrrrr rrrrrrrr rrrrrrrr rrrrrrrr',
    '           t time 40  r random 56',
    `  storage  text   ${ID}`,
    '           binary \\x511ebc2e00010203040506ff',
    `           uuid   ${storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(ID)}`,
    '           uuid8  511ebc2e-0001-8020-8304-0506ff000001',
    '',
  ])
})

test('the output has colours only on a terminal, unless NO_COLOR or FORCE_COLOR is set', async () => {
  const isColoured = async (isTTY: boolean, env: Record<string, string>) =>
    (await cli(['inspect', ID], { isTTY, env })).out.includes('\u001b[')
  expect(await isColoured(false, {})).toBe(false)
  expect(await isColoured(true, {})).toBe(true)
  expect(await isColoured(true, { NO_COLOR: '1' })).toBe(false)
  expect(await isColoured(true, { NO_COLOR: '' })).toBe(true)
  expect(await isColoured(false, { FORCE_COLOR: '1' })).toBe(true)
  expect(await isColoured(true, { FORCE_COLOR: '0' })).toBe(false)
  const { out } = await bin(['inspect', ID], { env: { FORCE_COLOR: '1' } })
  expect(out).toContain('\u001b[36m00000000\u001b[39m \u001b[35m00000001\u001b[39m')
})

test('of several likely readings the first is shown in full, and each other one in a line', async () => {
  const id = sno.pack({ timeMs: Date.UTC(2026, 10, 1), tickTock: 0, meta: 0, partition: 0, sequence: 0 })
  const lines = (await cli(['inspect', id])).out.split('\n')
  expect(lines[1]).toBe('  family   sno, as text')
  expect(lines.filter((line) => line.startsWith('  family'))).toHaveLength(1)
  // As a uid it would be of the year 7597.
  expect(lines.slice(-2)).toEqual([expect.stringMatching(/^ {2}or flax \(text\) of 20\d\d-.*Z$/), ''])
  expect(lines.join()).not.toContain('uid (')
})

describe('an id of another kind', () => {
  test.each([
    ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 'a UUIDv4: 122 random bits, no time'],
    ['F47AC10B58CC4372A5670E02B2C3D479', 'a UUIDv4: 122 random bits, no time'],
    [
      'c232ab00-9414-11ec-b3c8-9f6bdeced846',
      'a UUIDv1: time, clock sequence, node, of 2022-02-22T19:22:22.000Z',
    ],
    [
      '1ec9414c-232a-6b00-b3c8-9f6bdeced846',
      'a UUIDv6: time, clock sequence, node, of 2022-02-22T19:22:22.000Z',
    ],
    ['919108f7-52d1-4320-9bac-f847db4148a8', 'a UUIDv4: 122 random bits, no time'],
    ['2ed6657d-e927-568b-95e1-2665a8aea6a2', 'a UUIDv5: the SHA-1 hash of a name, no time'],
    ['5df41881-3aed-3515-88a7-2f4a814cf09e', 'a UUIDv3: the MD5 hash of a name, no time'],
    ['00000000-0000-0000-0000-000000000000', 'the nil UUID'],
    ['0ujtsYcgvSTl8PAuAdqWYSMnLOv', 'a KSUID, of 2017-10-10T04:00:47.000Z'],
    ['ch72gsb320000udocl363eofy', 'a cuid, of 2012-09-13T23:03:12.926Z'],
    ['tz4a98xxat96iws9zmbrgj3a', 'a cuid2, which contains no time'],
    ['V1StGXR8_Z5jdHi6B-myT', 'a nanoid, which contains no time'],
  ])('%s is one line', async (id, line) => {
    expect(await cli(['inspect', id])).toEqual({ code: 0, out: `${id}\n  ${line}\n`, err: '' })
    expect((await inspected(id))[0]).toMatchObject({
      readings: [],
      others: [{ what: line.split(', of ')[0] }],
    })
  })

  test('stands before readings with an unlikely time, and after likely ones', async () => {
    const number = await cli(['inspect', '12345'])
    expect(number.out.split('\n').slice(1, 3)).toEqual([
      '  an integer, such as a serial key',
      '  or flake (text) of 1970-01-01T00:00:00.000Z, an unlikely time',
    ])
    const objectId = (await cli(['inspect', '507f1f77bcf86cd799439011'])).out
    expect(objectId).toContain("MongoDB's ObjectId, of 2012-10-17T21:13:27.000Z")
  })

  test('is not looked for if --family names one', async () => {
    const { code, err } = await cli(['inspect', '--family', 'uuid7', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'])
    expect(code).toBe(1)
    expect(err).toContain('uuid7: ')
  })
})

test('standard input without ids says that nothing was checked', async () => {
  expect(await cli(['inspect'], { input: '\n' })).toEqual({
    code: 0,
    out: '',
    err: 'nothing was checked: standard input is empty\n',
  })
})

test('ids may begin with a hyphen', async () => {
  const early = flax.pack({ timeMs: Date.UTC(2015, 0, 2), random: new Uint8Array(7) })
  const help = '-h23456789012345'
  for (const argv of [
    [early, help, '--family', 'flax'],
    ['--family', 'flax', '--', early, help],
  ]) {
    expect((await inspected(...argv)).map(({ input }) => input)).toEqual([early, help])
  }
  expect(await cli(['inspect', '--famly', 'flax'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("unknown option '--famly'"),
  })
})

test('ids are read from standard input, one per line, with any line ends and blanks', async () => {
  const ids = [flax.generate(), flax.generate(), flax.generate()]
  const found = json<Inspected[]>(
    await bin(['inspect', '--json'], { input: `${ids[0]}\r\n\n  ${ids[1]} \n${ids[2]}` }),
  )
  expect(found.map(({ input }) => input)).toEqual(ids)
  expect(json(await cli(['inspect', '--json'], { input: '' }))).toEqual([])
})

test('without arguments on a terminal, inspect says how to pass ids', async () => {
  expect(await cli(['inspect'])).toEqual({
    code: 2,
    out: '',
    err: 'snoflax: pass ids as arguments, or pipe them in, one per line\n',
  })
})

test('UUIDv7 and ULIDs are recognized, with their times', async () => {
  const documents = await inspected(
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '017F22E279B07CC398C4DC0C0C07398F',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  )
  expect(documents.map(({ readings }) => readings.map(({ family, timeUtc }) => [family, timeUtc]))).toEqual([
    [['uuid7', '2022-02-22T19:22:22.000Z']],
    [['uuid7', '2022-02-22T19:22:22.000Z']],
    [['ulid', '2016-07-30T23:54:10.259Z']],
  ])
})
