/** What https://standardschema.dev asks of a validator, version 1. */
export interface StandardSchema<Output> {
  /** What validators, form libraries and RPC routers look for. */
  readonly '~standard': {
    /** Of the standard. */
    readonly version: 1
    /** Whose schema it is. */
    readonly vendor: 'snoflax'
    /** The value if it is an id, or one issue that says why not. Never throws. */
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Output; readonly issues?: undefined }
      | { readonly issues: readonly [{ readonly message: string }] }
    /** For the compiler alone: text in, ids out. */
    readonly types?: { readonly input: string; readonly output: Output }
  }
}

/** A validator out of a check, and a function that throws what is wrong with a value that fails it. */
export function standardSchema<Output>(
  is: (value: unknown) => value is Output,
  refuse: (value: unknown) => unknown,
): StandardSchema<Output>['~standard'] {
  return {
    version: 1,
    vendor: 'snoflax',
    validate: (value) => (is(value) ? { value } : { issues: [issue(value, refuse)] }),
  }
}

/** The message is made when it is read: most foreign values are refused without anybody looking. */
const issue = (value: unknown, refuse: (value: unknown) => unknown): { readonly message: string } => ({
  get message() {
    try {
      return String(refuse(value))
    } catch (error) {
      return (error as Error).message
    }
  },
})
