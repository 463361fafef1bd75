import { readFileSync } from 'node:fs'
import { checkSchema, DEFAULT_SCHEMA } from '@snoflax/core/adapter'
import type { Server } from './column-sql.js'

/** The statements of a file with this schema name. */
export function statementsOf(file: string, schema: string, server: Server): string[] {
  return readFileSync(new URL(`../dist/sql/${file}.sql`, import.meta.url), 'utf8')
    .split(/^\/\/$/m)
    .map((statement) =>
      statement
        .replaceAll(new RegExp(`\\b${DEFAULT_SCHEMA}\\b`, 'g'), checkSchema(schema))
        .replaceAll(/^--.*\n|^ +\n/gm, '')
        .trim(),
    )
    .flatMap((statement) => replacing(statement, server))
}

/** MariaDB replaces a routine in one step, which MySQL can't. */
function replacing(statement: string, server: Server): string[] {
  const [, routine] = /^CREATE ((?:PROCEDURE|FUNCTION) [\w.]+)/.exec(statement) ?? []
  if (routine === undefined) return [statement]
  return server === 'mariadb'
    ? [statement.replace('CREATE', 'CREATE OR REPLACE')]
    : [`DROP ${routine.replace(' ', ' IF EXISTS ')}`, statement]
}
