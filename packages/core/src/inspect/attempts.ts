import type { IdFamily, StorageName } from '../family.js'
import { isPrefixed, ownOf } from '../identity.js'
import { isPrefix, prefixed, prefixOf } from '../prefixed/index.js'
import { checkString, IdError } from '../primitives/errors.js'
import { FORMS, type Form } from './forms.js'

/** The result of reading a text in one form. */
export type Attempt =
  | { readonly form: StorageName; readonly id: string; readonly error?: undefined }
  | { readonly form: StorageName; readonly id?: undefined; readonly error: IdError }

/** The families, without other keys that they accept, and, for a text with a prefix, the prefixed families of which it may be an id. */
export function kindsOf(families: readonly IdFamily[], text: string): IdFamily[] {
  return Array.from(new Set(families.map(ownOf))).flatMap((family) => {
    const prefix = isPrefixed(family) ? undefined : prefixOf(family, checkString(family.name, text))
    if (prefix === undefined || !isPrefix(prefix)) return [family]
    const kind = prefixed(family, prefix)
    return kind.is(text) ? [family, kind] : [family]
  })
}

/** Reads the text in each form that it could have and that the family's ids have; always as text. */
export function attempts(family: IdFamily, text: string): Attempt[] {
  checkString(family.name, text)
  return FORMS.filter((form) => hasForm(family, form) && form.fits(text)).map((form) =>
    attempt(form, family, text),
  )
}

/** Every id has a text and bytes, even if the family doesn't have those storages. */
const hasForm = ({ storages }: IdFamily, { name }: Form): boolean =>
  name === 'text' || name === 'binary' || storages.includes(name)

function attempt(form: Form, family: IdFamily, text: string): Attempt {
  try {
    return { form: form.name, id: form.read(family, text) }
  } catch (error) {
    if (error instanceof IdError) return { form: form.name, error }
    throw error
  }
}
