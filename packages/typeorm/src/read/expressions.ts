import type { DataSource } from 'typeorm'
import type { PreparedColumn } from '../prepare/prepared-column.js'
import { idColumnAt, type Source, unquoted } from './id-paths.js'
import { passedOrPlainPath, splitAtCommas } from './operand.js'
import { dialectOf, isWord, type Token, tokensOf } from './tokens.js'

/** An expression that is selected, or several, and the name that TypeORM puts behind it. */
export interface Selected {
  readonly selection: string
  readonly aliasName?: string
}

/** What is selected under a name of its own, or that of its column; undefined where it is no id. */
export function expressionsOf(
  { selection, aliasName }: Selected,
  sources: readonly Source[],
  dataSource: DataSource,
): [string, PreparedColumn | undefined][] {
  return splitAtCommas(tokensOf(selection, dialectOf(dataSource))).flatMap((expression) => {
    const name = aliasName ?? nameOf(expression, dataSource)
    const tokens = isNamed(expression) ? expression.slice(0, -2) : expression
    const path = passedOrPlainPath(tokens)
    const column = path === undefined ? undefined : idColumnAt(path, sources)
    const key = name ?? (tokens.length === 1 ? column?.metadata.databaseName : undefined)
    return key === undefined ? [] : [[key, column] as [string, PreparedColumn | undefined]]
  })
}

const isNamed = (expression: readonly Token[]): boolean => isWord(expression.at(-2), 'AS')

/** The name that an expression is given by AS, as the database answers it. */
function nameOf(expression: readonly Token[], { options }: DataSource): string | undefined {
  if (!isNamed(expression)) return undefined
  const name = expression.at(-1)?.text ?? ''
  const plain = unquoted(name)
  return options.type === 'postgres' && plain === name ? name.toLowerCase() : plain
}
