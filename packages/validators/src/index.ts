import { IdError, type IdFamily, type StandardSchema } from '@snoflax/core'
import { checkFamilies } from '@snoflax/core/adapter'
import { refusal } from './refusal.js'

/** Families by the keys of an object. */
export type Families = Readonly<Record<string, IdFamily>>

/** The output: each id with the brand of its family. */
export type IdsOf<Shape extends Families> = {
  readonly [Name in keyof Shape]: ReturnType<Shape[Name]['parse']>
}

/** An issue of {@link https://standardschema.dev | Standard Schema}, with the code of the IdError. */
export interface IdIssue {
  /** The key, then the message of the IdError. */
  readonly message: string
  /** The code of the IdError. */
  readonly code: string
  /** The key; empty if the value is not an object. */
  readonly path: readonly string[]
}

/** A Standard Schema of an object with ids. */
export interface IdsSchema<Shape extends Families> {
  /**
   * Returns the object with its ids checked and branded; other keys are unchanged.
   *
   * @throws {IdError} for the first key without a valid id, with the key as `path`.
   */
  parse(value: unknown): IdsOf<Shape>
  /** The interface of Standard Schema. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'snoflax'
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: IdsOf<Shape>; readonly issues?: undefined }
      | { readonly issues: readonly IdIssue[] }
    readonly jsonSchema: StandardSchema<unknown>['~standard']['jsonSchema']
    readonly types?: {
      readonly input: { readonly [Name in keyof Shape]: string }
      readonly output: IdsOf<Shape>
    }
  }
}

/**
 * A schema of an object with ids, such as path parameters, a query or the input of a procedure. Other keys pass
 * unchanged. It is a Standard Schema and has `parse`, so libraries that accept either accept it.
 *
 * @example
 * const params = ids({ orderId: flax, customerId: sno })
 * params.parse({ orderId: 'Kpcan0M1FakODT4k', customerId: '9q7k4h922d78w222' }).orderId // 'Kpcan0M1FakODT4k'
 */
export function ids<const Shape extends Families>(shape: Shape): IdsSchema<Shape> {
  checkFamilies(shape, 'ids')
  const names = Object.keys(shape)
  const errorsOf = (value: unknown): IdError[] => {
    if (typeof value !== 'object' || value === null) {
      const message = `ids: expected an object with ${names.join(', ')}, not ${value === null ? 'null' : typeof value}`
      return [new IdError('INVALID_TYPE', message, { value })]
    }
    const record = value as Record<string, unknown>
    return names.flatMap((name) => refusal(shape[name] as IdFamily, record[name])?.at(name) ?? [])
  }
  const jsonSchema: StandardSchema<unknown>['~standard']['jsonSchema']['input'] = (options) => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(shape).map(([name, family]) => [name, family['~standard'].jsonSchema.input(options)]),
    ),
    required: names,
  })
  return {
    parse(value) {
      const [error] = errorsOf(value)
      if (error) throw error
      return value as IdsOf<Shape>
    },
    '~standard': {
      version: 1,
      vendor: 'snoflax',
      validate(value) {
        const errors = errorsOf(value)
        return errors.length === 0 ? { value: value as IdsOf<Shape> } : { issues: errors.map(issueOf) }
      },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  }
}

const issueOf = ({ message, code, path }: IdError): IdIssue => ({
  message,
  code,
  path: path === undefined ? [] : [path],
})
