import type { Database } from '@snoflax/core'
import { CastNode, DataTypeNode, FunctionNode, RawNode, sql, ValueNode } from 'kysely'
import * as mysql from 'kysely/helpers/mysql'
import * as postgres from 'kysely/helpers/postgres'
import * as sqlite from 'kysely/helpers/sqlite'
import { hasIds, type Meaning } from './meaning.js'
import type { Node } from './nodes.js'
import type { Relation } from './scope.js'

// Kysely's JSON helpers make raw SQL. It is known by what they make of nothing, so a version that makes something else
// has expressions that nobody knows, and those are refused where they answer ids.

/** Where the parts of a helper's SQL are. */
export interface JsonHelper {
  readonly form: 'array' | 'object' | 'build'
  /** The subquery, by the name that the helper gives it. */
  readonly alias: string
  rows(raw: RawNode): Node
  /** Keys and values, one after the other; none where the whole row becomes JSON. */
  pairs(raw: RawNode): readonly Node[]
  /** The parameter that has the pairs, and the one that is the subquery. */
  readonly pairsAt: number
  readonly rowsAt: number
}

const NOTHING = { toOperationNode: () => ({ kind: 'SelectQueryNode' }) } as never

const signature = ({ sqlFragments }: RawNode): string => sqlFragments.join('\u0000')

const helper = (
  form: JsonHelper['form'],
  made: { toOperationNode(): unknown },
  [pairsAt, rowsAt]: readonly [pairs: number, rows: number],
): [string, JsonHelper] => [
  signature(made.toOperationNode() as RawNode),
  {
    form,
    alias: form === 'array' ? 'agg' : 'obj',
    rows: ({ parameters }) => parameters[rowsAt] as Node,
    pairs: ({ parameters }) =>
      ((parameters[pairsAt] as RawNode | undefined)?.parameters ?? []).filter((_, at) => at % 2 === 0),
    pairsAt,
    rowsAt,
  },
]

const HELPERS: ReadonlyMap<string, JsonHelper> = new Map([
  helper('array', postgres.jsonArrayFrom(NOTHING), [-1, 0]),
  helper('object', postgres.jsonObjectFrom(NOTHING), [-1, 0]),
  helper('build', postgres.jsonBuildObject({}), [0, -1]),
  helper('array', sqlite.jsonArrayFrom(NOTHING), [0, 1]),
  helper('object', sqlite.jsonObjectFrom(NOTHING), [0, 1]),
  helper('build', sqlite.jsonBuildObject({}), [0, -1]),
  helper('array', mysql.jsonArrayFrom(NOTHING), [0, 1]),
  helper('object', mysql.jsonObjectFrom(NOTHING), [0, 1]),
])

/** The helper that made raw SQL, if one did. */
export function jsonHelper(raw: RawNode): JsonHelper | undefined {
  const found = raw.sqlFragments.length > 1 ? HELPERS.get(signature(raw)) : undefined
  const pairs = found && raw.parameters[found.pairsAt]
  // `sql.join()` has separators between its items, and no text of its own.
  return pairs && !(RawNode.is(pairs) && pairs.sqlFragments.every((text) => text === '')) ? undefined : found
}

/** An id as JSON can hold it exactly: bytes as hex, numbers as text. */
export function inJson(node: Node, meaning: Meaning): Node {
  if (!hasIds(meaning)) return node
  const { name, database } = meaning.ids.storage
  if (name === 'bigint') return castToText(node, database, meaning.is === 'list')
  if (name !== 'binary' || database === 'postgres') return node
  const hex = FunctionNode.create('hex', [node])
  return database === 'sqlite' ? FunctionNode.create('nullif', [hex, ValueNode.createImmediate('')]) : hex
}

function castToText(node: Node, database: Database, isList: boolean): Node {
  const type =
    database === 'postgres' ? (isList ? 'text[]' : 'text') : database === 'sqlite' ? 'text' : 'char'
  return CastNode.create(node, type === 'text' ? DataTypeNode.create('text') : RawNode.createWithSql(type))
}

/** Whether rows of the relation, as whole JSON objects, have ids that JSON rounds. */
export const isRounded = ({ columns }: Relation): boolean =>
  [...columns.values()].some((one) => hasIds(one) && one.ids.storage.name === 'bigint')

/** The rows of a subquery, their numbers as text: of two members of one name, JSON's reader takes the second. */
export function withTexts(rows: Node, { columns }: Relation): Node {
  const texts = [...columns].flatMap(([name, one]) =>
    hasIds(one) && one.ids.storage.name === 'bigint'
      ? [
          sql`, cast(${sql.ref(`r.${name}`)} as ${sql.raw(one.is === 'list' ? 'text[]' : 'text')}) as ${sql.ref(name)}`,
        ]
      : [],
  )
  const expression = { expressionType: undefined, toOperationNode: () => rows, isSelectQueryBuilder: false }
  return sql`(select r.*${sql.join(texts, sql``)} from ${expression as never} as r)`.toOperationNode()
}
