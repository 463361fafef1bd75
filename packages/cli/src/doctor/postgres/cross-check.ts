import { getRandomValues } from 'node:crypto'
import { type IdFamily, storageFor, typeid, ulid, uuid7 } from '@snoflax/core'
import { snakeCase, sqlFunction } from '@snoflax/core/adapter'
import { families } from '../../ids/families.js'
import { byteaOf } from '../../ids/forms.js'
import { again, type Installation } from '../examination.js'
import type { LiveDatabase } from '../live-database.js'
import { type Finding, finding } from '../report.js'

const IDS = 200

interface Comparison {
  readonly expression: string
  readonly cases: readonly (readonly [input: string, expected: string])[]
}

/** Compares the results of TypeScript and of this server for random ids and texts. */
export async function crossCheck(database: LiveDatabase, installed: Installation): Promise<Finding[]> {
  const known = families().filter((family) => installed.families.includes(snakeCase(family.name) as never))
  const findings: Finding[] = []
  for (const family of known) {
    for (const comparison of comparisons(installed.schema, family)) {
      const difference = await differenceIn(database, comparison)
      if (difference !== undefined) {
        findings.push(finding('cross-check', comparison.expression, difference, again(installed)))
      }
    }
  }
  return findings
}

async function differenceIn(
  database: LiveDatabase,
  { expression, cases }: Comparison,
): Promise<string | undefined> {
  const sql = `SELECT (${expression.replaceAll('$1', 'input')})::text AS value
                 FROM unnest($1::text[]) WITH ORDINALITY AS given(input, n) ORDER BY n`
  try {
    const rows = await database.query(sql, [cases.map(([input]) => input)])
    const at = cases.findIndex(([, expected], n) => rows[n]?.['value'] !== expected)
    const [input, expected] = cases[at] ?? []
    if (input === undefined) return undefined
    return `for ${JSON.stringify(input)} the server returns ${rows[at]?.['value']}, but TypeScript returns ${expected}`
  } catch (error) {
    if (!isRefusal(error)) throw error
    return `the server refuses a value that TypeScript accepts: ${(error as Error).message}`
  }
}

/** Whether the statement itself failed, not the connection, for lack of resources or by an operator's command. */
const isRefusal = (error: unknown): boolean =>
  /^(?!08|53|57|58|XX)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))

function comparisons(schema: string, family: IdFamily): Comparison[] {
  if (family.name === uuid7.name) return uuidComparisons(schema)
  const call = (name: string, given = '$1'): string => `${sqlFunction(family, name, schema)}(${given})`
  const ids = Array.from({ length: IDS }, () => family.encode(randomBytes(family.byteLength)))
  const hex = (id: string): string => byteaOf(family.decode(id))
  const time = `(extract(epoch FROM ${call('time')}) * 1000)::bigint`
  return [
    { expression: call('decode'), cases: ids.map((id) => [id, hex(id)]) },
    { expression: call('encode', '$1::bytea'), cases: ids.map((id) => [hex(id), id]) },
    { expression: time, cases: ids.map((id) => [id, String(family.timeMs(id))]) },
    {
      expression: call('is_valid'),
      cases: [...ids, ...ids.map(spoilt)].map((text) => [text, String(family.is(text))]),
    },
    ...family.storages.flatMap((name): Comparison[] => {
      if (name === 'text' || name === 'binary') return []
      const type = name === 'bigint' ? 'bigint' : 'uuid'
      const storage = storageFor(family, 'postgres', { storage: name })
      const value = (id: string): string => String(storage.toDatabase(id))
      // PostgreSQL's bigint is signed, so only ids below 2^63 fit.
      const some = name === 'bigint' ? ids.filter((id) => (family.decode(id)[0] as number) < 0x80) : ids
      return [
        { expression: call(`to_${name}`), cases: some.map((id) => [id, value(id)]) },
        { expression: call(`from_${name}`, `$1::${type}`), cases: some.map((id) => [value(id), hex(id)]) },
        { expression: call('encode', `$1::${type}`), cases: some.map((id) => [value(id), id]) },
      ]
    }),
    ...(family.exactRange ? (['lower'] as const) : (['lower', 'upper'] as const)).map((end) => ({
      expression: call(`${end}_bound`, '$1::timestamptz'),
      cases: moments(family).map(
        (at) => [new Date(at).toISOString(), hex(family[`${end}Bound`](at))] as const,
      ),
    })),
  ]
}

function uuidComparisons(schema: string): Comparison[] {
  const times = moments(uuid7)
  const ids = times.map((timeMs) => uuid7.generateAt(timeMs))
  const key = typeid('key')
  const call = (name: string, given: string): string => `${schema}.${name}(${given})`
  return [
    {
      expression: `(extract(epoch FROM ${call('uuid7_time', '$1::uuid')}) * 1000)::bigint`,
      cases: ids.map((id) => [id, String(uuid7.timeMs(id))]),
    },
    {
      expression: call('uuid7_lower_bound', '$1::timestamptz'),
      cases: times.map((timeMs) => [new Date(timeMs).toISOString(), uuid7.lowerBound(timeMs)]),
    },
    { expression: call('ulid_encode', '$1::uuid'), cases: ids.map((id) => [id, ulid.fromUuid(id)]) },
    { expression: call('ulid_decode', '$1'), cases: ids.map((id) => [ulid.fromUuid(id), id]) },
    { expression: call('typeid_encode', "$1::uuid, 'key'"), cases: ids.map((id) => [id, key.fromUuid(id)]) },
    { expression: call('typeid_decode', "$1, 'key'"), cases: ids.map((id) => [key.fromUuid(id), id]) },
  ]
}

function moments({ firstMs, lastMs }: IdFamily): number[] {
  const span = Math.min(lastMs, Date.UTC(9999, 0)) - firstMs
  return Array.from({ length: IDS }, () => Math.floor(firstMs + random() * span))
}

/** Replaces one character with a random printable one. The result may still be an id. */
function spoilt(id: string): string {
  const at = Math.floor(random() * id.length)
  return id.slice(0, at) + String.fromCharCode(33 + Math.floor(random() * 94)) + id.slice(at + 1)
}

const randomBytes = (length: number): Uint8Array => getRandomValues(new Uint8Array(length))
const random = (): number => Math.random()
