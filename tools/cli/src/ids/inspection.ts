import { baseOf, isBytes, isPrefixed } from '@snoflax/core/adapter'
import { fieldBits } from '@snoflax/core/inspect'
import type { Colour, Paint } from '../terminal.js'
import type { Reading } from './families.js'
import { byteaOf, formsOf } from './forms.js'
import { showLocal, showUtc } from './time.js'

/** One field of an id, as JSON. */
interface DescribedBits {
  /** Name of the field. */
  readonly name: string
  /** Its bits as `0` and `1`. */
  readonly bits: string
  /** The same as an unsigned number, in decimal: it may be above 2^53. */
  readonly value: string
}

/** One reading of an id, as `inspect --json` prints it. */
export interface Description {
  /** The family's name. */
  readonly family: string
  /** The prefix, if the id has one. */
  readonly prefix?: string
  /** The canonical text, with its prefix. */
  readonly id: string
  /** The form in which it was passed: `text`, a storage, or `sealed`. */
  readonly form: string
  /** The creation time, in Unix milliseconds. */
  readonly timeMs: number
  /** The creation time in UTC, as ISO 8601. */
  readonly timeUtc: string
  /** The creation time in this process's time zone. */
  readonly timeLocal: string
  /** False for a time before 2010 or in the future: the id is probably another family's. */
  readonly plausible: boolean
  /** The fields by name; bytes as hex. */
  readonly fields: Readonly<Record<string, string | number>>
  /** The fields in the order of their bits, most significant first. */
  readonly bits: readonly DescribedBits[]
  /** The stored value by storage; as text with the prefix, otherwise without. */
  readonly forms: Readonly<Record<string, string>>
}

export function describeReading({ family, form, id, plausible }: Reading): Description {
  const timeMs = family.timeMs(id)
  return {
    family: baseOf(family).name,
    ...(isPrefixed(family) && { prefix: family.prefix }),
    id,
    form,
    timeMs,
    timeUtc: showUtc(timeMs),
    timeLocal: showLocal(timeMs),
    plausible,
    fields: fieldsOf(family.unpack(id) as object),
    bits: fieldBits(family, id).map(({ name, bits, value }) => ({ name, bits, value: String(value) })),
    forms: formsOf(family, id),
  }
}

const fieldsOf = (fields: object): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isBytes(value) ? byteaOf(value) : value]),
  )

/** The description for people, indented by two. */
export function pictureReading(reading: Reading, paint: Paint): string[] {
  const shown = describeReading(reading)
  const doubt = shown.plausible ? '' : paint('yellow', '  (an unlikely time)')
  const lines = [
    line('family', `${paint('bold', shown.family)}, as ${shown.form}`),
    ...(shown.prefix === undefined ? [] : [line('id', shown.id)]),
    line('time', `${shown.timeUtc}${doubt}`),
    line('local', shown.timeLocal),
    ...block('fields', entries(shown.fields)),
    ...block('bits', bitLines(shown, paint)),
    ...block('storage', entries(shown.forms)),
  ]
  return lines.map((text) => `  ${text}`)
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

/** Lines of 32 bits, each above a line with the letters of their fields. */
function bitLines({ bits: fields }: Description, paint: Paint): string[] {
  const letters = lettersOf(fields)
  const colourOf = (n: number): Colour => COLOURS[n % COLOURS.length] as Colour
  const owners = fields.flatMap(({ bits }, n) => Array.from(bits, () => n))
  const rows = [fields.map(({ bits }) => bits).join(''), owners.map((n) => letters[n]).join('')]
  // Starts a new text at each group or field, so that one colour code serves all bits of a field.
  const starts = owners.flatMap((n, at) => (at % BITS_A_GROUP === 0 || n !== owners[at - 1] ? [at] : []))
  const lines: string[] = []
  for (let first = 0; first < owners.length; first += BITS_A_LINE) {
    for (const row of rows) {
      const runs = starts.map((at, n) => {
        if (at < first || at >= first + BITS_A_LINE) return ''
        const gap = at % BITS_A_GROUP === 0 && at > first ? ' ' : ''
        return gap + paint(colourOf(owners[at] as number), row.slice(at, starts[n + 1]))
      })
      lines.push(runs.join(''))
    }
  }
  const legend = fields.map(({ name, bits }, n) => paint(colourOf(n), `${letters[n]} ${name} ${bits.length}`))
  return [...lines, legend.join('  ')]
}

/** For each field, the first letter of its name that no earlier field uses. */
function lettersOf(fields: readonly DescribedBits[]): string[] {
  const taken: string[] = []
  for (const { name } of fields) {
    const letter = [...name.toLowerCase()].find((one) => !taken.includes(one))
    taken.push(letter ?? '?')
  }
  return taken
}
