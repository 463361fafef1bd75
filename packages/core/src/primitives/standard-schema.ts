import type { IdError, IdErrorCode } from './errors.js'

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
      | { readonly issues: readonly [{ readonly message: string; readonly code: IdErrorCode }] }
    /** Of Standard JSON Schema: the form of an id's text, for OpenAPI and form builders. Alike for every target. */
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
      readonly output: (options: { readonly target: string }) => Record<string, unknown>
    }
    /** For the compiler alone: text in, ids out. */
    readonly types?: { readonly input: string; readonly output: Output }
  }
}

/** A validator out of a check, and a function that throws what is wrong with a value that fails it. */
export function standardSchema<Output>(
  is: (value: unknown) => value is Output,
  refuse: (value: unknown) => unknown,
  pattern: RegExp,
  length: number | undefined,
): StandardSchema<Output>['~standard'] {
  const schema = () => ({
    type: 'string',
    pattern: pattern.source,
    ...(length !== undefined && { minLength: length, maxLength: length }),
  })
  return {
    version: 1,
    vendor: 'snoflax',
    validate: (value) => (is(value) ? { value } : { issues: [issue(value, refuse)] }),
    jsonSchema: { input: schema, output: schema },
  }
}

/** The error is made when it is looked at: most foreign values are refused without anybody looking. */
function issue(
  value: unknown,
  refuse: (value: unknown) => unknown,
): { readonly message: string; readonly code: IdErrorCode } {
  const error = (): IdError => {
    try {
      return refuse(value) as never
    } catch (error) {
      return error as IdError
    }
  }
  return {
    get message() {
      return error().message
    },
    get code() {
      return error().code
    },
  }
}
