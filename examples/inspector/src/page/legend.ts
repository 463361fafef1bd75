import type { FieldBits } from '@snoflax/core/inspect'
import { element, row, table } from './element.js'

/** The field and value of each colour in the strip. */
export const legend = (fields: readonly FieldBits[]): HTMLElement =>
  table(
    'Fields',
    ['Field', 'Bits', 'Width', 'Number', 'Hex'],
    fields.map((field, colour) =>
      row(
        nameOf(field, colour),
        placeOf(field),
        `${field.bits.length}`,
        element('code', {}, `${field.value}`),
        element('code', {}, hexOf(field)),
      ),
    ),
  )

const nameOf = ({ name }: FieldBits, colour: number): HTMLElement =>
  element('span', { class: 'named' }, element('span', { class: `swatch field${colour}` }), name)

const hexOf = ({ value, bits }: FieldBits): string =>
  value.toString(16).padStart(Math.ceil(bits.length / 4), '0')

/** First and last bit, both included. */
const placeOf = ({ position, bits: { length } }: FieldBits): string =>
  length === 1 ? `${position}` : `${position}–${position + length - 1}`
