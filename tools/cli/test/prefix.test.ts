import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { flax, type IdFamily, prefixed, sno, storageFor, typeid, uuid7 } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
import { run } from 'snoflax'
import { afterAll, describe, expect, test } from 'vitest'
import { cli, json } from './running.js'

const customerId = prefixed(flax, 'cus')
const id = customerId.parse('cus_Kpcan0M1FakODT4k')
const bare = customerId.withoutPrefix(id)
const uuid = String(storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(bare))

const lines = async (...argv: string[]) => (await cli(argv)).out.trimEnd()

describe('inspect', () => {
  type Inspected = {
    readings: { family: string; prefix?: string; id: string; forms: object }[]
    refusals?: string[]
  }[]
  const inspected = async (...argv: string[]) => json<Inspected>(await cli(['inspect', '--json', ...argv]))

  test('finds the prefix of a text', async () => {
    const [found] = await inspected(id)
    expect(found?.readings[0]).toMatchObject({
      family: 'flax',
      prefix: 'cus',
      id,
      forms: { text: id, uuid },
    })
    expect(await lines('inspect', id)).toMatch(/family +flax, as text\n +id +cus_Kpcan0M1FakODT4k\n/)
  })

  test('shows stored forms with the prefix passed, and refuses another one', async () => {
    for (const value of [bare, uuid, id]) {
      const [found] = await inspected('--family', 'flax', '--prefix', 'cus', value)
      expect(found?.readings).toMatchObject([{ family: 'flax', prefix: 'cus', id }])
    }
    const { code, err } = await cli(['inspect', '--family', 'flax', '--prefix', 'ord', id])
    expect({ code, err }).toEqual({
      code: 1,
      err: `snoflax: "${id}" is not an id\n  ord: an id must begin with "ord_", not with "cus_" as "${id}"\n`,
    })
  })

  test('says that a prefix must be lower-case', async () => {
    const upper = id.replace('cus', 'CUS')
    const err = `snoflax: "${upper}" is not an id\n  prefixes are lower-case; pass ${id}\n`
    for (const prefix of [[], ['--prefix', 'cus']]) {
      expect(await cli(['inspect', ...prefix, upper])).toMatchObject({ code: 1, err })
    }
    const other = await cli(['inspect', '--prefix', 'ord', upper])
    expect(other.err).toContain('ord: an id must begin with "ord_", not with "CUS_"')
  })

  test('gives one reason for a wrong prefix, or for no id after one, also without a family', async () => {
    for (const [argv, reason] of [
      [['--prefix', 'ord', id], `ord: an id must begin with "ord_", not with "cus_" as "${id}"`],
      [['--prefix', 'ord', 'cus_abc'], 'ord: an id must begin with "ord_", not "cus_abc"'],
      ...[['cus_abc'], ['--prefix', 'cus', 'cus_abc']].map((argv) => [
        argv,
        '"abc" after "cus_" is not an id of sno, uid, flax, uidLocal, flake, uuid7; pass --family to see why',
      ]),
      [['order_item_abc'], expect.stringMatching(/^"abc" after "order_item_" is not an id of /)],
    ] as [string[], string][]) {
      const [found] = await inspected(...argv)
      expect(found?.refusals).toEqual([reason])
    }
    const [found] = await inspected('--family', 'flax', 'cus_abc')
    expect(found?.refusals).toEqual(['flax: an id has 16 characters, not 7 ("cus_abc")'])
  })

  test('shows no prefix for an id without one', async () => {
    const [found] = await inspected('--family', 'flax', bare)
    expect(found?.readings).toHaveLength(1)
    expect(found?.readings[0]).not.toHaveProperty('prefix')
  })
})

test('convert keeps and adds the prefix in text, and removes it in compact forms', async () => {
  expect(await lines('convert', '--to', 'uuid', id)).toBe(uuid)
  expect(await lines('convert', '--to', 'text', id)).toBe(id)
  expect(await lines('convert', '--to', 'text', uuid)).toBe(bare)
  expect(await lines('convert', '--to', 'uuid', '--dialect', 'postgres', id)).toBe(`'${uuid}'`)
  for (const value of [bare, uuid, id]) {
    expect(await lines('convert', '--family', 'flax', '--prefix', 'cus', '--to', 'text', value)).toBe(id)
  }
  expect((await cli(['convert', '--prefix', 'ord', '--to', 'uuid', id])).code).toBe(1)
})

test('a text literal has the prefix given or passed', async () => {
  const text = ['convert', '--to', 'text', '--dialect', 'postgres']
  expect(await lines(...text, '--prefix', 'cus', id)).toBe(`'${id}'`)
  expect(await lines(...text, '--prefix', 'cus', '--family', 'flax', bare)).toBe(`'${id}'`)
  expect(await lines(...text, id)).toBe(`'${id}'`)
  expect(await lines(...text, '--family', 'flax', bare)).toBe(`'${bare}'`)
})

test('a TypeID keeps its own prefix, and is refused with another', async () => {
  const user = typeid('user').generate()
  const input = `${user}\n${id}\n`
  for (const [prefix, out] of [
    ['user', user],
    ['cus', id],
  ] as const) {
    const ran = await cli(['convert', '--to', 'text', '--prefix', prefix], { input })
    expect(ran).toMatchObject({ code: 1, out: `${out}\n` })
    const inspected = await cli(['inspect', '--json', '--prefix', prefix], { input })
    const found = json<{ readings: { id: string; prefix: string; plausible: boolean }[] }[]>(inspected)
    const likely = found.flatMap(({ readings }) => readings).filter(({ plausible }) => plausible)
    expect(likely).toMatchObject([{ id: out, prefix }])
  }
})

test('range shows bounds with the prefix for text columns, and without it for others', async () => {
  const argv = ['range', '2026-11-01', '2026-12-01', '--prefix', 'cus', '--dialect', 'sqlite']
  const { ids, bounds, ...span } = json<{ ids: object; bounds: { storage: string; gte: string }[] }>(
    await cli([...argv, '--json']),
  )
  expect(span).toMatchObject({ family: 'flax', prefix: 'cus' })
  const range = flax.range(new Date('2026-11-01'), new Date('2026-12-01'))
  expect(ids).toEqual({ gte: `cus_${range.gte}`, lt: `cus_${range.lt}` })
  expect(bounds.map(({ storage }) => storage)).toEqual(['text', 'binary'])
  expect(bounds[0]?.gte).toBe(`'cus_${range.gte}'`)
  expect(await lines(...argv, '--storage', 'binary')).toMatch(/^id >= X'/)
  expect(await cli(['range', 'flake', ...argv.slice(1, 5), '--storage', 'text'])).toMatchObject({
    code: 2,
    err: 'snoflax: flake has no storage text in these databases\n',
  })
})

test('generate adds the prefix to texts only', async () => {
  const made = (await lines('generate', 'sno', '--prefix', 'ord', '-n', '3')).split('\n')
  expect(made.every((text) => prefixed(sno, 'ord').is(text))).toBe(true)
  expect(await lines('generate', 'sno', '--prefix', 'ord', '--to', 'binary')).toMatch(/^\\x[0-9a-f]{20}$/)
})

test.each(['generate', 'inspect', 'convert', 'range'])('%s refuses an invalid prefix', async (command) => {
  const more: Record<string, string[]> = {
    convert: ['--to', 'uuid', id],
    inspect: [id],
    range: ['--from', '2026-11-01', '--to', '2026-12-01'],
  }
  const { code, err } = await cli([command, '--prefix', 'Cus', ...(more[command] ?? [])])
  expect({ code, err }).toEqual({
    code: 2,
    err: 'snoflax: prefix: a prefix must have 1 to 63 of a-z, 0-9 and _, begin with a letter and not end with _, not "Cus"\n',
  })
})

describe('seal-key', () => {
  const check = (...keys: string[]) => cli(['seal-key', '--check'], { input: `${keys.join('\n')}\n` })

  test('creates a new key that --check accepts', async () => {
    const [one, other] = [await lines('seal-key'), await lines('seal-key')]
    expect(one).toHaveLength(43)
    expect(one).not.toBe(other)
    expect(await check(one, other)).toEqual({ code: 0, out: '2 keys, all usable\n', err: '' })
  })

  test('refuses weak and equal keys, and prints none', async () => {
    const key = generateSealKey()
    const weak = await check(key, 'correct horse battery staple')
    expect(weak).toMatchObject({ code: 1, out: '' })
    expect(weak.err).toBe(
      'snoflax: seal: keys[1] must be 32 bytes, 64 hex digits or 43 characters of base64url; create one with generateSealKey()\n',
    )
    const equal = await check(key, Buffer.from(key, 'base64url').toString('hex'))
    expect(equal.err).toBe('snoflax: seal: keys[1] must differ from keys[0]\n')
    expect((await check('00'.repeat(32))).err).toContain('must be random')
  })
})

describe('sealed ids', () => {
  const key = generateSealKey()
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-seal-'))
  const file = join(folder, 'keys')
  writeFileSync(file, `${generateSealKey()}\n\n${key}\n`)
  afterAll(() => rmSync(folder, { recursive: true }))
  const bare = seal(flax, { keys: key })
  const behind = seal(prefixed(flax, 'cus'), { keys: key })

  test('are opened by inspect with the keys of a file, with a prefix or without', async () => {
    const own = flax.generate()
    for (const [text, shown] of [
      [bare.seal(own), own],
      [behind.seal(prefixed(flax, 'cus').withPrefix(own)), `cus_${own}`],
    ] as const) {
      const [{ readings }] = json<[{ readings: { id: string; form: string; family: string }[] }]>(
        await cli(['inspect', '--seal-keys', file, '--json', '--', text]),
      )
      expect(readings).toMatchObject([{ id: shown, form: 'sealed', family: 'flax' }])
    }
  })

  test('of UUIDv7 and TypeID are opened, as texts and as UUIDs of version 4', async () => {
    const userId = typeid('user')
    const [own, user] = [uuid7.generate(), userId.generate()]
    const readingsOf = async (text: string, ...options: string[]) =>
      json<[{ readings: { id: string; form: string; plausible: boolean }[] }]>(
        await cli(['inspect', '--seal-keys', file, '--json', ...options, '--', text]),
      )[0].readings
    for (const [family, id, options] of [
      [uuid7, own, []],
      [userId, user, ['--family', 'typeid', '--prefix', 'user']],
    ] as [IdFamily, string, string[]][]) {
      const [text = '', ofVersion4 = ''] = [{ keys: key }, { keys: key, as: 'uuid' } as const].map(
        (one): string => seal(family as IdFamily<never>, one).seal(id as never),
      )
      expect(await readingsOf(text, ...options)).toMatchObject([{ id, form: 'sealed' }])
      // The file has two keys, and both open it.
      const readings = await readingsOf(ofVersion4, ...options)
      expect(readings.filter(({ form }) => form === 'sealed')).toHaveLength(2)
      expect(readings.find((one) => one.id === id)).toMatchObject({ form: 'sealed', plausible: true })
    }
  })

  test('are opened and written by convert', async () => {
    const own = flax.generate()
    expect(await lines('convert', '--seal-keys', file, '--to', 'text', '--', bare.seal(own))).toBe(own)
    writeFileSync(join(folder, 'one'), key)
    const argv = ['convert', '--seal-keys', join(folder, 'one'), '--to', 'sealed']
    expect(await lines(...argv, '--family', 'flax', own)).toBe(bare.seal(own))
    expect(await lines(...argv, '--family', 'flax', '--prefix', 'cus', own)).toBe(
      behind.seal(prefixed(flax, 'cus').withPrefix(own)),
    )
  })

  test('are refused if they only look sealed, or have another prefix than the one passed', async () => {
    const own = flax.generate()
    const input = `a__${'A'.repeat(22)}\n${bare.seal(own)}\n`
    const argv = ['convert', '--seal-keys', file, '--to', 'text']
    expect(await cli(argv, { input })).toMatchObject({ code: 1, out: `${own}\n` })
    const sealed = behind.seal(prefixed(flax, 'cus').withPrefix(own))
    expect(await cli([...argv, '--prefix', 'ord', sealed])).toMatchObject({ code: 1, out: '' })
    expect((await cli(['inspect', '--seal-keys', file, '--prefix', 'ord', sealed])).code).toBe(1)
    for (const value of [sealed, bare.seal(own)]) {
      expect(await lines(...argv, '--prefix', 'cus', '--', value)).toBe(`cus_${own}`)
    }
  })

  test('are refused without keys and with other keys', async () => {
    expect(await cli(['convert', '--to', 'sealed', flax.generate()])).toMatchObject({
      code: 2,
      err: 'snoflax: --to sealed needs --seal-keys <file>\n',
    })
    writeFileSync(join(folder, 'other'), generateSealKey())
    expect(
      (await cli(['inspect', '--seal-keys', join(folder, 'other'), '--', bare.seal(flax.generate())])).code,
    ).toBe(1)
  })
})

test('TypeIDs are recognized by their text, and generated with a prefix', async () => {
  const text = await lines('generate', 'typeid', '--prefix', 'user')
  expect(typeid('user').is(text)).toBe(true)
  const [{ readings }] = json<[{ readings: { id: string; prefix: string }[] }]>(
    await cli(['inspect', '--json', text]),
  )
  expect(readings).toMatchObject([{ id: text, prefix: 'user' }])
  expect(await lines('convert', '--to', 'uuid', text)).toBe(typeid('user').toUuid(text as never))
})

test('JSON is written one item at a time', async () => {
  for (const argv of [
    ['convert', '--family', 'flax', '--to', 'uuid'],
    ['inspect', '--family', 'flax'],
    ['generate', '-n', '50'],
  ]) {
    const chunks: string[] = []
    const stdin = Readable.from([`${Array.from({ length: 50 }, () => flax.generate()).join('\n')}\n`])
    const out = { write: (chunk: string) => chunks.push(chunk) > 0 }
    expect(await run([...argv, '--json'], { stdin, stdout: out, stderr: out, env: {} })).toBe(0)
    expect(JSON.parse(chunks.join(''))).toHaveLength(50)
    expect(chunks.length).toBeGreaterThanOrEqual(50)
  }
  expect(await cli(['generate', '-n', '0', '--json'])).toMatchObject({ out: '[]\n' })
})
