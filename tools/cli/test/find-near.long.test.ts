import { flake, flax, type IdFamily, prefixed, sno, storageFor, typeid, ulid, uuid7 } from '@snoflax/core'
import { isBytes, isPrefixed } from '@snoflax/core/adapter'
import { mysql, postgres, randomFrom, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { cli, json } from './running.js'

const SEED = Number(process.env['SNOFLAX_SEED'] ?? 20261129)
const random = randomFrom(SEED)
const YEAR_MS = 365 * 86_400_000
const FROM_MS = Date.UTC(2026, 0)
/** Ids of each family that are damaged in each way. */
const DAMAGED = 2

const workers = flake.generator({ worker: 1 })
const flakeAt = (timeMs: number): string => flake.pack({ ...flake.unpack(workers.generate()), timeMs })

interface Table {
  readonly family: IdFamily
  readonly rows: number
  readonly storage?: 'binary' | 'uuid' | 'bigint'
}
const tables: Readonly<Record<string, Table>> = {
  customers: { family: prefixed(flax, 'cus'), rows: 200_000 },
  orders: { family: prefixed(sno, 'ord'), rows: 20_000 },
  users: { family: typeid('user'), rows: 20_000 },
  plans: { family: ulid, rows: 20_000 },
  traces: { family: uuid7, rows: 20_000 },
  bills: { family: prefixed(flax, 'bill'), rows: 20_000, storage: 'binary' },
  parcels: { family: sno, rows: 20_000, storage: 'binary' },
  members: { family: flax, rows: 20_000, storage: 'uuid' },
  sessions: { family: uuid7, rows: 20_000, storage: 'binary' },
  tickets: { family: ulid, rows: 20_000, storage: 'binary' },
  events: { family: flake, rows: 20_000, storage: 'bigint' },
}

const TYPES = {
  postgres: { text: 'VARCHAR(40) COLLATE "C"', binary: 'bytea', uuid: 'uuid', bigint: 'bigint' },
  sqlite: { text: 'VARCHAR(40)', binary: 'BLOB', uuid: undefined, bigint: 'BIGINT' },
  mysql: {
    text: 'VARCHAR(40) COLLATE utf8mb4_bin',
    binary: 'VARBINARY(16)',
    uuid: undefined,
    bigint: 'BIGINT',
  },
}

type Damage = (id: string, prefix: string) => string

const at = (id: string, prefix: string): number => {
  const head = prefix === '' ? 0 : prefix.length + 1
  return head + random(id.length - head)
}
const other = (character: string, alphabet: string): string => {
  const others = [...alphabet].filter((one) => one !== character)
  return others[random(others.length)] as string
}
const cut = (id: string, from: number, to?: number): string => id.slice(from, to)

/** What must be found each time. */
const ALWAYS: Readonly<Record<string, Damage>> = {
  quoted: (id) => `"${id}"`,
  'in parentheses, with a comma': (id) => `(${id}),`,
  'in a URL': (id) => `https://example.org/api/${id}?page=2`,
  'in a URL that is escaped': (id) => encodeURIComponent(`/orders/${id}/lines`),
  'without its prefix': (id, prefix) => (prefix === '' ? `"${id}"` : id.slice(prefix.length + 1)),
  "with another's prefix": (id, prefix) => (prefix === '' ? `x_${id}` : id.replace(prefix, 'inv')),
  'its first character cut': (id) => cut(id, 1),
  'the last character cut': (id) => cut(id, 0, -1),
  'four characters cut at the end': (id) => cut(id, 0, -4),
  'the first character behind the prefix cut': (id, prefix) => cut(id, prefix === '' ? 1 : prefix.length + 2),
  'the first two behind the prefix cut': (id, prefix) => cut(id, prefix === '' ? 2 : prefix.length + 3),
}

const MOSTLY: Readonly<Record<string, Damage>> = {
  'in upper case': (id) => id.toUpperCase(),
  'in lower case': (id) => id.toLowerCase(),
  'one character changed': (id, prefix) => {
    const place = at(id, prefix)
    const alphabet = /^\d+$/.test(id) ? '0123456789' : '023456789abcdef'
    return id.slice(0, place) + other(id[place] as string, alphabet) + id.slice(place + 1)
  },
  'one character lost': (id, prefix) => {
    const place = at(id, prefix)
    return id.slice(0, place) + id.slice(place + 1)
  },
  'one character doubled': (id, prefix) => {
    const place = at(id, prefix)
    return id.slice(0, place) + id[place] + id.slice(place)
  },
  'two characters swapped': (id, prefix) => {
    const place = Math.min(at(id, prefix), id.length - 2)
    return id.slice(0, place) + id[place + 1] + id[place] + id.slice(place + 2)
  },
}

interface Printed {
  readonly found: readonly unknown[]
  readonly near?: readonly { readonly place: string; readonly id: string }[]
}

/** As the kind stores it; compact columns have no prefix. */
const literalOn =
  (kind: keyof typeof TYPES) =>
  (family: IdFamily, storage: Table['storage'], id: string): string => {
    if (storage === undefined) return `'${id}'`
    const value = storageFor(family, kind, { storage, exactBigint: true }).toDatabase(id)
    if (!isBytes(value)) return typeof value === 'bigint' ? String(value) : `'${value}'`
    const hex = Buffer.from(value).toString('hex')
    return kind === 'postgres' ? `'\\x${hex}'` : `X'${hex}'`
  }

describe.each([postgres, sqlite, mysql].filter((kind) => kind.selected()))('$name', (kind) => {
  test('proposes the id that was damaged, and none that is wrong', { timeout: 900_000 }, async () => {
    const database = await kind.open()
    const url = String((database as { file?: string }).file ?? (database as { url?: string }).url)
    const ids = new Map<string, string[]>()
    const literalOf = literalOn(kind.name as keyof typeof TYPES)
    const types = TYPES[kind.name as keyof typeof TYPES]
    for (const [table, { family, rows, storage }] of Object.entries(tables)) {
      const type = kind === postgres && table === 'traces' ? types.uuid : types[storage ?? 'text']
      if (type === undefined) continue
      await database.query(`CREATE TABLE ${table} (id ${type} PRIMARY KEY)`)
      const made = Array.from({ length: rows }, () => {
        const timeMs = FROM_MS + random(YEAR_MS)
        return storage === 'bigint' ? flakeAt(timeMs) : (family as unknown as typeof flax).generateAt(timeMs)
      })
      const own = [...new Set(made)]
      for (let start = 0; start < rows; start += 5000) {
        const values = own.slice(start, start + 5000).map((id) => `(${literalOf(family, storage, id)})`)
        await database.query(`INSERT INTO ${table} VALUES ${values.join(', ')}`)
      }
      ids.set(table, own)
    }
    const lines: string[] = []
    const failures: string[] = []
    for (const [name, damage] of Object.entries({ ...ALWAYS, ...MOSTLY })) {
      let [runs, right] = [0, 0]
      for (const [table, { family, storage }] of Object.entries(tables)) {
        const prefix = isPrefixed(family) ? family.prefix : ''
        for (let n = 0; n < DAMAGED; n++) {
          const own = ids.get(table)
          if (own === undefined) continue
          const id = own[random(own.length)] as string
          const damaged = damage(id, prefix)
          if (damaged === id) continue
          const shown = storage === undefined || prefix === '' ? id : id.slice(prefix.length + 1)
          const ran = await cli(['find', '--json', '--', damaged, url])
          const { found, near = [] } = json<Printed>(ran)
          // UUIDs and ULIDs in another case are found as they are.
          if (found.length > 0) continue
          runs++
          if (near.some((one) => one.id === shown && one.place === `${table}.id`)) right++
          else if (name in ALWAYS)
            failures.push(`${name}: ${damaged} is ${id} of ${table}: ${JSON.stringify(near)}`)
          if (near.some((one) => one.id !== shown))
            failures.push(`${name}: ${damaged} is ${id}, not ${JSON.stringify(near)}`)
          if (ran.code !== 1) failures.push(`${name}: exit code ${ran.code}`)
        }
      }
      lines.push(`${name.padEnd(45)} ${right} of ${runs}`)
      if (right < (2 / 3) * runs) failures.push(`${name}: only ${right} of ${runs}`)
    }
    console.info(`${kind.name}, SNOFLAX_SEED=${SEED}\n${lines.join('\n')}`)
    await database.close()
    expect(failures).toEqual([])
  })
})
