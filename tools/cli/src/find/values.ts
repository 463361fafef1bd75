import type { Database, DatabaseValue, IdFamily } from '@snoflax/core'
import { hexOf } from '@snoflax/core/adapter'
import { type IdReading, readings } from '@snoflax/core/inspect'
import { UsageError } from '../exit.js'
import { familiesFor } from '../ids/families.js'
import { exactStorage } from '../ids/forms.js'
import type { ValueType } from '../live/value-types.js'

/** A value as which a column may store the id. */
export interface Wanted {
  readonly type: ValueType
  readonly value: DatabaseValue
  /** The family that stores its ids so; undefined for the value as it was passed. */
  readonly family?: IdFamily
}

const LONGEST = 255
const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i
const HEX = /^(?:\\x|0x)((?:[\da-f]{2})+)$/i
const NUMBER = /^(?:0|-?[1-9]\d{0,19})$/
/** The smallest number that a column of a database can store as a bigint, and the first that is too large. */
export const boundsOfNumbers = (kind: Database): readonly [least: bigint, beyond: bigint] =>
  kind === 'mysql' || kind === 'mariadb' ? [-(2n ** 63n), 2n ** 64n] : [-(2n ** 63n), 2n ** 63n]

/** The readings of a text as an id, the likely ones only if there are any. */
export function likelyReadings(text: string): IdReading[] {
  const found = readings(text, familiesFor(text))
  const plausible = found.filter((one) => one.plausible)
  return plausible.length > 0 || NUMBER.test(text) ? plausible : found
}

/** The digits of a UUID in their groups. */
export const hyphenated = (digits: string): string =>
  digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The values to look for. @throws {UsageError} for what no column stores as an id. */
export function wantedFor(id: string, kind: Database): Wanted[] {
  if (id === '' || id.length > LONGEST)
    throw new UsageError(`an id has 1 to ${LONGEST} characters, not ${id.length}`)
  const [least, beyond] = boundsOfNumbers(kind)
  const found: Wanted[] = likelyReadings(id).flatMap(({ family, id: text }) =>
    family.storages.flatMap((storage): Wanted[] => {
      if (storage === 'bigint') {
        const value = exactStorage(family, 'mysql', storage).toDatabase(text)
        return BigInt(value as bigint) < beyond ? [{ type: 'number', value, family }] : []
      }
      const value = exactStorage(family, kind, storage).toDatabase(text)
      return [{ type: storage === 'uuid8' ? 'uuid' : storage, value, family }]
    }),
  )
  const [, digits] = HEX.exec(id) ?? []
  if (digits !== undefined) found.push({ type: 'binary', value: Buffer.from(digits, 'hex') })
  else if (/[\\\p{Cc}]/u.test(id)) throw new UsageError('an id has no backslashes and no control characters')
  else found.push({ type: 'text', value: id })
  if (UUID.test(id)) {
    const hex = id.replaceAll('-', '').toLowerCase()
    const uuid = hyphenated(hex)
    found.push({ type: 'uuid', value: uuid }, { type: 'text', value: uuid })
    found.push({ type: 'binary', value: Buffer.from(hex, 'hex') })
  }
  if (NUMBER.test(id) && BigInt(id) < beyond && BigInt(id) >= least)
    found.push({ type: 'number', value: BigInt(id) })
  const keyOf = ({ type, value }: Wanted): string =>
    `${type} ${typeof value === 'object' ? hexOf(value) : value}`
  return [...new Map(found.reverse().map((one) => [keyOf(one), one])).values()].reverse()
}
