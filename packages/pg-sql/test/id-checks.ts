import type { KnownId } from '../../core/test/sql-cases.js'
import type { Checks } from './checks.js'
import { sqlFields, type TestedFamily } from './families.js'
import { usOf } from './moments.js'

/** Text ⇄ bytes ⇄ fields, and time. `option` is a last argument for functions whose result depends on it. */
export function checkId(checks: Checks, tested: TestedFamily, id: KnownId, option = ''): void {
  const call = (name: string, argument: string): string => `snoflax.${tested.name}_${name}(${argument})`
  const bytes = `\\x${id.hex}`
  checks.gives(call('encode', '$1::bytea'), bytes, id.text)
  checks.gives(call('encode', '$1'), id.text, id.text)
  checks.gives(call('decode', '$1'), id.text, bytes)
  checks.gives(call('is_valid', '$1'), id.text, 'true')
  checks.gives(call('is_valid', '$1::bytea'), bytes, 'true')
  if (tested.family.storages.includes('uuid')) {
    const uuid = call('to_uuid', '$1')
    checks.gives(`uuid_send(${uuid})`, id.text, `\\x${Buffer.from(id.text).toString('hex')}`)
    checks.gives(call('from_uuid', uuid), id.text, bytes)
  }
  if (id.timeMs !== undefined) {
    checks.gives(usOf(call('time', `$1::bytea${option}`)), bytes, String(BigInt(id.timeMs) * 1000n))
    checks.gives(usOf(call('time', `$1${option}`)), id.text, String(BigInt(id.timeMs) * 1000n))
  }
  if (id.fields) {
    const json = sqlFields(tested, id.fields)
    checks.gives(`row_to_json(${call('unpack', `$1${option}`)})`, id.text, json)
    checks.gives(packOf(tested, option), json, bytes)
  }
}

/** `pack` of `$1`, fields as JSON. */
export function packOf({ name }: TestedFamily, option = ''): string {
  return `snoflax.${name}_pack(jsonb_populate_record(NULL::snoflax.${name}_fields, $1::jsonb)${option})`
}
