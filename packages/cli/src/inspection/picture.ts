import type { IdReading } from '@snoflax/core'
import type { Colour, Paint } from '../terminal/colour.js'
import { type DescribedBits, type Description, describeReading } from './describe.js'

/** The description for people, indented by two. */
export function pictureReading(reading: IdReading, paint: Paint): string {
  const shown = describeReading(reading)
  const doubt = shown.plausible ? '' : paint('yellow', '  (an unlikely time)')
  const lines = [
    line('family', `${paint('bold', shown.family)}, given as ${shown.form}`),
    line('time', `${shown.timeUtc}${doubt}`),
    line('local', shown.timeLocal),
    ...block('fields', entries(shown.fields)),
    ...block('bits', bitLines(shown, paint)),
    ...block('storage', entries(shown.forms)),
  ]
  return lines.map((text) => `  ${text}`).join('\n')
}

const line = (label: string, text: string): string => `${label.padEnd(8)} ${text}`

const block = (label: string, texts: readonly string[]): string[] =>
  texts.map((text, n) => line(n === 0 ? label : '', text))

function entries(values: Readonly<Record<string, string | number>>): string[] {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  return Object.entries(values).map(([name, value]) => `${name.padEnd(width)} ${value}`)
}

const COLOURS: readonly Colour[] = ['cyan', 'magenta', 'yellow', 'green', 'blue', 'red']
const BITS_A_LINE = 32
const BITS_A_GROUP = 8

interface Bit {
  readonly bit: string
  readonly letter: string
  readonly colour: Colour
}

/** Lines of 32 bits, and below each one the letters of the fields that they belong to. */
function bitLines({ bits: fields }: Description, paint: Paint): string[] {
  const letters = lettersOf(fields)
  const colourOf = (n: number): Colour => COLOURS[n % COLOURS.length] as Colour
  const bits = fields.flatMap((field, n) =>
    Array.from(field.bits, (bit): Bit => ({ bit, letter: letters[n] as string, colour: colourOf(n) })),
  )
  const row = (start: number, part: 'bit' | 'letter'): string =>
    groups(bits.slice(start, start + BITS_A_LINE))
      .map((group) => paintRuns(group, part, paint))
      .join(' ')
  const legend = fields.map(({ name, bits }, n) => paint(colourOf(n), `${letters[n]} ${name} ${bits.length}`))
  const starts = Array.from({ length: Math.ceil(bits.length / BITS_A_LINE) }, (_, n) => n * BITS_A_LINE)
  return [...starts.flatMap((start) => [row(start, 'bit'), row(start, 'letter')]), legend.join('  ')]
}

/** One colour code for neighbours of one field. */
function paintRuns(bits: readonly Bit[], part: 'bit' | 'letter', paint: Paint): string {
  const runs: { colour: Colour; text: string }[] = []
  for (const bit of bits) {
    const last = runs.at(-1)
    if (last?.colour === bit.colour) last.text += bit[part]
    else runs.push({ colour: bit.colour, text: bit[part] })
  }
  return runs.map(({ colour, text }) => paint(colour, text)).join('')
}

function groups(bits: readonly Bit[]): Bit[][] {
  const count = Math.ceil(bits.length / BITS_A_GROUP)
  return Array.from({ length: count }, (_, n) => bits.slice(n * BITS_A_GROUP, (n + 1) * BITS_A_GROUP))
}

/** For each field the first letter of its name that no field before it has. */
function lettersOf(fields: readonly DescribedBits[]): string[] {
  const taken: string[] = []
  for (const { name } of fields) {
    const letter = [...name.toLowerCase()].find((one) => !taken.includes(one))
    taken.push(letter ?? '?')
  }
  return taken
}
