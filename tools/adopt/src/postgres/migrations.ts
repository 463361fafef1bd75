import { quoteText } from '@snoflax/core/adapter'
import type { Stage } from '../adoption.js'
import type { Statements } from '../driver.js'
import { type AddedIndex, haveRows, legacyName, type Plan, type RootPlan } from '../plan.js'
import type { PostgresDetails } from './details.js'

/** Built over new columns while backfilling, and over old ones after the switch. */
export const addedIndexes = ({ details }: Plan<PostgresDetails>, stage: Stage): AddedIndex[] =>
  details.indexes
    .filter(({ replaces }) => stage === 'backfilling' || (stage === 'switched' && !replaces))
    .map((index) => ({
      ...index,
      name: stage === 'backfilling' ? index.temporary : index.name,
      columns:
        stage === 'switched' ? index.columns.map((column) => column && legacyName(column)) : index.columns,
    }))

/** Statements that the server parses only if they run. */
const block = (lines: readonly string[]): string =>
  `DO $snoflax$\nDECLARE snoflax_path text := current_setting('search_path');\nBEGIN\n${lines
    .map((line) => `  ${line}`)
    .join('\n')}\n  PERFORM set_config('search_path', snoflax_path, true);\nEND $snoflax$`

const execute = (statement: string): string => `EXECUTE $ddl$${statement}$ddl$;`

/** Details that belong to one database, not to the schema. */
const isLocal = (statement: string): boolean =>
  /^(GRANT|REVOKE) |^ALTER .* OWNER TO |snoflax_adoption|session_replication_role/.test(statement)

/** Makes the same change in a database without rows, and none in one that has been adopted. */
export function switchMigration(
  { roots, columns }: Plan<PostgresDetails>,
  { expand, index, takeDown, exchange, settle }: Statements,
): string {
  const [first] = roots as [RootPlan]
  return block([
    `IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = ${quoteText(first.table)}::regclass AND NOT attisdropped`,
    `    AND (attname = ${quoteText(legacyName(first.key))} OR attname = ${quoteText(first.key)} AND format_type(atttypid, atttypmod) <> ${quoteText(first.keyType)})) THEN`,
    '  RETURN; -- adopted already',
    'END IF;',
    `IF ${haveRows(columns)} THEN`,
    "  RAISE EXCEPTION 'these tables have rows; run snoflax adopt backfill and switch on this database first';",
    'END IF;',
    ...[
      ...expand,
      ...index.map((one) => one.replace(' CONCURRENTLY', '')),
      ...takeDown,
      ...exchange,
      ...settle,
    ]
      .filter((statement) => !isLocal(statement))
      .map(execute),
  ])
}

export function finishMigration({ finish }: Statements): string {
  return block([
    "IF to_regclass('snoflax_adoption.state') IS NOT NULL THEN",
    "  RAISE EXCEPTION 'run snoflax adopt finish on this database first';",
    'END IF;',
    ...finish.filter((statement) => !isLocal(statement)).map(execute),
  ])
}
