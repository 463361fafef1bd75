import { expect, test } from 'vitest'
import type { ContractAdapter } from './adapter.js'
import { placed } from './stored.js'
import type { Scene } from './suite.js'
import { converts, type Variant } from './variant.js'

const AS_JSON: Record<Variant['database'], string> = {
  postgres: `SELECT json_agg(c)::text AS told FROM (SELECT * FROM one_id WHERE email = ?) c`,
  pglite: `SELECT json_agg(c)::text AS told FROM (SELECT * FROM one_id WHERE email = ?) c`,
  sqlite: `SELECT json_group_array(json_object('id', id, 'name', name)) AS told FROM one_id WHERE email = ?`,
  mysql: `SELECT cast(json_arrayagg(json_object('id', id, 'name', name)) AS char) AS told FROM one_id WHERE email = ?`,
}

/** The id in the code is the id in the database, whoever asks: only a storage that converts has another. */
export function testOneId<Session>(scene: Scene<Session>, adapter: ContractAdapter<Session>): void {
  const { variant } = scene
  if (converts(variant)) return
  test('the id of the ORM is what a driver, a view, JSON, raw SQL and a pasted id show', async () => {
    const { session, stored } = scene
    const email = 'one-id@example.com'
    const [insert] = Object.values(adapter.inserts).filter((path) => !path.refused?.(variant))
    await insert?.run(session, [{ email, name: 'One' }])
    await stored.rows('CREATE VIEW one_id AS SELECT id, name, email FROM customers')
    try {
      const [row] = await stored.rows('SELECT id FROM one_id WHERE email = ?', [email])
      const id = row?.['id'] as string
      expect(variant.family.is(id)).toBe(true)
      const [byId] = Object.values(adapter.byId)
      expect(await byId?.run(session, id)).toMatchObject({ id, email })

      const [json] = await stored.rows(AS_JSON[variant.database], [email])
      // mysql2 parses what MariaDB calls JSON.
      const told = json?.['told']
      expect(typeof told === 'string' ? JSON.parse(told) : told).toMatchObject([{ id, name: 'One' }])
      expect(await stored.rows(`SELECT name FROM one_id WHERE id = '${id}'`)).toEqual([{ name: 'One' }])
      expect(await byRawSql(scene, adapter, id)).toEqual([{ id, name: 'One' }])
    } finally {
      await stored.rows('DROP VIEW one_id')
      await stored.rows('DELETE FROM customers WHERE email = ?', [email])
    }
  })
}

/** The row of an id that is written into the ORM's raw SQL, beside the ORM's own column if it has one. */
async function byRawSql<Session>(
  { session, variant }: Scene<Session>,
  { raw }: ContractAdapter<Session>,
  id: string,
): Promise<unknown[]> {
  const column = raw?.column?.(session, 'customers.id')
  const head = 'SELECT id, name FROM customers WHERE '
  const [strings, values] = column ? [[head, ` = '${id}'`], [column]] : [[`${head}id = '${id}'`], []]
  const placedStrings = strings.map((text) => placed(variant, text))
  // Some drivers return the only row itself.
  return raw ? [await raw.run(session, placedStrings, values)].flat() : [{ id, name: 'One' }]
}
