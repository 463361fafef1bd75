import type Database from 'better-sqlite3'
import type { Column } from '../columns/column.js'
import { quoteName } from '../columns/quote.js'
import type { Row } from '../live-database.js'
import { affinityOf } from './affinity.js'
import { columnCollations } from './table-sql.js'

export function readColumns(connection: Database.Database): Column[] {
  const tables = connection
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )
    .all() as { name: string; sql: string }[]
  return tables
    .filter(({ sql }) => !/^\s*CREATE\s+VIRTUAL/i.test(sql))
    .flatMap(({ name, sql }) => columnsOf(connection, name, sql))
}

type Ask = (question: string, ...parameters: (string | number)[]) => Row[]

function columnsOf(connection: Database.Database, table: string, sql: string): Column[] {
  const ask: Ask = (question, ...parameters) => connection.prepare(question).all(...parameters) as Row[]
  const infos = ask('SELECT * FROM pragma_table_xinfo(?) WHERE hidden = 0', table)
  const foreign = ask('SELECT * FROM pragma_foreign_key_list(?)', table)
  const indexes = ask(
    `SELECT i."unique" AS is_unique, i.partial, c.name, count(*) OVER (PARTITION BY i.name) AS columns, c.seqno
       FROM pragma_index_list(?) i JOIN pragma_index_info(i.name) c`,
    table,
  )
  const primary = infos.filter(({ pk }) => Number(pk) > 0)
  const collations = columnCollations(sql)
  const rows = Number(ask(`SELECT count(*) AS count FROM ${quoteName(table)}`)[0]?.['count'])
  return infos.map((info) => {
    const name = info['name'] as string
    const leading = indexes.filter((index) => index['name'] === name && Number(index['seqno']) === 0)
    const usable = leading.filter((index) => !Number(index['partial']))
    const isPrimary = primary.length === 1 && primary[0] === info
    return {
      table,
      name,
      quotedTable: quoteName(table),
      quotedName: quoteName(name),
      type: affinityOf(info['type'] as string),
      declared: info['type'] as string,
      length: undefined,
      collation: collations.get(name.toLowerCase()) ?? 'BINARY',
      isNullable: !Number(info['notnull']),
      defaultSql: (info['dflt_value'] as string | null) ?? undefined,
      isKey:
        isPrimary || usable.some((index) => Number(index['is_unique']) && Number(index['columns']) === 1),
      isIndexed: isPrimary || usable.length > 0,
      references: referenceOf(ask, foreign, name),
      rows,
    }
  })
}

/** In the target's own words, since SQLite takes any case. A foreign key without columns references the primary key. */
function referenceOf(ask: Ask, foreign: readonly Row[], name: string): string | undefined {
  const key = foreign.find((one) => sameName(one['from'] as string, name))
  if (!key) return undefined
  const columns = `SELECT m.name AS "table", c.name FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name = ? COLLATE NOCASE`
  const { table, to, seq } = key as { table: string; to: string | null; seq: number }
  const [target] =
    to === null
      ? ask(`${columns} AND c.pk = ?`, table, Number(seq) + 1)
      : ask(`${columns} AND c.name = ? COLLATE NOCASE`, table, to)
  return target && `${target['table']}.${target['name']}`
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
