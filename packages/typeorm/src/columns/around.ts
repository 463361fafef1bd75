/** Wraps a method of an object or of a prototype in a function that gets the object and the bound method. */
export function around<This, Given extends unknown[], Result>(
  owner: object,
  name: string,
  call: (self: This, method: (...given: Given) => Result, ...given: Given) => Result,
): void {
  const methods = owner as Record<string, (...given: Given) => Result>
  const method = methods[name] as (...given: Given) => Result
  methods[name] = function (this: This, ...given) {
    return call(this, method.bind(this), ...given)
  }
}
