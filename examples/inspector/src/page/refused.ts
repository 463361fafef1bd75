import type { IdRefusal } from '@snoflax/core/inspect'
import { element } from './element.js'

/** Why a text is not an id of any family. */
export const refused = (refusals: readonly IdRefusal[]): HTMLElement =>
  element(
    'section',
    { class: 'refused', 'aria-labelledby': 'refused' },
    element('h2', { id: 'refused' }, 'No family and no storage form fits'),
    element('ul', {}, ...refusals.map(({ error }) => element('li', {}, error.message))),
  )
