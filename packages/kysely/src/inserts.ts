import {
  ColumnNode,
  type InsertQueryNode,
  type OperationNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import type { ColumnIds } from './column-ids.js'
import type { AnyNode } from './nodes.js'

/** The parts of an insert that new ids change. */
export type InsertedParts = Pick<InsertQueryNode, 'columns' | 'values' | 'defaultValues'>

/**
 * The columns and values of an insert, with an id in each row that has none.
 *
 * @param columns the id columns of the table.
 * @param encode the node of a value, for the column of this name.
 */
export function insertedParts(
  query: InsertQueryNode,
  columns: ReadonlyMap<string, ColumnIds>,
  encode: (node: OperationNode, name: string) => OperationNode,
): InsertedParts {
  const { values, defaultValues = false } = query
  const isMerge = query.into === undefined
  const names = query.columns?.map(({ column }) => column.name) ?? []
  const missing = [...columns].filter(([name, ids]) => ids.generate && !names.includes(name))
  const [[, first] = []] = missing
  if (isMerge && first) {
    throw first.refuse(
      'the insert of a merge would write one id into every row; pass a column of the source, or let the database generate ids',
    )
  }
  if (values !== undefined && !ValuesNode.is(values)) {
    if (first && query.columns) {
      throw first.refuse(
        'an insert from a query generates no ids; select one for each row, or let the database generate them',
      )
    }
    return { values: encode(values, '') } as InsertedParts
  }
  if (values === undefined && !(defaultValues && first)) return {} as InsertedParts
  const rows = values?.values ?? [ValueListNode.create([])]
  const made = rows.map((row) => {
    const given = nodesOf(row).map((node, at) => {
      const name = names[at] as string
      const ids = columns.get(name)
      refuseNull(ids, node)
      return node.kind === 'DefaultInsertValueNode' && ids?.generate ? newId(ids) : encode(node, name)
    })
    return ValueListNode.create([...given, ...missing.map(([, ids]) => newId(ids))])
  })
  return {
    columns: [...(query.columns ?? []), ...missing.map(([name]) => ColumnNode.create(name))],
    values: ValuesNode.create(made as never),
    defaultValues: false,
  }
}

const newId = (ids: ColumnIds): ValueNode =>
  ValueNode.create(ids.toDatabase((ids.generate as () => string)()))

/** The values of a row. */
export function nodesOf(row: OperationNode): readonly OperationNode[] {
  const one = row as AnyNode
  if (one.kind === 'PrimitiveValueListNode') return one.values.map((value) => ValueNode.create(value))
  return one.kind === 'ValueListNode' || one.kind === 'TupleNode' ? one.values : [row]
}

export function refuseNull(ids: ColumnIds | undefined, value: OperationNode): void {
  if (ids?.column.role !== 'generated' || !ValueNode.is(value) || value.value !== null) return
  throw ids.refuse('a generated id cannot be null; leave it out to have it generated', null)
}
