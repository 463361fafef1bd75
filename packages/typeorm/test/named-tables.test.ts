import { type FlaxId, flax } from '@snoflax/core'
import { FlaxIdColumn } from '@snoflax/typeorm'
import { DataSource, Entity, PrimaryColumn } from 'typeorm'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Raw SQL that names a column means those of its own tables.

@Entity()
class Parcel {
  @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
}

@Entity('legacy_parcels')
class Legacy {
  @PrimaryColumn('text') id!: string
}

let dataSource: DataSource
const id = flax.generate()

beforeAll(async () => {
  dataSource = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Parcel, Legacy],
    synchronize: true,
  }).initialize()
  await dataSource.getRepository(Legacy).insert({ id })
})
afterAll(() => dataSource?.destroy())

test('an id is sent unchanged if no table of the SQL has such an id column', async () => {
  expect(await dataSource.query('SELECT * FROM legacy_parcels WHERE id = ?', [id])).toEqual([{ id }])
  expect(
    await dataSource.query('SELECT l.* FROM legacy_parcels l LEFT JOIN parcel p ON 1 WHERE l.id = ?', [id]),
  ).toEqual([{ id }])
})

test.each([
  'SELECT * FROM parcel WHERE id = ?',
  'SELECT * FROM legacy_parcels JOIN parcel ON parcel.id = ?',
  'SELECT * FROM legacy_parcels WHERE EXISTS (SELECT 1 FROM parcel WHERE id = ?)',
  'WITH legacy_parcels AS (SELECT * FROM parcel) SELECT * FROM legacy_parcels WHERE id = ?',
  'SELECT * FROM some_view WHERE id = ?',
])('an id is refused if the SQL names an id column that would not find it: %s', async (query) => {
  await expect(async () => dataSource.query(query, [id])).rejects.toThrow(
    /^Parcel\.id: the text of the SQL names the column/,
  )
})
