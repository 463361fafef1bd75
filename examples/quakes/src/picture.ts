import type { IdFamily } from '@snoflax/core'
import { fieldBits } from '@snoflax/core/inspect'
import type { QuakeIds } from './ids.js'
import type { Paint, Style } from './terminal/colour.js'
import { grouped, moment } from './terminal/numbers.js'

/** Bits of the longest field. */
const BITS_WIDTH = 56

const STYLES: readonly Style[] = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red']

/** The id of a quake: text, hex and fields, each field in its own colour. */
export function picture(paint: Paint, { family, meanings }: QuakeIds, id: string): string[] {
  const fields = fieldBits(family, id)
  const hex = Array.from(family.decode(id), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const styleOf = (index: number): Style => STYLES[index % STYLES.length] as Style

  /** Colours each character as the field in which its bits begin. */
  const paintBits = (text: string, bitsACharacter: number): string =>
    fields
      .map(({ position, bits }, index) => {
        const first = Math.ceil(position / bitsACharacter)
        const end = Math.ceil((position + bits.length) / bitsACharacter)
        return first < end ? paint(styleOf(index), text.slice(first, end)) : ''
      })
      .join('')

  // Digits of a decimal number belong to no single field, and a UUID's digits are those of its bytes.
  const isHex = id.replaceAll('-', '') === hex
  const head = 'prefix' in family ? `${family.prefix}_` : ''
  const bare = id.slice(head.length)
  const text =
    family.textLength === undefined || isHex
      ? id
      : head + paintBits(bare, Math.ceil((8 * family.byteLength) / bare.length))

  return [
    [
      paint('bold', family.name.padEnd(8)),
      isHex ? text.padEnd(46) : text + ' '.repeat(20 - id.length),
      ...(isHex ? [] : [paintBits(hex, 4) + ' '.repeat(24 - hex.length)]),
      moment(family.timeMs(id)),
    ].join('  '),
    ...fields.map(({ name, bits, value }, index) => {
      const meaning = meanings[name]?.(Number(value)) ?? plainMeaning(family, name, value)
      return [
        `  ${name.padEnd(12)}${String(bits.length).padStart(2)}`,
        paint(styleOf(index), bits) + ' '.repeat(Math.max(BITS_WIDTH - bits.length, 0)),
        meaning,
      ].join('  ')
    }),
  ]
}

/** The number; in hex if it is too long to read. */
function plainMeaning({ layout }: IdFamily, name: string, value: bigint): string {
  if (name === 'time') return `${grouped(value)} × ${layout.unitMs} ms`
  return value < 2n ** 32n ? grouped(value) : `0x${value.toString(16)}`
}
