import type { Bound, FamilyCases, HexForm, Invalid, StorageCases } from '../../core/test/sql-cases.js'
import type { Checks } from './checks.js'
import { familyNamed, sqlFields, stored, type TestedFamily, TYPES } from './families.js'
import { checkId, packOf } from './id-checks.js'
import { microseconds, timestamptz } from './moments.js'
import { sqlState } from './specification.js'

/** NaN is no timestamptz, and SQL's parameters of integer type round or refuse fractions themselves. */
const isUnreachable = (value: unknown): boolean =>
  value === 'NaN' || (typeof value === 'number' && !Number.isInteger(value))

const moment = (timeMs: number | string): string =>
  timestamptz(typeof timeMs === 'string' ? Number(timeMs) : microseconds(timeMs))

/** flax's random field as bytes; in the file it is hex. */
function withBytes(fields: { readonly random?: string }): object {
  const { random } = fields
  return random === undefined ? fields : { ...fields, random: Buffer.from(random, 'hex') }
}

export function checkFamily(checks: Checks, file: string, cases: FamilyCases): void {
  const tested = familyNamed(file)
  const { epoch, neighbourhood } = cases.options ?? {}
  const chosen = epoch ?? neighbourhood
  const option = chosen === undefined ? '' : `, ${chosen}`
  for (const id of cases.valid) checkId(checks, tested, { ...id, fields: withBytes(id.fields ?? {}) }, option)
  for (const refused of cases.invalid) {
    if (!refused.skip?.includes('postgres')) checkRefusal(checks, tested, refused, option)
  }
  for (const bound of cases.lowerBound) checkBound(checks, tested, 'lower', bound, option)
  for (const bound of cases.upperBound) {
    checkBound(checks, tested, tested.family.exactRange ? 'lower' : 'upper', bound, option)
  }
  for (const { fromMs, toMs, gte, lt } of cases.range) {
    const bytes = (text: string) => `\\x${Buffer.from(tested.family.decode(text)).toString('hex')}`
    const end = tested.family.exactRange ? 'lower' : 'upper'
    checkBound(checks, tested, 'lower', { timeMs: fromMs, hex: bytes(gte).slice(2), text: gte }, option)
    checkBound(checks, tested, end, { timeMs: toMs, hex: bytes(lt).slice(2), text: lt }, option)
  }
  checkHex(checks, cases)
}

function checkBound(
  checks: Checks,
  { name, family }: TestedFamily,
  end: 'lower' | 'upper',
  { timeMs, hex, text }: Bound,
  option: string,
): void {
  const call = (ending: string) => `snoflax.${name}_${end}_bound${ending}($1::timestamptz${option})`
  checks.gives(call(''), moment(timeMs), `\\x${hex}`)
  if (family.storages.includes('text')) checks.gives(call('_text'), moment(timeMs), text)
}

function checkRefusal(checks: Checks, tested: TestedFamily, refused: Invalid, option: string): void {
  const { operation, input, code } = refused
  const state = sqlState(code)
  const { name, family } = tested
  switch (operation) {
    case 'decode':
      checks.gives(`snoflax.${name}_is_valid($1)`, input as string, 'false')
      for (const call of [
        'decode($1)',
        'encode($1)',
        `time($1${option})`,
        `unpack($1${option})`,
        'to_uuid8($1)',
      ])
        checks.refuses(`snoflax.${name}_${call}`, input as string, state)
      if (family.storages.includes('text'))
        checks.refuses(`$1::snoflax.${name}_text`, input as string, '23514')
      return
    case 'encode':
      checks.gives(`snoflax.${name}_is_valid($1::bytea)`, `\\x${input}`, 'false')
      for (const call of ['encode($1::bytea)', `time($1::bytea${option})`, 'to_uuid8($1::bytea)'])
        checks.refuses(`snoflax.${name}_${call}`, `\\x${input}`, state)
      checks.refuses(`$1::bytea::snoflax.${name}_binary`, `\\x${input}`, '23514')
      return
    case 'pack': {
      const fields = withBytes(input as object)
      if (Object.values(fields).some((value) => isUnreachable(value) || value === 'Infinity')) return
      checks.refuses(packOf(tested, option), sqlFields(tested, fields), state)
      return
    }
    case 'lowerBound':
    case 'upperBound': {
      if (input === 'NaN') return
      const end = operation === 'upperBound' && !family.exactRange ? 'upper' : 'lower'
      const call = `snoflax.${name}_${end}_bound($1::timestamptz${option})`
      checks.refuses(call, moment(input as number | string), state)
      return
    }
    case 'generateAt':
      // The other families have none in SQL.
      if (name === 'flax' && input !== 'NaN')
        checks.refuses('snoflax.flax_generate_at($1::timestamptz)', moment(input as number | string), state)
      return
    case 'range':
      // SQL has the two bounds only.
      return
    default:
      throw new Error(`no check for ${operation}`)
  }
}

function checkHex(checks: Checks, { hexForms = [], hexRefused = [], bigintRefused = [] }: FamilyCases): void {
  for (const form of hexForms) checkHexForm(checks, form)
  for (const { input, code } of hexRefused)
    checks.refuses('snoflax.flake_from_hex($1)', input, sqlState(code))
  for (const { input, code } of bigintRefused)
    checks.refuses('snoflax.flake_encode($1::bigint)', input, sqlState(code))
}

function checkHexForm(checks: Checks, { text, hex, accepted }: HexForm): void {
  checks.gives('snoflax.flake_to_hex($1)', text, hex)
  for (const form of accepted) checks.gives('snoflax.flake_encode(snoflax.flake_from_hex($1))', form, text)
}

export function checkStorages(checks: Checks, { valid, invalid }: StorageCases): void {
  const ours = ({ databases }: { databases: readonly string[] }) => databases.includes('postgres')
  for (const { family, storage, id, value } of valid.filter(ours)) {
    const { name } = familyNamed(family)
    const type = TYPES[storage]
    checks.gives(stored(name, storage, '$1'), id, value)
    checks.gives(`snoflax.${name}_encode($1::${type})`, value, id)
    checks.gives(`$1::${type}::snoflax.${name}_${storage}`, value, value)
    if (storage !== 'text' && storage !== 'binary')
      checks.gives(`snoflax.${name}_encode(snoflax.${name}_from_${storage}($1::${type}))`, value, id)
  }
  for (const { family, storage, operation, input, code } of invalid.filter(ours)) {
    const { name } = familyNamed(family)
    const value = `$1::${TYPES[storage]}`
    if (operation === 'toDatabase') {
      checks.refuses(stored(name, storage, '$1'), input as string, sqlState(code))
    } else if (operation === 'fromDatabase') {
      const read = storage === 'binary' || storage === 'text' ? 'encode' : `from_${storage}`
      checks.refuses(`snoflax.${name}_${read}(${value})`, input as string, sqlState(code))
    }
    // `define` is a matter of who defines columns.
  }
}
