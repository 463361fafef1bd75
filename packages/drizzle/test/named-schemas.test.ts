import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { sql } from 'drizzle-orm'
import { PgDialect, pgSchema } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'

test('an id is refused beside a table that only the text names, if one in another schema has its name', () => {
  const items = pgSchema('ours').table('items', { id: flaxId({ storage: 'text' }) })
  pgSchema('theirs').table('items', { id: flaxId({ storage: 'uuid' }) })
  const id = flax.generate()
  const of = (schema: string) =>
    sql`select 1 from ${items} where exists (select 1 from ${sql.raw(schema)}.items i where i.id = ${id})`
  expect(() => new PgDialect().sqlToQuery(of('theirs'))).toThrow(/theirs\.items\.id.*: the text of the SQL/)
  expect(new PgDialect().sqlToQuery(of('ours')).params).toEqual([id])
})
