import { getRandomValues } from 'node:crypto'
import { type StorageName, storageFor } from '@snoflax/core'
import { type AnyFamily, families, sqlName } from '../../ids/families.js'
import { hexOf } from '../../ids/forms.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { type Installation, installCommand } from './installation.js'
import type { Postgres } from './open.js'

const IDS = 200

/** An expression of `$1`, a text, with inputs and what TypeScript makes of them. */
interface Comparison {
  readonly expression: string
  readonly inputs: readonly string[]
  readonly expected: readonly string[]
}

/** Random ids and texts through TypeScript and through this very server: both must say the same. */
export async function crossCheck(
  { database }: Examination<Postgres>,
  installed: Installation,
): Promise<Finding[]> {
  const known = families().filter((family) => installed.families.includes(sqlName(family) as never))
  const findings: Finding[] = []
  for (const family of known) {
    for (const comparison of comparisons(installed.schema, family)) {
      const difference = await differenceIn(database, comparison)
      if (difference !== undefined) findings.push(found(installed, comparison.expression, difference))
    }
  }
  return findings
}

const found = (installed: Installation, expression: string, message: string): Finding => ({
  check: 'cross-check',
  severity: 'error',
  where: expression,
  message,
  cure: { shell: installCommand(installed) },
})

async function differenceIn(
  database: Postgres,
  { expression, inputs, expected }: Comparison,
): Promise<string | undefined> {
  const sql = `SELECT (${expression.replaceAll('$1', 'input')})::text AS value
                 FROM unnest($1::text[]) WITH ORDINALITY AS given(input, n) ORDER BY n`
  try {
    const rows = await database.query(sql, [inputs])
    const at = expected.findIndex((value, n) => rows[n]?.['value'] !== value)
    if (at < 0) return undefined
    return `of ${JSON.stringify(inputs[at])} the server makes ${rows[at]?.['value']}, and TypeScript ${expected[at]}`
  } catch (error) {
    if (!isRefusal(error)) throw error
    return `the server refuses what TypeScript takes: ${(error as Error).message}`
  }
}

/** An error of the statement: not one of the connection, of resources or of an operator's command. */
const isRefusal = (error: unknown): boolean =>
  /^(?!08|53|57|58|XX)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))

function comparisons(schema: string, family: AnyFamily): Comparison[] {
  const call = (name: string, given: string): string => `${schema}.${sqlName(family)}_${name}(${given})`
  const ids = Array.from({ length: IDS }, () => family.encode(randomBytes(family.byteLength)))
  const hex = ids.map((id) => hexOf(family.decode(id)))
  const times = ids.map((id) => String(family.timeMs(id)))
  const timeOf = (given: string): string => `(extract(epoch FROM ${call('time', given)}) * 1000)::bigint`
  const texts = [...ids, ...ids.map(spoilt)]
  return [
    { expression: call('decode', '$1'), inputs: ids, expected: hex },
    { expression: call('encode', '$1::bytea'), inputs: hex, expected: ids },
    { expression: timeOf('$1'), inputs: ids, expected: times },
    {
      expression: call('is_valid', '$1'),
      inputs: texts,
      expected: texts.map((text) => String(family.is(text))),
    },
    ...family.storages.flatMap((storage) => storageComparisons(call, family, storage, ids)),
    ...boundComparisons(call, family),
  ]
}

type Call = (name: string, given: string) => string

function storageComparisons(
  call: Call,
  family: AnyFamily,
  name: StorageName,
  all: readonly string[],
): Comparison[] {
  if (name === 'text' || name === 'binary') return []
  const storage = storageFor(family, 'postgres', { storage: name })
  // bigint holds the lower half only.
  const ids = name === 'bigint' ? all.filter((id) => (family.decode(id)[0] as number) < 0x80) : all
  const values = ids.map((id) => String(storage.toDatabase(id)))
  const hex = ids.map((id) => hexOf(family.decode(id)))
  const type = name === 'bigint' ? 'bigint' : 'uuid'
  return [
    { expression: call(`to_${name}`, '$1'), inputs: ids, expected: values },
    { expression: call(`from_${name}`, `$1::${type}`), inputs: values, expected: hex },
    { expression: call('encode', `$1::${type}`), inputs: values, expected: ids },
  ]
}

function boundComparisons(call: Call, family: AnyFamily): Comparison[] {
  const last = Math.min(family.lastMs, Date.UTC(9999, 0))
  const moments = Array.from({ length: IDS }, () =>
    Math.floor(family.firstMs + random() * (last - family.firstMs)),
  )
  const ends = family.exactRange ? (['lower'] as const) : (['lower', 'upper'] as const)
  return ends.map((end) => ({
    expression: call(`${end}_bound`, '$1::timestamptz'),
    inputs: moments.map((moment) => new Date(moment).toISOString()),
    expected: moments.map((moment) => hexOf(family.decode(family[`${end}Bound`](moment)))),
  }))
}

/** One character replaced by a random printable one: sometimes still an id. */
function spoilt(id: string): string {
  const at = Math.floor(random() * id.length)
  return id.slice(0, at) + String.fromCharCode(33 + Math.floor(random() * 94)) + id.slice(at + 1)
}

const randomBytes = (length: number): Uint8Array => getRandomValues(new Uint8Array(length))
const random = (): number => Math.random()
