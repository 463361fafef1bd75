import { isAlike, isWord, NAMED_PLACEHOLDER, neighbours, readSql, type SqlToken } from '@snoflax/core/adapter'
import type { ObjectLiteral } from 'typeorm'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'
import { isAsText } from '../columns/as-text.js'
import { convertingFor, dataSourceOf, type PreparedColumn, preparedOf, state } from '../columns/prepared.js'
import { type Builder, checkEqual, columnsCalled, columnsNamedIn, inSqlOf } from './names.js'
import { readerOf } from './rows.js'

/** Ends the name of a parameter that stands beside an id column, before the column's number; `x` is another column. */
const MARK = '.snoflax'
const MARKED = /:(?:\.\.\.)?([A-Za-z0-9_.]+?)(\.snoflax(\d+|x))?(?![A-Za-z0-9_.])/g

/** An application repeats its texts, except for long ones. */
const REMEMBERED = { texts: 500, length: 10_000 }

function remembered<Value>(known: Map<string, unknown>, text: string, make: () => Value): Value {
  const before = known.get(text) as Value | undefined
  if (before !== undefined) return before
  const value = make()
  if (known.size >= REMEMBERED.texts) known.clear()
  if (text.length <= REMEMBERED.length) known.set(text, value)
  return value
}

/**
 * Marks the parameters of a builder's SQL that stand beside id columns. It can't convert them yet, since values may still be
 * set, and the SQL may become a part of another builder's.
 *
 * @throws {IdError} for columns that are never equal, and for an id in the text that the database would not refuse.
 */
export function markParameters(query: string, builder: Builder): string {
  // The values of an insert were converted one by one.
  if (builder.expressionMap.queryType === 'insert') return query
  return remembered(preparedOf(dataSourceOf(builder)).marked, query, () => marked(query, builder))
}

function marked(query: string, builder: Builder): string {
  const dataSource = dataSourceOf(builder)
  const { columns, database: dialect, ids } = preparedOf(dataSource)
  const columnOf = columnsNamedIn(builder, query)
  const called = ({ parts }: SqlToken) => columnsCalled(parts, columnOf, builder)
  /** Null for a column whose values need no conversion, undefined for a name that may mean several. */
  const idColumnOf = (token: SqlToken): PreparedColumn | null | undefined => {
    const known = columnOf(token.parts)
    if (known) return convertingFor(known) ?? null
    const [first, ...others] = called(token).map(convertingFor)
    return first && others.every((one) => one && isAlike(one.inSql, first.inSql)) ? first : undefined
  }
  let text = ''
  let end = 0
  const tokens = readSql(query, { dialect, placeholder: NAMED_PLACEHOLDER })
  const beside = neighbours(tokens)
  const isUpdate = builder.expressionMap.queryType === 'update'
  const where = isUpdate ? tokens.findIndex((token) => token.open < 0 && isWord(token, 'WHERE')) : 0
  for (const [at, token] of tokens.entries()) {
    const names = beside.get(token) ?? []
    const isSet = at < where || where < 0
    if (token.kind === 'name')
      for (const name of names) checkEqual(called(token), called(name), dataSource, isSet)
    if (token.kind !== 'placeholder' || names.length === 0 || token.text.includes(MARK)) continue
    const [first, ...others] = names.map(idColumnOf)
    const isOne = others.every((one) => one === first || (one && first && isAlike(one.inSql, first.inSql)))
    if (first === undefined || !isOne) continue
    text += `${query.slice(end, token.end)}${MARK}${first ? columns.indexOf(first) : 'x'}`
    end = token.end
  }
  if (ids.mayBeIn(query, [])) find(query, builder, {})
  return text + query.slice(end)
}

/** The parameters of a text: the name with its mark, the name without, and the column. */
type Uses = readonly (readonly [key: string, name: string, column: PreparedColumn | null | undefined])[]

/** A builder's SQL and its parameters, with ids as they are stored. */
export function statementOf(builder: Builder): [string, unknown[]] {
  const { driver } = dataSourceOf(builder)
  const query = builder.getQuery()
  const parameters = withStoredIds(query, builder.getParameters(), builder)
  // TypeORM 0.3 has native parameters.
  const bind = driver.escapeQueryWithParameters.bind(driver) as (...given: unknown[]) => [string, unknown[]]
  const statement = bind(query, parameters, builder.expressionMap.nativeParameters)
  state.own.set(statement[1], readerOf(builder))
  return statement
}

/**
 * @param parameters as `getParameters()` copied them.
 * @throws {IdError} for a malformed id, and for one that can't be converted and that the database would not refuse.
 */
function withStoredIds(query: string, parameters: ObjectLiteral, builder: Builder): ObjectLiteral {
  const { columns, ids, uses } = preparedOf(dataSourceOf(builder))
  let others = Object.keys(parameters)
  if (query.includes(MARK)) {
    others = []
    const used = remembered<Uses>(uses, query, () =>
      Array.from(query.matchAll(MARKED), ([, name = '', mark = '', number]) => [
        name + mark,
        name,
        number === undefined ? undefined : (columns[Number(number)] ?? null),
      ]),
    )
    for (const [key, name, column] of used) {
      if (!Object.hasOwn(parameters, name)) continue
      const value: unknown = parameters[name]
      if (column === undefined) others.push(name)
      else parameters[key] = column && !isAsText(value) ? column.to(value) : value
    }
  }
  // Other texts were read when they were marked.
  const text = builder.expressionMap.queryType === 'insert' ? query : ''
  const values = others.map((name): unknown => parameters[name])
  if (!ids.mayBeIn(text, values)) return parameters
  const read = Object.fromEntries(
    others.flatMap((name, at) => (isAsText(values[at]) ? [] : [[name, values[at]]])),
  )
  for (const [name, column] of find(query, builder, read)) parameters[name] = column.to(read[name])
  return parameters
}

/** The columns of values that are ids, also of those that only their names tell. */
function find(sql: string, builder: Builder, values: ObjectLiteral): [string, PreparedColumn][] {
  const { ids, database: dialect } = preparedOf(dataSourceOf(builder))
  const columnOf = columnsNamedIn(builder, sql)
  const found = ids.find({
    sql,
    dialect,
    placeholder: NAMED_PLACEHOLDER,
    value: (name) => values[name],
    named: (parts) => inSqlOf(columnOf(parts)),
  })
  return [...found].map(([name, column]) => [name as string, (column as PreparedColumn['inSql']).column])
}

/** A list as one parameter: TypeORM creates one for each value, and we would read each of them. */
export function inOneParameter(builder: Builder, path: string, value: unknown): object | undefined {
  if (!InstanceChecker.isFindOperator(value) || value.type !== 'in') return undefined
  const list: unknown = value.value
  if (!Array.isArray(list) || list.length < 2) return undefined
  return { operator: 'in', parameters: [path, builder.createParameter(list).replace(':', ':...')] }
}
