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
    'flax.epochMs2000': (flax.layout.epochMs * 1000 - US_2000) / 1000,
    'flax.epochUs2000': flax.layout.epochMs * 1000 - US_2000,
    'flax.foreign': `[^${alphabet(flax, 6)}]`,
    'flax.digitsByCode': digitsByCode(alphabet(flax, 6), 128, 0),
    'flax.markedDigitsByCode': digitsByCode(alphabet(flax, 6), 256, 64),
    'flax.lastMs': flax.lastMs,
    'flax.lastMoment': new Date(flax.lastMs).toISOString(),
    'flax.middleMs': flax.layout.epochMs + 2 ** (bits(flax, 'time') - 1),
    'flax.time.bits': bits(flax, 'time'),
    'flax.time.max': max(bits(flax, 'time')),
    'flax.time.from': fromOfInt8(bits(flax, 'time')),
    'flax.random.bytes': bits(flax, 'random') / 8,
    'flax.random.from': 1 + byteAt(flax, 'random'),
    'flax.random.zero': zeros(bits(flax, 'random') / 8),

    ...common('sno', sno),
    ...textual('sno', sno, 5),
    'sno.epochUnits': sno.layout.epochMs / sno.layout.unitMs,
    'sno.epochUs2000': sno.layout.epochMs * 1000 - US_2000,
    'sno.foreign': `[^${alphabet(sno, 5)}]`,
    'sno.digitsByCode': digitsByCode(alphabet(sno, 5), 128, 0),
    'sno.markedDigitsByCode': digitsByCode(alphabet(sno, 5), 256, 32),
    'sno.lastMs': sno.lastMs,
    'sno.lastMoment': new Date(sno.lastMs).toISOString(),
    'sno.unitMs': sno.layout.unitMs,
    'sno.unitUs': sno.layout.unitMs * 1000,
    'sno.unitsPerSecond': 1000 / sno.layout.unitMs,
    'sno.time.bits': bits(sno, 'time'),
    'sno.time.max': max(bits(sno, 'time')),
    'sno.time.headShift': shift(sno, 'time') - shift(sno, 'meta'),
    'sno.tickTock.max': max(bits(sno, 'tickTock')),
    'sno.tickTock.headShift': shift(sno, 'tickTock') - shift(sno, 'meta'),
    'sno.meta.max': max(bits(sno, 'meta')),
    'sno.meta.at': byteAt(sno, 'meta'),
    'sno.partition.max': max(bits(sno, 'partition')),
    'sno.partition.at': byteAt(sno, 'partition'),
    'sno.sequence.bits': bits(sno, 'sequence'),
    'sno.sequence.max': max(bits(sno, 'sequence')),
    'sno.sequence.at': byteAt(sno, 'sequence'),

    ...common('flake', flake),
    'flake.maxCharacters': flake.max.length,
    'flake.maxEpochMs': MAX_DATE_MS - max(bits(flake, 'time')),
    'flake.time.bits': bits(flake, 'time'),
    'flake.time.max': max(bits(flake, 'time')),
    'flake.time.shift': shift(flake, 'time'),
    'flake.datacenter.max': max(bits(flake, 'datacenter')),
    'flake.datacenter.shift': shift(flake, 'datacenter'),
    'flake.worker.max': max(bits(flake, 'worker')),
    'flake.worker.shift': shift(flake, 'worker'),
    'flake.counter.max': max(bits(flake, 'counter')),

    ...common('uid', uid),
    'uid.foreign': `[^${alphabet(uid, 6)}]`,
    'uid.zero': zeros(uid.byteLength),
    ...textual('uid', uid, 6),
    'uid.lastMs': uid.lastMs,
    'uid.lastUs2000': BigInt(uid.lastMs) * 1000n - BigInt(US_2000),
    'uid.stepUs': stepUs(),
    'uid.stepsPerSecond': Math.ceil(1_000_000 / stepUs()),
    'uid.neighbourhood': uid.neighbourhood,
    'uid.neighbourhood.min': Math.min(...neighbourhoods()),
    'uid.neighbourhood.max': Math.max(...neighbourhoods()),
    'uid.megaSeconds.max': max(bits(uid, 'megaSeconds')),
    'uid.seconds.max': max(bits(uid, 'secondsHigh') + bits(uid, 'secondsLow')),
    'uid.microSeconds.max': max(bits(uid, 'step')) * stepUs(),
    'uid.node.bits': bits(uid, 'node'),
    'uid.node.max': max(bits(uid, 'node')),
    'uid.sequence.bits': bits(uid, 'sequence'),
    'uid.sequence.max': max(bits(uid, 'sequence')),

    ...common('uid_local', uidLocal),
    'uid_local.zero': zeros(uidLocal.byteLength),
    'uid_local.characters': uidLocal.min.length,
    'uid_local.alphabet': alphabet(uidLocal, 6),
    'uid_local.padding': uidLocal.min
      .charCodeAt(0)
      .toString(16)
      .repeat(uid.min.length - uidLocal.min.length),
    'uid_local.lastMs': uidLocal.lastMs,
    'uid_local.lastUs2000': BigInt(uidLocal.lastMs) * 1000n - BigInt(US_2000),
    'uid_local.megaSeconds.max': max(bits(uidLocal, 'megaSeconds')),
    'uid_local.megaSeconds.shift': shift(uidLocal, 'megaSeconds'),
    'uid_local.seconds.max': max(bits(uidLocal, 'seconds')),
    'uid_local.seconds.shift': shift(uidLocal, 'seconds'),
    'uid_local.step.max': max(bits(uidLocal, 'step')),
    'uid_local.step.shift': shift(uidLocal, 'step'),
    'uid_local.sequence.max': max(bits(uidLocal, 'sequence')),
  }
}

/**
 * @param {string} name
 * @param {Family} family
 * @returns {Constants}
 */
function common(name, family) {
  const tag = family.tag.toString(16).padStart(2, '0')
  return {
    [`${name}.bytes`]: family.byteLength,
    [`${name}.tag`]: tag,
    [`${name}.uuid8From`]: family.byteLength + 2,
    [`${name}.uuid8End`]: zeros(14 - family.byteLength) + tag,
    ...(family.layout.epochMs === 0 ? {} : { [`${name}.epochMs`]: family.layout.epochMs }),
  }
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
    [`${name}.digit0`]: everyByte(characters.charCodeAt(0)),
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
 * Where the bytes of a number of that width begin in what int8send() gives.
 *
 * @param {number} width
 */
function fromOfInt8(width) {
  return 9 - width / 8
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

/**
 * Bytes before the field.
 *
 * @param {Family} family
 * @param {string} field
 */
function byteAt(family, field) {
  return sum(family.layout.fields.slice(0, fieldIndex(family, field))) / 8
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
