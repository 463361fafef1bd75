import type { Misfit } from '../recognise.js'
import { element } from './element.js'

/** Why a text is no id of any family. */
export const refusals = (misfits: readonly Misfit[]): HTMLElement =>
  element(
    'section',
    { class: 'refused', 'aria-labelledby': 'refused' },
    element('h2', { id: 'refused' }, 'No family and no storage form fits'),
    element('ul', {}, ...misfits.map(({ reason }) => element('li', {}, reason))),
  )
