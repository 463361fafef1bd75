import { IdError } from '@snoflax/core'

/** Where in the arguments of a call a value sits. A list, so that descending costs next to nothing. */
export interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

/** The place that others are inside of: a call, such as `order.create`. */
export const outermost = (key: string): Place => ({ parent: undefined, key })

export const inside = (parent: Place, key: string | number): Place => ({ parent, key })

/** `order.create: data.lines[0].id` */
function pathOf(place: Place): string {
  const keys: (string | number)[] = []
  let top = place
  for (; top.parent !== undefined; top = top.parent) keys.unshift(top.key)
  if (keys.length === 0) return `${top.key}`
  const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  return `${top.key}: ${path.replace(/^\./, '')}`
}

/** The error, told with the field and the place where its value sat. */
export function placed(error: unknown, field: string, place: Place): unknown {
  const path = `${field}, in ${pathOf(place)}`
  if (error instanceof IdError) return error.at(path)
  if (error instanceof TypeError) return new TypeError(`${path}: ${error.message}`, { cause: error })
  return error
}
