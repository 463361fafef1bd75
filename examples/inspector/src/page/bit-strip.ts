import type { FieldBits } from '@snoflax/core/inspect'
import { element } from './element.js'

const BITS_OF_A_BYTE = 8

/** The id's bits, byte by byte, each in the colour of its field. The legend says the same in words. */
export function bitStrip(fields: readonly FieldBits[]): HTMLElement {
  const cells = fields.flatMap((field, colour) =>
    Array.from(field.bits, (digit, i) => {
      const edge = i === 0 ? ' edge' : ''
      return element('span', { class: `bit field${colour}${edge}` }, digit)
    }),
  )
  const bytes = Array.from({ length: cells.length / BITS_OF_A_BYTE }, (_, i) =>
    byteOf(cells.slice(BITS_OF_A_BYTE * i, BITS_OF_A_BYTE * (i + 1))),
  )
  return element('div', { class: 'strip', role: 'img', 'aria-label': wording(fields) }, ...bytes)
}

function byteOf(cells: readonly HTMLElement[]): HTMLElement {
  const value = Number.parseInt(cells.map((cell) => cell.textContent).join(''), 2)
  const hex = element('span', { class: 'hex' }, value.toString(16).padStart(2, '0'))
  return element('span', { class: 'byte' }, element('span', { class: 'bits' }, ...cells), hex)
}

const wording = (fields: readonly FieldBits[]): string =>
  fields.map(({ name, bits: { length } }) => `${length} ${length === 1 ? 'bit' : 'bits'} ${name}`).join(', ')
