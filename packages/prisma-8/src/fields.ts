import type { ColumnTypeDescriptor } from '@prisma/orm-framework/components/codec'
import { IdError, type IdFamily } from '@snoflax/core'
import { paramsOf } from './columns.js'
import { type GeneratorParams, generatorId } from './defaults.js'
import { type Parts, packOf } from './pack.js'
import type { CodecTypes } from './types.js'

/** A column's type and generator, for `field.generated` of a contract in TypeScript. */
export interface GeneratedField {
  readonly type: ColumnTypeDescriptor
  readonly generated: {
    readonly kind: 'generator'
    readonly id: string
    readonly params?: Readonly<Record<string, string | number>>
  }
}

/** The field builders of contracts in TypeScript, for one database. */
function fieldsOf<Target extends string>({ columns, typeOf }: Parts<Target>) {
  function columnNamed(name: string) {
    const column = columns.find((each) => each.name === name)
    if (column) return column
    const names = columns.map((each) => each.name).join(', ')
    throw new IdError('INVALID_OPTION', `no column type ${name}; pass one of ${names}`, { value: name })
  }

  /** The type of a reference: `field.column(idColumn('Flax', { prefix: 'cus' }))`. */
  function idColumn(
    name: string,
    params: { readonly prefix?: string; readonly epoch?: number } = {},
  ): ColumnTypeDescriptor {
    const column = columnNamed(name)
    const typeParams = { ...column.fixedParams, ...paramsOf(column, params) }
    return {
      codecId: column.codecId,
      nativeType: typeOf(column),
      ...(Object.keys(typeParams).length > 0 && { typeParams }),
    }
  }

  /** A key and its generator: `field.generated(generatedId('Flax', { prefix: 'cus' })).id()`. */
  function generatedId(name: string, params: GeneratorParams = {}): GeneratedField {
    const { meta: _meta, partition: _partition, ...ofColumn } = params
    return {
      type: idColumn(name, ofColumn),
      generated: {
        kind: 'generator',
        id: generatorId(columnNamed(name)),
        ...(Object.keys(params).length > 0 && { params: { ...params } as Record<string, string | number> }),
      },
    }
  }

  return { idColumn, generatedId }
}

/** The exports of `/pack` for one database: the pack, its fields, and both with families of your own. */
export function packsOf<const Target extends string>(
  partsOf: (families: readonly IdFamily[]) => Parts<Target>,
) {
  /** The pack and the fields with families of your own: `const { pack: snoflax, idColumn } = withFamilies([ksuid])`. */
  const withFamilies = (families: readonly IdFamily[]) => {
    const parts = partsOf(families)
    const pack = packOf(parts)
    return { pack: pack as typeof pack & { readonly __codecTypes?: CodecTypes }, ...fieldsOf(parts) }
  }
  return { ...withFamilies([]), withFamilies }
}
