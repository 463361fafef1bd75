import { IdError, type IdFamily } from '@snoflax/core'
import { snakeCase } from './names.js'
import { quoted, typeName } from './values.js'

type Fields = Record<string, unknown>

const HEX = /^\\x((?:[0-9a-f]{2})*)$/

/** Fields as the JSON object that PostgreSQL makes of the same id's: bytes are `\x` hex. */
export function fieldsJson(fields: Fields): string {
  const entries = Object.entries(fields).map(([name, value]) => [
    snakeCase(name),
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

/** Reads what {@link fieldsJson} writes. Which fields there are, and which of them are bytes, an id shows. */
export function fieldsReader(family: IdFamily): (json: unknown) => Fields {
  const example = family.unpack(family.min) as Fields
  const names = new Map(Object.keys(example).map((name) => [snakeCase(name), name]))
  return (json) =>
    Object.fromEntries(
      Object.entries(parseObject(family.name, json)).map(([sqlName, value]) => {
        const name = names.get(sqlName) ?? refuseField(family.name, sqlName, [...names.keys()])
        return [name, example[name] instanceof Uint8Array ? bytesOf(value) : value]
      }),
    )
}

function parseObject(family: string, json: unknown): Fields {
  const parsed = typeof json === 'string' ? parse(json) : undefined
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Fields
  const shown = typeof json === 'string' ? quoted(json) : typeName(json)
  throw new IdError('INVALID_OPTION', `${family}: fields are the text of a JSON object, not ${shown}`, {
    family,
    field: 'fields',
    value: json,
  })
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function refuseField(family: string, name: string, names: readonly string[]): never {
  throw new IdError('INVALID_OPTION', `${family}: the fields are ${names.join(', ')}; ${name} is none`, {
    family,
    field: name,
  })
}

/** What is no hex stays, and is refused as any wrong value of the field is. */
function bytesOf(value: unknown): unknown {
  const [, hex] = (typeof value === 'string' && HEX.exec(value)) || []
  return hex === undefined ? value : Uint8Array.from(Buffer.from(hex, 'hex'))
}
