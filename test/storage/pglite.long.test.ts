import { PGlite } from '@electric-sql/pglite'
import { storageFor } from '@snoflax/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { candidates, inByteOrder, randomIds } from './random-ids.js'

let database: PGlite
beforeAll(async () => {
  database = await PGlite.create()
})
afterAll(() => database.close())

const TYPES = { uuid: 'uuid', uuid8: 'uuid', text: 'text', binary: 'bytea', bigint: 'bigint' }

describe.each(candidates(['uuid', 'text', 'binary', 'uuid8', 'bigint']))(
  '$name in $storage, PGlite',
  (candidate) => {
    const { name, family, storage: storageName } = candidate
    const storage = storageFor(family, 'postgres', { storage: storageName })
    const table = `"${name}_${storageName}"`
    const ids = randomIds(candidate)

    async function select(sql: string, ...parameters: unknown[]): Promise<string[]> {
      const { rows } = await database.query<{ id: unknown }>(sql, parameters)
      return rows.map(({ id }) => storage.fromDatabase(id))
    }

    beforeAll(async () => {
      await database.exec(`CREATE TABLE ${table} (id ${storage.column.sql} PRIMARY KEY, nth integer)`)
      const rows = ids.map((_, nth) => `($${2 * nth + 1}, $${2 * nth + 2})`)
      const values = ids.flatMap((id, nth) => [storage.toDatabase(id), nth])
      await database.query(`INSERT INTO ${table} VALUES ${rows.join(', ')}`, values)
    })

    test('every id is read back, and stored with the type of the storage', async () => {
      expect(await select(`SELECT id FROM ${table} ORDER BY nth`)).toEqual(ids)
      const { rows } = await database.query(`SELECT DISTINCT pg_typeof(id)::text AS type FROM ${table}`)
      expect(rows).toEqual([{ type: TYPES[storageName] }])
    })

    test('ORDER BY is the order of bytes', async () => {
      expect(await select(`SELECT id FROM ${table} ORDER BY id`)).toEqual(inByteOrder(family, ids))
    })

    test('a range between two ids contains the ids between them', async () => {
      const sorted = inByteOrder(family, ids)
      const [from, to] = [sorted[100], sorted[400]] as [string, string]
      const sql = `SELECT id FROM ${table} WHERE id >= $1 AND id < $2 ORDER BY id`
      expect(await select(sql, storage.toDatabase(from), storage.toDatabase(to))).toEqual(
        sorted.slice(100, 400),
      )
    })

    test('each id is found by equality', async () => {
      for (const id of ids.slice(0, 50)) {
        expect(await select(`SELECT id FROM ${table} WHERE id = $1`, storage.toDatabase(id))).toEqual([id])
      }
    })

    test("the database's text of a stored value is read, too", async () => {
      const { rows } = await database.query<{ id: string }>(
        `SELECT id::text AS id FROM ${table} ORDER BY nth`,
      )
      expect(rows.map(({ id }) => storage.fromDatabase(id))).toEqual(ids)
      for (const [nth, { id }] of rows.entries()) {
        expect(storage.toDatabase(id)).toEqual(storage.toDatabase(ids[nth] as string))
      }
    })

    test('null is read as null', async () => {
      const { rows } = await database.query<{ id: null }>(`SELECT $1::${TYPES[storageName]} AS id`, [
        storage.toDatabase(null),
      ])
      expect(storage.fromDatabase(rows[0]?.id)).toBe(null)
    })
  },
)
