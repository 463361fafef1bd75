/** Neighbouring rows often refer to the same row, and to compare a value is quicker than to read it. */
export function remembering(read: (value: unknown) => unknown): (value: unknown) => unknown {
  let last: unknown = null
  let id: unknown = null
  return (value) => {
    if (value !== last) {
      id = read(value)
      last = value
    }
    return id
  }
}
