import { flax, type StorageName } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { FlaxIdColumn } from '@snoflax/typeorm'
import { Column, type DataSource, PrimaryColumn } from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flaxPlaces } from './sources.js'
import { VERSION } from './version.js'

/** Our keys, or the same ids as plain text, which show what TypeORM answers by itself. */
export type Keys = StorageName | 'plain text'

/** Decorators of keys and of other ids, and the type of plain text that sorts as ids do. */
export function columnsOf(keys: Keys, kind: string) {
  const text = () => ({
    length: 16,
    ...(kind === 'postgres' && { collation: 'C' }),
    ...(kind === 'mysql' && { charset: 'utf8mb4', collation: 'utf8mb4_bin' }),
  })
  const isPlain = keys === 'plain text'
  const ours = isPlain ? {} : { storage: keys }
  return {
    text,
    Key: () => (isPlain ? PrimaryColumn('varchar', text()) : FlaxIdColumn(ours)),
    /** Of a key that refers to another row. */
    PartOfKey: () =>
      isPlain ? PrimaryColumn('varchar', text()) : FlaxIdColumn.plain({ ...ours, primary: true }),
    Id: () =>
      isPlain
        ? Column('varchar', { ...text(), nullable: true })
        : FlaxIdColumn.plain({ ...ours, nullable: true }),
  }
}

/** Runs each feature on both kinds of keys. What it answers is plain data, and the same. */
export function describeBesideText<World extends { readonly dataSource: DataSource }>(
  open: (keys: Keys, kind: string, database: OpenDatabase) => Promise<World>,
  features: Readonly<Record<string, (world: World) => Promise<unknown>>>,
): void {
  // The other storages and databases are for the matrix.
  const tested = flaxPlaces.filter(
    ({ kind, storage }) => VERSION !== '' || (kind.name === 'sqlite' && storage === 'binary'),
  )
  describe.each(tested)('$name', ({ kind, storage }) => {
    const opened: { close(): Promise<unknown> }[] = []
    const worldOf = async (keys: Keys): Promise<World> => {
      const database: OpenDatabase = await kind.open()
      opened.push(database)
      const world = await open(keys, kind.name, database)
      opened.push({ close: () => world.dataSource.destroy() })
      return world
    }
    let ours: World
    let plain: World
    beforeAll(async () => {
      plain = await worldOf('plain text')
      ours = await worldOf(storage)
    })
    afterAll(async () => {
      for (const one of opened.reverse()) await one.close()
    })

    test.each(Object.entries(features))('%s', async (_, feature) => {
      const expected = JSON.parse(JSON.stringify(await feature(plain)))
      expect(JSON.stringify(expected)).not.toBe('[]')
      expect(JSON.parse(JSON.stringify(await feature(ours)))).toEqual(expected)
    })
  })
}

/** By id. */
export const sorted = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => (flax.is(a.id) && flax.is(b.id) ? flax.compare(a.id, b.id) : 0))
