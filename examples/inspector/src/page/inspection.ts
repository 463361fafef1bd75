import type { IdFamily } from '@snoflax/core'
import { fieldBits, type IdReading } from '@snoflax/core/inspect'
import { dayBounds } from '../day.js'
import { titleOf } from '../families.js'
import { momentOf } from '../moments.js'
import { type StoredForm, storedForms } from '../stored-forms.js'
import { unpacked } from '../unpacked.js'
import { bitStrip } from './bit-strip.js'
import { copyable } from './copy.js'
import { element, row, section, table } from './element.js'
import { legend } from './legend.js'

/** The content of an id. */
export function inspection({ family, id }: IdReading): readonly HTMLElement[] {
  const fields = fieldBits(family, id)
  return [
    section('Id', element('p', { class: 'id' }, copyable(id, `the ${titleOf(family)}`)), size(family)),
    section('Bits', bitStrip(fields), legend(fields)),
    element(
      'div',
      { class: 'beside' },
      section('Time', times(family.timeMs(id))),
      section('Unpacked', facts(unpacked(family, id))),
    ),
    section('Storages', storages(storedForms(family, id))),
    day({ family, id }),
  ]
}

const size = (family: IdFamily): HTMLElement =>
  element(
    'p',
    { class: 'note' },
    `${titleOf(family)}, ${family.byteLength} bytes, ${8 * family.byteLength} bits`,
  )

function times(timeMs: number): HTMLElement {
  const { utc, local, zone, relative } = momentOf(timeMs, Date.now())
  return facts([
    ['UTC', utc],
    [`Local (${zone})`, local],
    ['Relative', relative],
    ['Unix ms', String(timeMs)],
  ])
}

const facts = (pairs: readonly (readonly [string, string])[]): HTMLElement =>
  element(
    'dl',
    {},
    ...pairs.flatMap(([name, value]) => [
      element('dt', {}, name),
      element('dd', {}, element('code', {}, value)),
    ]),
  )

const storages = (forms: readonly StoredForm[]): HTMLElement =>
  table(
    'Storages',
    ['Storage', 'In PostgreSQL', 'Value'],
    forms.map((form) => row(form.storage, element('code', {}, form.column.sql), sqlOf(form, 'the id'))),
  )

function day({ family, id }: Pick<IdReading, 'family' | 'id'>): HTMLElement {
  const { date, bounds } = dayBounds(family, id)
  const title = `Ids of ${date} in UTC`
  const rows = bounds.map(({ gte, lt }) =>
    row(
      gte.storage,
      sqlOf(gte, `the lower bound of ${date}`),
      lt ? sqlOf(lt, `the upper bound of ${date}`) : element('span', { class: 'note' }, 'no id is later'),
    ),
  )
  const notes = family.exactRange ? [] : [overSelected(family)]
  return section(
    title,
    table(`Bounds of ${date}`, ['Storage', 'From, included', 'Until, excluded'], rows),
    ...notes,
  )
}

const overSelected = ({ name }: IdFamily): HTMLElement =>
  element(
    'p',
    { class: 'note' },
    `Between these bounds lie some ids of just before and after the day: recheck with ${name}.time.`,
  )

const sqlOf = ({ value, refusal, storage }: StoredForm, what: string): HTMLElement =>
  value === undefined
    ? element('span', { class: 'note' }, refusal ?? '')
    : copyable(value, `${what} as ${storage}`)
