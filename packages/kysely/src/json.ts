import type { Database } from '@snoflax/core'
import { CastNode, DataTypeNode, FunctionNode, RawNode, sql, ValueNode } from 'kysely'
import * as mysql from 'kysely/helpers/mysql'
import * as postgres from 'kysely/helpers/postgres'
import * as sqlite from 'kysely/helpers/sqlite'
import type { ColumnIds } from './column-ids.js'
import { type Held, isHeld, type Meaning } from './meaning.js'
import type { Node } from './nodes.js'
import type { Relation } from './scope.js'

// Kysely's JSON helpers return raw SQL. We recognize it by comparing it with what they return for an empty query, so in
// a version that returns other SQL these are unknown expressions.

/** The positions of the parts of a helper's SQL. */
export interface JsonHelper {
  readonly form: 'array' | 'object' | 'build'
  /** The subquery's alias in the helper's SQL. */
  readonly alias: string
  rows(raw: RawNode): Node
  /** Keys and values alternately; none if the whole row becomes JSON. */
  pairs(raw: RawNode): readonly Node[]
  /** The indexes of the parameters with the pairs and with the subquery. */
  readonly pairsAt: number
  readonly rowsAt: number
}

const NOTHING = { toOperationNode: () => ({ kind: 'SelectQueryNode' }) } as never

const signature = ({ sqlFragments }: RawNode): string => sqlFragments.join('\u0000')

const helper = (
  form: JsonHelper['form'],
  helper: { toOperationNode(): unknown },
  [pairsAt, rowsAt]: readonly [pairs: number, rows: number],
): [string, JsonHelper] => [
  signature(helper.toOperationNode() as RawNode),
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

/** The helper that created raw SQL, if one did. */
export function jsonHelper(raw: RawNode): JsonHelper | undefined {
  const found = raw.sqlFragments.length > 1 ? HELPERS.get(signature(raw)) : undefined
  const pairs = found && raw.parameters[found.pairsAt]
  // The text of `sql.join()` consists only of separators.
  return pairs && !(RawNode.is(pairs) && pairs.sqlFragments.every((text) => text === '')) ? undefined : found
}

/** An expression of an id, exact in JSON: bytes as hex, numbers as text. */
export function inJson(node: Node, meaning: Meaning): Node {
  if (!isHeld(meaning) || meaning.ids.isText) return node
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

/** A column of the relation whose ids JSON rounds. */
export const roundedIn = ({ columns }: Relation): ColumnIds | undefined =>
  [...columns.values()].find((one): one is Held => isHeld(one) && one.ids.storage.name === 'bigint')?.ids

/** The rows of a subquery with numbers also as text: JSON.parse takes the second of two members of one name. */
export function withTexts(rows: Node, { columns }: Relation): Node {
  const texts = [...columns].flatMap(([name, one]) =>
    isHeld(one) && one.ids.storage.name === 'bigint'
      ? [
          sql`, cast(${sql.ref(`r.${name}`)} as ${sql.raw(one.is === 'list' ? 'text[]' : 'text')}) as ${sql.ref(name)}`,
        ]
      : [],
  )
  const expression = { expressionType: undefined, toOperationNode: () => rows, isSelectQueryBuilder: false }
  return sql`(select r.*${sql.join(texts, sql``)} from ${expression as never} as r)`.toOperationNode()
}
