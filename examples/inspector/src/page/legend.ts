import type { FieldBits } from '../bits.js'
import { element, row, table } from './element.js'

/** What each colour of the strip stands for, and the number that lies there. */
export const legend = (fields: readonly FieldBits[]): HTMLElement =>
  table(
    'Fields',
    ['Field', 'Bits', 'Width', 'Number', 'Hex'],
    fields.map((field, colour) =>
      row(
        nameOf(field, colour),
        field.first === field.last ? `${field.first}` : `${field.first}–${field.last}`,
        `${field.digits.length}`,
        element('code', {}, `${field.value}`),
        element('code', {}, hexOf(field)),
      ),
    ),
  )

const nameOf = ({ name }: FieldBits, colour: number): HTMLElement =>
  element('span', { class: 'named' }, element('span', { class: `swatch field${colour}` }), name)

const hexOf = ({ value, digits }: FieldBits): string =>
  value.toString(16).padStart(Math.ceil(digits.length / 4), '0')
