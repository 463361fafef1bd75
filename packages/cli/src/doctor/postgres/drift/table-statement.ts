import { bracketed, type Created, created, type Statement, splitList } from './statement.js'

/** A table as the installer writes it. */
export interface TableStatement {
  readonly statement: Created
  readonly columns: readonly ColumnDefinition[]
  /** As pg_get_constraintdef() has them, but for what columns of a target they lead to. */
  readonly constraints: readonly string[]
}

export interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly isNotNull: boolean
  readonly defaultSql: string | undefined
}

export const tablesOf = (statements: readonly Statement[]): TableStatement[] =>
  created(statements, 'TABLE').map(tableOf)

const COLUMN = /^(\w+) (\w+)(?=( NOT NULL)?)(?=.*?(?: DEFAULT (\w+)|$))/

function tableOf(statement: Created): TableStatement {
  const { definition } = statement
  const items = splitList(bracketed(definition, definition.indexOf('(')).content)
  const constraints = items.flatMap(constraintsOf)
  const keys = constraints.find((one) => one.startsWith('PRIMARY KEY')) ?? ''
  const columns = items
    .filter((item) => !isConstraint(item))
    .map((item) => {
      const [, name, type, notNull, defaultSql] = COLUMN.exec(item) as unknown as [
        string,
        string,
        string,
        string | undefined,
        string | undefined,
      ]
      const isNotNull = notNull !== undefined || new RegExp(`\\b${name}\\b`).test(keys)
      return { name, type, isNotNull, defaultSql }
    })
  return { statement, columns, constraints }
}

const isConstraint = (item: string): boolean => /^(?:PRIMARY KEY|UNIQUE|FOREIGN KEY) \(/.test(item)

/** Those of a column in the words of a table's. */
function constraintsOf(item: string): string[] {
  if (isConstraint(item)) return [item]
  const name = item.replace(/ .*$/, '')
  const target = / REFERENCES ([\w.]+)/.exec(item)?.[1]
  return [
    ...(item.includes(' PRIMARY KEY') ? [`PRIMARY KEY (${name})`] : []),
    ...(item.includes(' UNIQUE') ? [`UNIQUE (${name})`] : []),
    ...(target === undefined ? [] : [`FOREIGN KEY (${name}) REFERENCES ${target}`]),
  ]
}
