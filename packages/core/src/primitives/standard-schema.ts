import { IdError } from './errors.js'

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

/** A validator out of a function that returns the value or throws. */
export function standardSchema<Output>(
  parse: (value: unknown) => Output,
): StandardSchema<Output>['~standard'] {
  return {
    version: 1,
    vendor: 'snoflax',
    validate(value) {
      try {
        return { value: parse(value) }
      } catch (error) {
        if (error instanceof IdError || error instanceof TypeError)
          return { issues: [{ message: error.message }] }
        throw error
      }
    },
  }
}
