import { storageFor } from '@snoflax/core'
import { expect, test } from 'vitest'
import { ID_COLUMNS } from './schema.js'
import type { Scene } from './suite.js'
import { storageDatabase, type Variant } from './variant.js'

const bare = (name: string) => name.replaceAll(/["`]/g, '')

/** Every id column has the storage's type, including foreign keys and the junction's columns. */
export function testColumns(scene: Scene<unknown>): void {
  const { variant, junction } = scene
  const inJunction = [junction.order, junction.tag].map((name) => [bare(junction.table), bare(name)] as const)
  test.each([...ID_COLUMNS, ...inJunction])(
    '%s.%s has the column type of the storage',
    async (table, column) => {
      const { type, collation } = await scene.stored.column(table, column)
      expect(type).toMatch(typeOf(variant))
      const { family, database, storage } = variant
      const wanted = storageFor(family, storageDatabase(database), { storage }).column
      // SQLite's default collation is correct, and its catalog doesn't name it.
      if (storage === 'text' && database !== 'sqlite') expect(collation).toBe(wanted.collation)
    },
  )
}

/** Text may have a length, since some ORMs require one. */
function typeOf({ database, storage, family }: Variant): RegExp {
  const { type, length } = storageFor(family, storageDatabase(database), { storage }).column
  if (storage === 'text' && database !== 'mysql') {
    return new RegExp(`^(text|varchar|(character varying|varchar|character|char)\\(${length}\\))$`)
  }
  if (database === 'mysql') return new RegExp(`^${type}(\\(\\d+\\))?( unsigned)?$`)
  return new RegExp(`^${type}$`)
}
