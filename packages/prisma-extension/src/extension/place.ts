import { withPath } from '@snoflax/core/adapter'

/** The place of a value in the arguments of a call. A linked list, so that descending costs next to nothing. */
export interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

/** The outermost place: a call, such as `order.create`. */
export const outermost = (key: string): Place => ({ parent: undefined, key })

export const inside = (parent: Place, key: string | number): Place => ({ parent, key })

/** Runs the work. Its errors name the field and the place of the value. */
export const withPlace = <Result>(field: string, place: Place, work: () => Result): Result =>
  withPath(() => `${field}, in ${pathOf(place)}`, work)

/** `order.create: data.lines[0].id` */
function pathOf(place: Place): string {
  const keys: (string | number)[] = []
  let top = place
  for (; top.parent !== undefined; top = top.parent) keys.unshift(top.key)
  if (keys.length === 0) return `${top.key}`
  const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  return `${top.key}: ${path.replace(/^\./, '')}`
}
