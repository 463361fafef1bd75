import 'reflect-metadata'
import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { FlaxIdColumn, IdColumn } from '@snoflax/typeorm'
import { Column, DataSource, Entity, ManyToOne, type Relation } from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource, optionsFor } from './open-data-source.js'

describe.runIf(mysql.selected())("default: 'database'", () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
  })
  afterAll(() => database?.close())

  test.each(['binary', 'text'] as const)('MariaDB generates flax in %s', async (storage) => {
    @Entity(`made_${storage}`)
    class Made {
      @FlaxIdColumn({ default: 'database', storage }) id!: FlaxId
      @Column('varchar') name!: string
    }
    @Entity(`part_${storage}`)
    class Part {
      @FlaxIdColumn({ default: 'database', storage }) id!: FlaxId
      @ManyToOne(() => Made, { cascade: true }) made!: Relation<Made>
    }
    const dataSource = await openDataSource(database, [Made, Part])
    try {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
      expect(upQueries).toEqual([])
      const parts = dataSource.getRepository(Part)
      const saved = await parts.save(parts.create({ made: { name: 'one' } }))
      expect(flax.is(saved.id)).toBe(true)
      const loaded = await parts.findOneOrFail({ where: { id: saved.id }, relations: { made: true } })
      expect(loaded.made).toEqual({ id: saved.made.id, name: 'one' })
      const rows = [{ name: 'two' }, { name: 'three', id: flax.min }]
      const { identifiers } = await dataSource.getRepository(Made).insert(rows)
      expect(identifiers).toEqual([{ id: expect.any(String) }, { id: flax.min }])
      const [two] = identifiers as [{ id: FlaxId }]
      expect(await dataSource.getRepository(Made).findOneByOrFail(two)).toMatchObject({ name: 'two' })
    } finally {
      await dataSource.destroy()
    }
  })

  test('refuses defaults that leave entities without their ids, and ids that need a number', async () => {
    @Entity()
    class Unnumbered {
      @IdColumn(sno, { default: 'database' }) id!: SnoId
    }
    @Entity()
    class Unreturned {
      @IdColumn(flax, { default: 'database' }) id!: FlaxId
    }
    const numbered = openDataSource(database, [Unnumbered])
    await expect(numbered).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Unnumbered.id',
      field: 'number',
    })
    const mysqlOptions = { ...optionsFor(database), type: 'mysql', entities: [Unreturned] } as never
    await expect(new DataSource(mysqlOptions).initialize()).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Unreturned.id',
      message: expect.stringContaining('RETURNING'),
    })
  })
})
