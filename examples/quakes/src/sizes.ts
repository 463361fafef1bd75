import { randomUUID } from 'node:crypto'
import type { IdFamily } from '@snoflax/core'
import type { Quake } from './data.js'
import type { Engine, TableSize } from './engine.js'
import { storagesOf } from './storages.js'

/** All ids of one family, in order of time. */
export interface MadeIds {
  readonly family: IdFamily
  readonly ids: readonly string[]
}

/** The size of a table with one kind of key. */
export interface KeySize extends TableSize {
  /** Name of the id's family, or UUIDv4. */
  readonly key: string
  /** The storage, or the column type of the UUID. */
  readonly storage: string
}

interface Key {
  readonly key: string
  readonly storage: string
  /** The column in CREATE TABLE, and its type alone. */
  readonly sql: string
  readonly type: string
  values(): unknown[]
}

/** Fills a table of ids and magnitudes with each kind of key, random UUIDs first, and measures it. */
export async function measureSizes(
  engine: Engine,
  quakes: readonly Quake[],
  made: readonly MadeIds[],
  progress: (done: number, total: number, what: string) => void,
): Promise<KeySize[]> {
  const keys = [...uuidKeys(engine, quakes.length), ...made.flatMap((ids) => idKeys(engine, ids))]
  const magnitudes = { type: 'double precision', values: quakes.map(({ magnitude }) => magnitude) }
  const sizes: KeySize[] = []
  for (const { key, storage, sql, type, values } of keys) {
    progress(sizes.length, keys.length, `${engine.name}, ${key} as ${storage}`)
    await engine.run(
      `CREATE TABLE weighed (id ${sql} NOT NULL PRIMARY KEY, magnitude double precision NOT NULL)`,
    )
    await engine.insert('weighed', [{ type, values: values() }, magnitudes])
    sizes.push({ key, storage, ...(await engine.size('weighed')) })
    await engine.run('DROP TABLE weighed')
  }
  return sizes
}

function uuidKeys({ uuidTypes }: Engine, count: number): Key[] {
  return uuidTypes.map((type) => ({
    key: 'UUIDv4',
    storage: type.toLowerCase(),
    sql: type,
    type,
    values: () => Array.from({ length: count }, () => randomUUID()),
  }))
}

function idKeys(engine: Engine, { family, ids }: MadeIds): Key[] {
  return storagesOf(family, engine).allowed.map((storage) => ({
    key: family.name,
    storage: storage.name,
    sql: storage.column.sql,
    type: storage.column.type,
    values: () => ids.map((id) => storage.toDatabase(id)),
  }))
}
