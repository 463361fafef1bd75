import {
  type Adoption,
  type Orm,
  planAdoption,
  type SchemaChange,
  type Stage,
  type TableOptions,
} from '@snoflax/adopt'
import { flake, flax, prefixed, sno } from '@snoflax/core'
import { afterEach, describe, expect, test } from 'vitest'
import type { MysqlDatabase } from './databases/mysql.js'
import { mysql } from './databases/mysql.js'
import { postgres } from './databases/postgres.js'
import type { PostgresDatabase } from './databases/postgres-databases.js'
import type { SqliteDatabase } from './databases/sqlite.js'
import { sqlite } from './databases/sqlite.js'

/** A database with an adoption. */
export type Adoptable = PostgresDatabase | SqliteDatabase | MysqlDatabase

/** The lines that a stage adds to a table, or that replace a column's declaration. */
export type Lines = (table: string, column?: string) => string

/** Auto-increment keys, texts of up to 30 characters, or the ORM's uuids. */
export type OldKeys = 'counted' | 'text' | 'uuid'

/**
 * An ORM, and an application's schema in it: `customer` with a name, `orders` with a time, a customer, a parent, and another
 * customer without a foreign key.
 */
export interface OrmProject {
  readonly orm: Orm
  /** The schema: with such keys, or without them after the switch, and with the lines of a stage. */
  source(kind: Adoptable['kind'], oldKeys: OldKeys | undefined, lines: Lines): string
  /** Creates the tables of a schema in an empty database. */
  create(database: Adoptable, source: string): Promise<void>
  /** What the ORM would change in the database, with these lines in its config. */
  diff(database: Adoptable, source: string, config: readonly string[]): Promise<string[]>
  /** Runs the statements as the ORM runs those of a migration. */
  migrate(database: Adoptable, statements: readonly string[]): Promise<void>
  /** Marks such a migration as applied, as the guide says, and runs all that are not. */
  baseline?(database: Adoptable, statements: readonly string[]): Promise<void>
}

const SPAN = { from: new Date('2021-01-01'), to: new Date('2022-01-01') }

const IDS: Record<OldKeys, readonly [string, string]> = {
  counted: ['1', '2'],
  text: ['one', 'two'],
  uuid: ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
}

const TABLES: Record<OldKeys, TableOptions[]> = {
  counted: [
    { table: 'orders', createdAt: 'at', generator: (clock) => sno.generator({ partition: 9, clock }) },
    {
      table: 'customer',
      createdAt: SPAN,
      generator: (clock) => flax.generator({ monotonic: true, clock }),
    },
  ],
  text: [
    { table: 'orders', createdAt: 'at', generator: (clock) => flake.generator({ worker: 9, clock }) },
    {
      table: 'customer',
      createdAt: SPAN,
      generator: (clock) => flax.generator({ monotonic: true, clock }),
      storage: 'binary',
    },
  ],
  uuid: [
    {
      table: 'orders',
      createdAt: 'at',
      generator: (clock) => flax.generator({ monotonic: true, clock }),
    },
    {
      table: 'customer',
      createdAt: SPAN,
      generator: (clock) => prefixed(sno, 'cus').generator({ partition: 8, clock }),
    },
  ],
}

/**
 * Storages in which an ORM's own diff is empty: drizzle-kit repeats the type of text columns on PostgreSQL, since it reads
 * no collations. flake has no default in SQLite.
 */
function storageIn(name: Adoptable['kind'], keys: OldKeys, { table }: TableOptions): Partial<TableOptions> {
  if (keys === 'text' && table === 'orders') return { storage: name === 'sqlite' ? 'binary' : 'bigint' }
  return name === 'postgres' ? { storage: 'uuid' } : {}
}

const linesOf =
  ({ columns, indexes }: SchemaChange): Lines =>
  (table, column) => {
    const isOwn = (one: { readonly table: string }): boolean => one.table.replace('public.', '') === table
    return column === undefined
      ? indexes
          .filter(isOwn)
          .map(({ line }) => line)
          .join('\n')
      : columns
          .filter((one) => isOwn(one) && one.column === column)
          .flatMap(({ lines }) => lines)
          .join('\n')
  }

/** Checks that the ORM's own diff is empty at each stage, and what the migrations do in each kind of database. */
export function describeOrm({ orm, source, create, diff, migrate, baseline }: OrmProject): void {
  const opened: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
  })

  const variants = [postgres, sqlite, mysql]
    .filter((kind) => kind.selected())
    .flatMap((kind) => (['counted', 'text', 'uuid'] as const).map((keys) => [kind.name, keys, kind] as const))

  describe.each(variants)('%s, %s keys', (given, keys, kind) => {
    const name = given as Adoptable['kind']
    const BEFORE = source(name, keys, () => '')
    const at = (stage: Stage, change: SchemaChange): string =>
      source(name, stage === 'backfilling' ? keys : undefined, linesOf(change))

    async function shop(): Promise<Adoptable> {
      const database = (await kind.open()) as Adoptable
      opened.push(database)
      await create(database, BEFORE)
      return database
    }

    async function adopted(): Promise<{ database: Adoptable; adoption: Adoption }> {
      const database = await shop()
      const [one, two] = IDS[keys]
      await database.query(`INSERT INTO customer (id, name) VALUES ('${one}', 'one'), ('${two}', 'two')`)
      await database.query(
        `INSERT INTO orders (id, at, customer_id, parent_id, gift_to)
           VALUES ('${one}', '2021-05-01', '${one}', NULL, '${two}'), ('${two}', '2021-06-01', '${two}', '${one}', NULL)`,
      )
      const client = database.kind === 'sqlite' ? database.connection : database.pool
      return {
        database,
        adoption: await planAdoption(client, {
          tables: TABLES[keys].map((table) => ({ ...storageIn(name, keys, table), ...table })),
          references: { 'orders.gift_to': 'customer' },
        }),
      }
    }

    const orders = (database: Adoptable): Promise<unknown[]> =>
      database.query(
        'SELECT orders.id, name FROM orders JOIN customer AS c ON c.id = customer_id ORDER BY orders.id',
      )

    /** SQLite can't make an exception of a database that has been adopted. */
    async function migrateAdopted(database: Adoptable, { migration }: SchemaChange): Promise<void> {
      const rows = await orders(database)
      expect(rows).toMatchObject([{ name: 'one' }, { name: 'two' }])
      if (name === 'sqlite') {
        await expect(migrate(database, migration)).rejects.toThrow(/mark this migration as applied/)
        await baseline?.(database, migration)
      } else await migrate(database, migration)
      expect(await orders(database)).toEqual(rows)
    }

    test('the lines of each stage match the database, so the ORM finds no changes', async () => {
      const { database, adoption } = await adopted()
      const change = (stage: Stage): SchemaChange => adoption.schemaChange(orm, stage)
      const remaining = (stage: Stage): Promise<string[]> =>
        diff(database, at(stage, change(stage)), change(stage).config)
      expect(await diff(database, BEFORE, [])).toEqual([])
      await adoption.backfill()
      // Without them the ORM would drop the new keys.
      const drops =
        name === 'postgres' ? /DROP COLUMN "snoflax_new_id"/ : /DROP TABLE .snoflax_adoption_map_1/
      const without = (await diff(database, BEFORE, [])).join()
      if (name === 'postgres' || orm !== 'typeorm') expect(without).toMatch(drops)
      expect(await remaining('backfilling')).toEqual([])
      await adoption.switchKeys()
      expect(await diff(database, BEFORE, change('switched').config)).not.toEqual([])
      expect(await remaining('switched')).toEqual([])
      await migrateAdopted(database, change('switched'))
      expect(await remaining('switched')).toEqual([])
      const finished = change('finished')
      await expect(migrate(database, finished.migration)).rejects.toThrow(/run snoflax adopt finish on this/)
      await adoption.finish()
      expect(await diff(database, at('finished', finished), finished.config)).toEqual([])
      await migrateAdopted(database, finished)
      expect(await diff(database, at('finished', finished), finished.config)).toEqual([])
    })

    test('the migrations create the same schema in a database without rows, and refuse one with rows', async () => {
      const { database, adoption } = await adopted()
      const empty = await shop()
      for (const stage of ['switched', 'finished'] as const) {
        const change = adoption.schemaChange(orm, stage)
        await migrate(empty, change.migration)
        expect(await diff(empty, at(stage, change), [])).toEqual([])
      }
      await expect(migrate(database, adoption.schemaChange(orm, 'switched').migration)).rejects.toThrow(
        /run snoflax adopt backfill and switch/,
      )
      expect(await orders(database)).toHaveLength(2)
      expect(await diff(database, BEFORE, [])).toEqual([])
    })
  })
}

/**
 * What would have to change in a MariaDB for it to be what these statements make of an empty one, for tools that don't
 * know MariaDB well enough to tell.
 */
export async function differencesInMariadb(
  database: MysqlDatabase,
  statements: readonly string[],
): Promise<string[]> {
  const empty = await mysql.open()
  try {
    for (const statement of statements) await empty.query(statement)
    const [there, wanted] = await Promise.all([shapeOf(database), shapeOf(empty)])
    const tables = new Set(wanted.map(({ table }) => table))
    const drops = [...new Set(there.map(({ table }) => table))].filter((table) => !tables.has(table))
    const changes = there.filter(({ table }) => tables.has(table)).map(({ line }) => line)
    const lines = wanted.map(({ line }) => line)
    return [
      ...drops.map((table) => `DROP TABLE \`${table}\``),
      ...changes.filter((line) => !lines.includes(line)).map((line) => `DROP ${line}`),
      ...lines.filter((line) => !changes.includes(line)).map((line) => `ADD ${line}`),
    ]
  } finally {
    await empty.close()
  }
}

const shapeOf = (database: MysqlDatabase): Promise<{ table: string; line: string }[]> =>
  database.query(`
    SELECT table_name AS \`table\`, concat_ws(' ', 'column', table_name, column_name, column_type, collation_name, is_nullable, extra) AS line
      FROM information_schema.columns WHERE table_schema = database() AND table_name <> '__drizzle_migrations'
    UNION ALL SELECT table_name, concat_ws(' ', 'index', table_name, index_name, non_unique, group_concat(column_name ORDER BY seq_in_index))
      FROM information_schema.statistics WHERE table_schema = database() AND table_name <> '__drizzle_migrations' GROUP BY table_name, index_name
    UNION ALL SELECT table_name, concat_ws(' ', 'foreign key', table_name, constraint_name, referenced_table_name, update_rule, delete_rule)
      FROM information_schema.referential_constraints WHERE constraint_schema = database()
    ORDER BY 2`) as Promise<{ table: string; line: string }[]>
