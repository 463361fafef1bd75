import type { Stage } from '@snoflax/adopt'
import { mysql, type PgliteDatabase, postgres, sqlite } from '@snoflax/test'
import { afterEach, expect, test } from 'vitest'
import { tablesOf } from './killing.js'
import { finished, type Opened, plan, shapeOf } from './moves.js'
import { CHINOOK, NORTHWIND, PAGILA, SAKILA, type WellKnown, wellKnownSql } from './well-known.js'

type Server = Exclude<Opened, PgliteDatabase>

const opened: Server[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(kind: { open(): Promise<Server> }): Promise<Server> {
  const database = await kind.open()
  opened.push(database)
  return database
}

const TYPES = `SELECT attrelid::regclass::text AS of, attname AS name, format_type(atttypid, atttypmod) AS definition
  FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
 WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped ORDER BY 1, 2`

/** The whole schema, types included, but for the adoption's own tables. */
async function schemaOf(database: Server): Promise<unknown[]> {
  const shape = await shapeOf(database)
  switch (database.kind) {
    case 'sqlite':
      return database.query(
        "SELECT name, sql FROM sqlite_schema WHERE tbl_name NOT LIKE 'snoflax%' ORDER BY name",
      )
    case 'postgres':
      return [shape, await database.query(TYPES)]
        .flat()
        .filter((one) => !/snoflax_adoption/.test(JSON.stringify(one)))
    case 'mysql': {
      const tables = await database.query(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database() AND table_name NOT LIKE 'snoflax%' ORDER BY 1",
      )
      const statements: unknown[] = []
      for (const { name } of tables) {
        const [row] = await database.query(`SHOW CREATE TABLE ${name}`)
        const sql = row?.['Create Table'] ?? row?.['Create View']
        statements.push(
          String(sql)
            .replaceAll(`\`${database.name}\`.`, '')
            .replace(/ AUTO_INCREMENT=\d+/, ''),
        )
      }
      return statements
    }
  }
}

const CASES: { schema: WellKnown; server: { open(): Promise<Server> }; of: string }[] = [
  // Northwind's bpchar is refused there: the ORMs have no such type.
  ...[CHINOOK, PAGILA].map((schema) => ({ schema, server: postgres, of: 'PostgreSQL' })),
  ...(mysql.selected()
    ? [CHINOOK, NORTHWIND, SAKILA].map((schema) => ({ schema, server: mysql, of: 'MariaDB' }))
    : []),
  ...[CHINOOK, NORTHWIND, SAKILA].map((schema) => ({ schema, server: sqlite, of: 'SQLite' })),
]

test.each(CASES)(
  '$schema.name on $of: on an empty database the migration creates the schema of the adoption',
  async ({ schema, server }) => {
    const [database, empty] = [await open(server), await open(server)]
    for (const sql of wellKnownSql(schema, 20, database.kind)) {
      await database.query(sql)
      if (!sql.startsWith('INSERT ')) await empty.query(sql)
    }
    expect(await schemaOf(empty)).toEqual(await schemaOf(database))
    const span = { from: new Date('2021-01-01'), to: new Date('2022-01-01') }
    const adoption = await plan(
      database,
      tablesOf(
        schema.tables.flatMap(({ name, key, time }, i) =>
          key === undefined ? [] : [{ table: name, createdAt: time ?? span, partition: 900 + i }],
        ),
      ),
    )
    const migrate = async (stage: Stage): Promise<void> => {
      if (empty.kind === 'sqlite') empty.connection.pragma('foreign_keys = ON')
      for (const statement of adoption.schemaChange('drizzle', stage).migration) await empty.query(statement)
    }
    await adoption.backfill()
    await adoption.switchKeys()
    await migrate('switched')
    expect(await schemaOf(empty)).toEqual(await schemaOf(database))
    await migrate('finished')
    await finished(database, adoption)
    expect(await schemaOf(empty)).toEqual(await schemaOf(database))
  },
)
