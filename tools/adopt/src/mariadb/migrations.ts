import { quoteMysqlName, quoteName } from '@snoflax/core/adapter'
import { haveRows, legacyName, type RootPlan, shownName } from '../plan.js'
import { COLUMN_TYPE } from './catalog.js'
import { literal } from './session.js'
import { addKey, dropLegacy, type MariadbPlan, shadow, withoutChecks } from './statements.js'

/** One statement for any client, with quotes around names that every sql_mode accepts. */
const block = (lines: readonly string[]): string =>
  `BEGIN NOT ATOMIC\n${lines.map((line) => `  ${withBackticks(line)}`).join('\n')}\nEND`

export const withBackticks = (sql: string): string =>
  sql.replace(
    /'(?:[^'\\]|''|\\.)*(?:'|$)|`(?:[^`]|``)*(?:`|$)|"((?:[^"]|"")*)(?:"|$)/gs,
    (text, name?: string) => (name === undefined ? text : quoteMysqlName(name.replaceAll('""', '"'))),
  )

const signal = (message: string): string => `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = ${literal(message)};`

/** Makes the same change in a database whose tables are empty, and none in one that has been adopted. */
export function switchMigration({ roots, columns, details: { tables } }: MariadbPlan): string {
  const [first] = roots as [RootPlan]
  const create = tables.map((one, i) => one.create.replace(`IF NOT EXISTS ${shadow(i)}`, () => one.table))
  const keys = tables.flatMap(({ table, foreignKeys }) =>
    withoutChecks(
      table,
      foreignKeys.map((key) => addKey(key, quoteName(key.name), key.target)),
    ),
  )
  return block([
    'IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = database()',
    `    AND table_name = ${literal(shownName(first.table))} AND (column_name = ${literal(legacyName(first.key))}`,
    `      OR column_name = ${literal(first.key)} AND ${COLUMN_TYPE} <> ${literal(first.keyType)})) THEN`,
    `  IF ${haveRows(columns)} THEN`,
    `    ${signal('these tables have rows; run snoflax adopt backfill and switch on this database first')}`,
    '  END IF;',
    ...[
      `SET STATEMENT foreign_key_checks = 0 FOR DROP TABLE ${tables.map(({ table }) => table).join(', ')}`,
      ...create,
      ...keys,
    ].map((statement) => `  ${statement};`),
    'END IF;',
  ])
}

export const finishMigration = (state: string, plan: MariadbPlan): string =>
  block([
    `IF EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = database() AND table_name = ${literal(state)}) THEN`,
    `  ${signal('run snoflax adopt finish on this database first')}`,
    'END IF;',
    ...dropLegacy(plan).map((statement) => `${statement};`),
  ])
