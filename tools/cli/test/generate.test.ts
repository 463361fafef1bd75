import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { flake, flax, type IdFamily, sno, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { expect, test } from 'vitest'
import { BIN, bin, cli, json } from './running.js'

const generated = async (...argv: string[]): Promise<string[]> => {
  const { code, out, err } = await cli(['generate', ...argv])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out.trimEnd().split('\n')
}

test('generate prints a flax by default', async () => {
  const before = Date.now()
  const [id, ...rest] = await generated()
  expect(rest).toEqual([])
  expect(flax.timeMs(flax.parse(id))).toBeGreaterThanOrEqual(before)
})

const FAMILIES: [string, IdFamily<string>, ...string[]][] = [
  ['flax', flax as never],
  ['sno', sno as never],
  ['flake', flake as never, '--worker', '3'],
  ['uid', uid as never, '--node', 'here'],
  ['uidLocal', uidLocal as never],
  ['uid_local', uidLocal as never],
  ['uuid7', uuid7 as never],
  ['ulid', ulid as never],
]

test.each(FAMILIES)(
  '%s: as many ids as requested, all different, and of the time requested',
  async (name, family, ...options) => {
    const ids = await generated(name, '-n', '1500', ...options)
    expect(new Set(ids).size).toBe(1500)
    expect(ids.every((id) => family.is(id))).toBe(true)
    const at = '2026-11-01T12:00:00.500Z'
    const [old] = await generated(name, '--at', at, ...options)
    // sno counts 4 ms, uid 1.024 ms.
    expect(Date.parse(at) - family.timeMs(old as string)).toBeLessThan(4)
    expect(Date.parse(at) - family.timeMs(old as string)).toBeGreaterThanOrEqual(0)
  },
)

test('metabyte, partition, worker, node and epoch of the options are in the ids', async () => {
  const [order] = await generated('sno', '--meta', '9', '--partition', '65535')
  expect(sno.unpack(sno.parse(order))).toMatchObject({ meta: 9, partition: 65535 })
  const [row] = await generated('flake', '--datacenter', '2', '--worker', '31', '--epoch', '2020-01-01')
  const family = flake.withEpoch(Date.UTC(2020, 0, 1))
  expect(family.unpack(family.parse(row))).toMatchObject({ datacenter: 2, worker: 31 })
  expect(Date.now() - family.timeMs(family.parse(row))).toBeLessThan(60_000)
  const [host] = await generated('uid', '--node', 'orders@10.0.0.7', '--neighbourhood', '5')
  expect(uid.withNeighbourhood(5).unpack(uid.parse(host)).node).toBe(uid.fingerprint('orders@10.0.0.7'))
})

test('--to prints another form, and --json an array', async () => {
  const [hex] = await generated('sno', '--to', 'binary')
  expect(hex).toMatch(/^\\x[0-9a-f]{20}$/)
  const ran = await cli(['generate', '-n', '3', '--json'])
  const ids = json<string[]>(ran)
  expect(ids).toHaveLength(3)
  expect(ids.every((id) => flax.is(id))).toBe(true)
})

test.each([
  [['flake'], 'flake ids need --worker, a number that no other generator uses'],
  [['uid'], 'uid ids need --node, a name that no other generator uses'],
  [['flax', '--meta', '3'], 'flax has no option --meta; its options are none'],
  [['sno', '--node', 'x'], 'sno has no option --node; its options are --meta, --partition'],
  [
    ['cuid'],
    'family must be one of sno, uid, flax, uidLocal, flake, uuid7, ulid, typeid, twitter, discord, not cuid',
  ],
  [['-n', '1e3'], "option '-n, --count <count>' argument '1e3' is invalid. It must be an integer, 0 or more"],
  [['-n', '-1'], "option '-n, --count <count>' argument '-1' is invalid"],
  [['--at', '2026-11-01T12:00'], 'a time must be now, yesterday,'],
  [['--at', '2026-02-30'], 'a time must be now, yesterday,'],
  [['--at', 'last week'], 'a time must be now, yesterday,'],
  [['--to', 'hex'], 'storage must be one of text, binary, uuid, uuid8, bigint, not hex'],
  [['--to', 'bigint'], 'flax has no storage bigint; it has text, uuid, binary, uuid8'],
  [['sno', '--meta', '256'], 'sno: meta must be an integer from 0 to 255, not 256'],
  [['sno', '--at', '1999-01-01'], 'sno: '],
])('%j is refused', async (argv, message) => {
  const { code, out, err } = await cli(['generate', ...argv])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(`snoflax: ${message}`)
  expect(err.split('\n')).toHaveLength(2)
})

test('a reader that stops early, as head does, ends it quietly', async () => {
  const child = spawn(process.execPath, [BIN, 'generate', '-n', '100000000'])
  const err: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text))
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = await once(child, 'close')
  expect({ code, err: err.join('') }).toEqual({ code: 0, err: '' })
})

test('200,000 ids are generated and printed completely', async () => {
  const { code, out } = await bin(['generate', '-n', '200000'])
  expect(code).toBe(0)
  expect(new Set(out.trimEnd().split('\n')).size).toBe(200_000)
})
