import type { IdFamily } from '@snoflax/core'
import { isBytes, show, snakeCase } from '@snoflax/core/adapter'
import { refuse, typeName } from './values.js'

type Fields = Record<string, unknown>

const HEX = /^\\x((?:[0-9a-f]{2})*)$/

/**
 * Fields as a JSON object equal to PostgreSQL's for the same id: bytes are `\x` hex. A bigint is a number with
 * all its digits.
 */
export function fieldsJson(fields: Fields): string {
  const members = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(snakeCase(name))}:${valueJson(value)}`)
  return `{${members.join(',')}}`
}

function valueJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  return JSON.stringify(isBytes(value) ? `\\x${Buffer.from(value).toString('hex')}` : value)
}

/** Reads the results of {@link fieldsJson}. Names and types of the fields are those of a sample id. */
export function fieldsReader(family: IdFamily): (json: unknown) => Fields {
  // A lower bound has fields; the smallest id may be a UUIDv4, which has none.
  const sample = family.unpack(family.lowerBound(family.lastMs)) as Fields
  const names = new Map(Object.keys(sample).map((name) => [snakeCase(name), name]))
  const hasBigint = Object.values(sample).some((value) => typeof value === 'bigint')
  return (json) => {
    const fields = parseObject(family.name, json)
    const digits = hasBigint ? withDigits(json as string) : fields
    return Object.fromEntries(
      Object.entries(fields).map(([sqlName, value]) => {
        const name = names.get(sqlName) ?? refuseField(family.name, sqlName, names)
        if (typeof sample[name] === 'bigint') return [name, bigintOf(family.name, sqlName, digits[sqlName])]
        return [name, isBytes(sample[name]) ? bytesOf(value) : value]
      }),
    )
  }
}

function parseObject(family: string, json: unknown): Fields {
  const parsed = typeof json === 'string' ? parse(json) : undefined
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Fields
  const shown = typeof json === 'string' ? show(json) : typeName(json)
  return refuse(
    'INVALID_OPTION',
    family,
    'fields',
    `fields must be the text of a JSON object, not ${shown}`,
    json,
  )
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*(?:"|$)|-?\d[\d.eE+-]*/g
const WHOLE_NUMBER = /^-?\d+$/

/** The fields with integers as text, since JSON.parse rounds those above 2^53. */
const withDigits = (json: string): Fields =>
  JSON.parse(json.replace(STRING_OR_NUMBER, (token) => (WHOLE_NUMBER.test(token) ? `"${token}"` : token)))

function bigintOf(family: string, field: string, digits: unknown): bigint {
  if (typeof digits === 'string' && WHOLE_NUMBER.test(digits)) return BigInt(digits)
  const rule = `${field} must be an integer, not ${JSON.stringify(digits)}`
  return refuse('INVALID_OPTION', family, field, rule, digits)
}

const refuseField = (family: string, name: string, names: ReadonlyMap<string, string>): never =>
  refuse('INVALID_OPTION', family, name, `the fields are ${[...names.keys()].join(', ')}, not ${name}`)

/** Bytes of `\x` hex. Other texts are unchanged, and are refused like any wrong value of the field. */
function bytesOf(value: unknown): unknown {
  const [, hex] = (typeof value === 'string' && HEX.exec(value)) || []
  return hex === undefined ? value : Uint8Array.from(Buffer.from(hex, 'hex'))
}
