import type { IdReading } from '@snoflax/core/inspect'
import { titleOf } from '../families.js'
import { relative } from '../moments.js'
import { element } from './element.js'

/** The readings of a text to choose from, with the first selected. */
export function fitChoice(fits: readonly IdReading[], onChoice: (fit: IdReading) => void): HTMLElement {
  const options = fits.map((fit, i) => option(fit, i === 0, () => onChoice(fit)))
  return element('fieldset', { class: 'fits' }, element('legend', {}, title(fits.length)), ...options)
}

const title = (count: number): string => (count === 1 ? 'Fits one family' : `Can be read in ${count} ways`)

function option(fit: IdReading, isChosen: boolean, onChoice: () => void): HTMLElement {
  const { family, form, id, plausible } = fit
  const input = element('input', { type: 'radio', name: 'fit', value: `${family.name} ${form}` })
  input.checked = isChosen
  input.addEventListener('change', onChoice)
  const age = `${relative(family.timeMs(id) - Date.now())}${plausible ? '' : ', unlikely'}`
  return element(
    'label',
    { class: plausible ? 'fit' : 'fit unlikely' },
    input,
    element('strong', {}, titleOf(family)),
    element('span', {}, `as ${form}`),
    element('span', { class: 'note' }, age),
  )
}
