import { quoteName } from '@snoflax/core/adapter'
import { type Relations, useOf } from '../code-uses.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { legacyIndex, legacyName, shownName } from '../plan.js'
import { isWord, readSql, type SqlToken } from '../read-sql.js'
import type { RetypedColumn } from '../references.js'
import { firstList, textOf } from '../sql-edits.js'
import type { Work } from '../work.js'
import { type MariadbColumn, readDefinition } from './catalog.js'
import { literal } from './session.js'

/**
 * The statement that creates a table's shadow: new types for some columns, and a column `legacy_…` for the old values of
 * each. The rest is unchanged, except for foreign keys, which come later. Notes what can't be recreated.
 */
export function* readShadow(
  session: Session,
  shadow: string,
  columns: readonly RetypedColumn[],
  known: readonly MariadbColumn[],
  relations: Relations,
  obstacles: Obstacles,
): Work<string> {
  const { table } = columns[0] as RetypedColumn
  const sql = yield* readDefinition(session, table)
  const tokens = readSql(sql, { dialect: 'mariadb' })
  const { close, items: before } = firstList(tokens)
  const items: string[] = []
  for (const item of before) {
    const [first] = item as [SqlToken]
    const column = first.text.startsWith('`')
      ? columns.find((one) => one.column === first.parts[0])
      : undefined
    if (column?.via?.kind === 'json') items.push(textOf(sql, item))
    else if (column) {
      const { comment = '' } = known.find(({ name }) => name === column.column) ?? {}
      noteColumn(column, known, item, textOf(sql, item), obstacles)
      items.push(definition(column, comment))
    } else if (!item.some((token) => isWord(token, 'FOREIGN'))) {
      noteItem(table, item, textOf(sql, item), columns, relations, obstacles)
      items.push(textOf(sql, item))
    }
  }
  for (const { column, type } of columns) items.push(`${quoteName(legacyName(column))} ${type} NULL`)
  for (const { column, root, isRoot } of columns) {
    if (isRoot) items.push(`UNIQUE KEY ${quoteName(legacyIndex(root))} (${quoteName(legacyName(column))})`)
  }
  const tail = sql.slice(tokens[close]?.start).replace(/^(\) ENGINE=\w+) AUTO_INCREMENT=\d+/, '$1')
  return `CREATE TABLE IF NOT EXISTS ${shadow} (\n  ${items.join(',\n  ')}\n${tail}`
}

const definition = ({ column, newType, notNull }: RetypedColumn, comment: string): string =>
  `${quoteName(column)} ${newType} ${notNull ? 'NOT NULL' : 'NULL'}` +
  (comment === '' ? '' : ` COMMENT ${literal(comment)}`)

function noteColumn(
  { table, column, isRoot }: RetypedColumn,
  known: readonly MariadbColumn[],
  item: readonly SqlToken[],
  text: string,
  obstacles: Obstacles,
): void {
  const { default: value } = known.find(({ name }) => name === column) ?? {}
  const isUnfit = item.some((token) => isWord(token, 'CHECK', 'GENERATED', 'AS', 'INVISIBLE'))
  if (isUnfit || (!isRoot && value != null))
    obstacles.note(
      `${shownName(table)}.${column}`,
      `the column is defined as ${text}; a check, default or expression cannot be copied; remove it from the table first`,
    )
  if (legacyName(column).length > 64)
    obstacles.note(
      `${shownName(table)}.${column}`,
      `the old values' column would be named ${legacyName(column)}, which is too long; rename the column`,
    )
}

/** Notes an unchanged column, an index or a check that uses a replaced column. */
function noteItem(
  table: string,
  item: readonly SqlToken[],
  text: string,
  columns: readonly RetypedColumn[],
  relations: Relations,
  obstacles: Obstacles,
): void {
  const isPlain = isWord(item[0], 'PRIMARY', 'UNIQUE', 'KEY', 'INDEX')
  const expression = item[0]?.text.startsWith('`') ? text.slice(item[0].text.length) : text
  const used = isPlain
    ? columns.find(({ column }) =>
        item.some((token, i) => token.parts[0] === column && item[i + 1]?.text === '(' && i > 2),
      )?.column
    : useOf(expression, 'mariadb', relations, shownName(table)).problem
  if (used !== undefined)
    obstacles.note(
      `${shownName(table)}.${used.replaceAll('`', '')}`,
      `${text} uses it and cannot be copied; remove that from the table first`,
    )
}
