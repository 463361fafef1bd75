// The facts of the layouts that the SQL files repeat, by the names that mark them there. All of it is worked out from
// what @snoflax/core and @snoflax/families export, so that a change of a layout shows as a difference.
import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'

/** @typedef {import('@snoflax/core').IdFamily<any, any>} Family */
/** @typedef {Record<string, string | number | bigint>} Constants */

const US_2000 = Date.UTC(2000, 0, 1) * 1000
/** Dates of JavaScript end this far from 1970. */
const MAX_DATE_MS = 8.64e15

/** @returns {Constants} */
export function layoutConstants() {
  return {
    bit0: everyByte(1),
    low5: everyByte(0x1f),
    low6: everyByte(0x3f),
    low7: everyByte(0x7f),
    us2000: US_2000,
    ...common('flax', flax),
    ...textual('flax', flax, 6),
    'flax.middleMs': flax.layout.epochMs + 2 ** (bits(flax, 'time') - 1),

    ...common('sno', sno),
    ...textual('sno', sno, 5),
    'sno.time.headShift': shift(sno, 'time') - shift(sno, 'meta'),
    'sno.tickTock.headShift': shift(sno, 'tickTock') - shift(sno, 'meta'),

    ...common('flake', flake),
    'flake.maxCharacters': flake.max.length,
    'flake.maxEpochMs': MAX_DATE_MS - max(bits(flake, 'time')),

    ...common('uid', uid),
    ...textual('uid', uid, 6),
    'uid.stepUs': stepUs(),
    'uid.stepsPerSecond': Math.ceil(1_000_000 / stepUs()),
    'uid.neighbourhood': uid.neighbourhood,
    'uid.neighbourhood.min': Math.min(...neighbourhoods()),
    'uid.neighbourhood.max': Math.max(...neighbourhoods()),
    'uid.seconds.max': max(bits(uid, 'secondsHigh') + bits(uid, 'secondsLow')),
    'uid.microSeconds.max': max(bits(uid, 'step')) * stepUs(),

    ...common('uid_local', uidLocal),
    ...textual('uid_local', uidLocal, 6),
    'uid_local.padding': uidLocal.min
      .charCodeAt(0)
      .toString(16)
      .repeat(uid.min.length - uidLocal.min.length),
  }
}

/**
 * What each family has, and each of its fields.
 *
 * @param {string} name
 * @param {Family} family
 * @returns {Constants}
 */
function common(name, { tag, byteLength, lastMs, layout: { epochMs, unitMs, fields } }) {
  const ending = tag.toString(16).padStart(2, '0')
  /** @type {Constants} */
  const constants = {
    bytes: byteLength,
    tag: ending,
    uuid8From: byteLength + 2,
    uuid8End: zeros(14 - byteLength) + ending,
    zero: zeros(byteLength),
    epochMs,
    epochMs2000: (epochMs * 1000 - US_2000) / 1000,
    epochUs2000: epochMs * 1000 - US_2000,
    epochUnits: epochMs / unitMs,
    unitMs,
    unitUs: unitMs * 1000,
    unitsPerSecond: 1000 / unitMs,
    lastMs,
    lastMoment: new Date(lastMs).toISOString(),
    lastUs2000: BigInt(lastMs) * 1000n - BigInt(US_2000),
  }
  fields.forEach(({ name: field, bits: width }, i) => {
    Object.assign(constants, {
      [`${field}.bits`]: width,
      [`${field}.max`]: max(width),
      [`${field}.shift`]: sum(fields.slice(i + 1)),
      [`${field}.at`]: sum(fields.slice(0, i)) / 8,
      [`${field}.bytes`]: width / 8,
      // Where its bytes begin in the id, and in what int8send() gives.
      [`${field}.start`]: 1 + sum(fields.slice(0, i)) / 8,
      [`${field}.from`]: 9 - width / 8,
      [`${field}.zero`]: zeros(width / 8),
    })
  })
  return Object.fromEntries(Object.entries(constants).map(([key, value]) => [`${name}.${key}`, value]))
}

/**
 * Length and alphabet, and the numbers with which bigints turn 8 digits into ASCII codes and back; see flax.sql.
 *
 * @param {string} name
 * @param {Family} family
 * @param {number} digitBits
 * @returns {Constants}
 */
function textual(name, family, digitBits) {
  const characters = alphabet(family, digitBits)
  /** @type {Constants} */
  const constants = {
    [`${name}.characters`]: family.min.length,
    [`${name}.alphabet`]: characters,
    [`${name}.foreign`]: `[^${characters}]`,
    [`${name}.prefixedPattern`]: `^[a-z]([a-z0-9_]*[a-z0-9])?_[${characters}]{16}$`,
    [`${name}.digit0`]: everyByte(characters.charCodeAt(0)),
    [`${name}.digitsByCode`]: digitsByCode(characters, 128, 0),
    [`${name}.markedDigitsByCode`]: digitsByCode(characters, 256, characters.length),
  }
  let seenBit6 = false
  for (let digit = 1; digit < characters.length; digit++) {
    const code = characters.charCodeAt(digit)
    const skipped = code - characters.charCodeAt(digit - 1) - 1
    const toldByBit6 = code >= 64 && !seenBit6
    if (code >= 64) seenBit6 = true
    if (skipped === 0) continue
    constants[`${name}.from${digit}`] = everyByte(characters.length - digit)
    if (skipped > 1) constants[`${name}.skip${digit}`] = skipped
    // The first digit whose code has bit 6 is told by that bit.
    if (!toldByBit6) constants[`${name}.code${digit}`] = everyByte(64 - (code & 63))
  }
  return constants
}

/**
 * @param {Family} family
 * @param {number} digitBits
 */
function alphabet(family, digitBits) {
  const digits = Array.from({ length: 2 ** digitBits }, (_, digit) => {
    const bytes = new Uint8Array(family.byteLength)
    bytes[0] = digit << (8 - digitBits)
    return family.encode(bytes).charAt(0)
  })
  return digits.join('')
}

/**
 * A byte for each code, in hex: the digit of the character, or what other codes get.
 *
 * @param {string} characters
 * @param {number} codes
 * @param {number} foreign
 */
function digitsByCode(characters, codes, foreign) {
  return Array.from({ length: codes }, (_, code) => characters.indexOf(String.fromCharCode(code)))
    .map((digit) => (digit < 0 ? foreign : digit).toString(16).padStart(2, '0'))
    .join('')
}

/** @param {number} value */
function everyByte(value) {
  return BigInt(value) * 0x0101010101010101n
}

/** @param {number} width */
function max(width) {
  return 2 ** width - 1
}

/** @param {number} bytes */
function zeros(bytes) {
  return '00'.repeat(bytes)
}

/**
 * @param {Family} family
 * @param {string} field
 */
function fieldIndex(family, field) {
  const index = family.layout.fields.findIndex(({ name }) => name === field)
  if (index < 0) throw new Error(`${family.name} has no field ${field}`)
  return index
}

/**
 * @param {Family} family
 * @param {string} field
 */
function bits(family, field) {
  const index = fieldIndex(family, field)
  return sum(family.layout.fields.slice(index, index + 1))
}

/**
 * Bits below the field.
 *
 * @param {Family} family
 * @param {string} field
 */
function shift(family, field) {
  return sum(family.layout.fields.slice(fieldIndex(family, field) + 1))
}

/** @param {readonly import('@snoflax/core').LayoutField[]} fields */
function sum(fields) {
  return fields.reduce((total, field) => total + field.bits, 0)
}

function stepUs() {
  return Math.round(uid.layout.unitMs * 1000)
}

function neighbourhoods() {
  return Array.from({ length: 33 }, (_, n) => n).filter((n) => {
    try {
      return uid.withNeighbourhood(n)
    } catch {
      return false
    }
  })
}
