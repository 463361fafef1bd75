import { type FlaxId, flax, type SnoId, type StandardSchema, sno } from '@snoflax/core'
import { expectTypeOf, test } from 'vitest'
import { type TicketId, ticket } from './ticket.js'

/** The interface of https://standardschema.dev, version 1, as its readers declare it. */
interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}
type Result<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }
interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
type InferInput<Schema extends StandardSchemaV1> = NonNullable<Schema['~standard']['types']>['input']
type InferOutput<Schema extends StandardSchemaV1> = NonNullable<Schema['~standard']['types']>['output']

test('families are Standard Schemas', () => {
  expectTypeOf(flax).toExtend<StandardSchemaV1<string, FlaxId>>()
  expectTypeOf(flax).not.toExtend<StandardSchemaV1<string, SnoId>>()
  expectTypeOf(ticket).toExtend<StandardSchemaV1<string, TicketId>>()
  expectTypeOf(sno).toExtend<StandardSchema<SnoId>>()
})

test('readers infer text in and a branded id out', () => {
  expectTypeOf<InferInput<typeof flax>>().toEqualTypeOf<string>()
  expectTypeOf<InferOutput<typeof flax>>().toEqualTypeOf<FlaxId>()
  expectTypeOf<InferOutput<typeof sno>>().toEqualTypeOf<SnoId>()
  expectTypeOf<InferOutput<typeof ticket>>().toEqualTypeOf<TicketId>()
})

test('issues narrows a result to a value or a refusal', () => {
  const result = flax['~standard'].validate('x')
  if (result.issues === undefined) expectTypeOf(result.value).toEqualTypeOf<FlaxId>()
  else expectTypeOf(result.issues[0].message).toBeString()
})
