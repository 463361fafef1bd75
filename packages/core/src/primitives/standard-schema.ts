import type { IdError, IdErrorCode } from './errors.js'

/** A validator that follows version 1 of https://standardschema.dev. */
export interface StandardSchema<Output> {
  /** The property that form libraries, RPC routers and other validators look for. */
  readonly '~standard': {
    /** The version of the standard. */
    readonly version: 1
    /** The library that created the schema. */
    readonly vendor: 'snoflax'
    /** Returns the value if it is an id, else one issue that says why it is not. Never throws. */
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Output; readonly issues?: undefined }
      | { readonly issues: readonly [{ readonly message: string; readonly code: IdErrorCode }] }
    /** Standard JSON Schema: describes an id's text for OpenAPI and form builders. The same for every target. */
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
      readonly output: (options: { readonly target: string }) => Record<string, unknown>
    }
    /** Exists in types only: the types of input and output. */
    readonly types?: { readonly input: string; readonly output: Output }
  }
}

/** Creates a validator from a check and from a function that throws the error of a value that fails it. */
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

/** Creates the error when its message is read, since for most refused values nobody reads it. */
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
