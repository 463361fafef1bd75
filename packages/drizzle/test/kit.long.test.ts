import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type FlaxId, flake, flax, sno } from '@snoflax/core'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { drizzleMigration } from '@snoflax/pg-sql'
import { mysql, type PostgresDatabase, postgres, sqlite } from '@snoflax/test'
import { type Variant, variantsOf } from '@snoflax/test/contract'
import { asc, eq, inArray, lt } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { mysqlTable, mysqlView } from 'drizzle-orm/mysql-core'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import * as pgCore from 'drizzle-orm/pg-core'
import * as sqliteCore from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { mysqlSchema, postgresSchema, sqliteSchema } from './contract/schema.js'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'
import * as kitSchema from './kit/schema.js'

/** The types of a table's columns, by name, in a CREATE TABLE. */
const typesIn = (statements: readonly string[], table: string): Record<string, string> => {
  const create = statements.find((one) => new RegExp(`^CREATE TABLE ["\`]${table}["\`]`).test(one)) ?? ''
  const lines = [...create.matchAll(/^\t["`](\w+)["`] (.+?)(?: PRIMARY KEY)?(?: NOT NULL)?,?$/gm)]
  return Object.fromEntries(lines.map(([, name, type]) => [name, type]))
}

interface Dialect {
  readonly schema: (variant: Variant) => Record<string, unknown>
  readonly statements: (schema: Record<string, unknown>, before?: object) => Promise<string[]>
  readonly typeOf: (variant: Variant) => string
}

const DIALECTS: Readonly<Record<'postgres' | 'sqlite' | 'mysql', Dialect>> = {
  postgres: {
    schema: postgresSchema,
    statements: postgresStatements,
    typeOf: ({ storage }) =>
      ({ uuid: 'uuid', uuid8: 'uuid', text: 'text COLLATE "C"', binary: '"bytea"', bigint: 'bigint' })[
        storage
      ],
  },
  sqlite: {
    schema: sqliteSchema,
    statements: sqliteStatements,
    typeOf: ({ storage }) => (storage === 'binary' ? 'blob' : 'text'),
  },
  mysql: {
    schema: mysqlSchema,
    statements: mysqlStatements,
    typeOf: ({ family, storage }) =>
      ({
        text: `char(${family.textLength}) character set utf8mb4 collate utf8mb4_bin`,
        binary: `binary(${family.byteLength})`,
        bigint: 'bigint unsigned',
      })[storage as 'text'],
  },
}

test.each(Object.entries(DIALECTS))(
  '%s: the type of every family and storage is written, and then no changes are found',
  async (name, { schema, statements, typeOf }) => {
    for (const variant of variantsOf(name as keyof typeof DIALECTS)) {
      const type = typeOf(variant)
      const first = schema(variant)
      const { id, trace_id, referrer_id } = typesIn(await statements(first), 'customers')
      expect([id, trace_id, referrer_id], variant.family.name).toEqual([type, type, type])
      expect(await statements(schema(variant), first)).toEqual([])
    }
  },
)

describe('an id as a default and in the condition of a view is written as the column stores it', () => {
  const moment = new Date('2026-11-01')
  const postgresKind = {
    open: postgres.open,
    connect: ({ pool }: PostgresDatabase) => overNodePostgres(pool),
    core: { ...pgCore, table: pgCore.pgTable, view: pgCore.pgView, idColumn: pg.idColumn },
    statements: postgresStatements,
  }
  const sqliteKind = {
    open: sqlite.open,
    connect: ({ connection }: { connection: never }) => overBetterSqlite3(connection),
    core: {
      ...sqliteCore,
      table: sqliteCore.sqliteTable,
      view: sqliteCore.sqliteView,
      idColumn: lite.idColumn,
    },
    statements: sqliteStatements,
  } as unknown as typeof postgresKind

  test.each([
    ['postgres', postgresKind],
    ['sqlite', sqliteKind],
  ] as const)('%s, every family and storage', async (name, { open, connect, core, statements }) => {
    const database = await open()
    try {
      const db = connect(database)
      for (const [i, { family, storage }] of variantsOf(name).entries()) {
        const id = family.lowerBound(moment)
        const column = core.idColumn.plain(family, { storage })
        const table = core.table(`t${i}`, { n: core.integer(), id: column.default(id) })
        const view = core.view(`v${i}`).as((query) =>
          query
            .select()
            .from(table)
            // Drizzle writes bytes into a view as a list of numbers.
            .where(storage === 'binary' ? lt(table.n, 3) : inArray(table.id, [id])),
        )
        for (const statement of await statements({ table, view })) await database.query(statement)
        await database.query(`INSERT INTO t${i} (n) VALUES (1)`)
        await db
          .insert(table)
          .values([{ n: 2 }, { n: 3, id: family.lowerBound(moment.getTime() + 1e6) }, { n: 4, id: null }])
        const rows = await db.select().from(view).orderBy(asc(view.n))
        expect(rows, `${family.name} as ${storage}`).toEqual([
          { n: 1, id },
          { n: 2, id },
        ])
      }
    } finally {
      await database.close()
    }
  })

  test('MySQL', async () => {
    const id = sno.lowerBound(moment)
    const bytes = `(x'${Buffer.from(sno.decode(id)).toString('hex')}')`
    const table = mysqlTable('t', {
      text: my.snoId.plain().default(id),
      binary: my.snoId.plain({ storage: 'binary' }).default(id),
    })
    const view = mysqlView('v').as((query) => query.select().from(table).where(eq(table.text, id)))
    const statements = (await mysqlStatements({ table, view })).join('\n')
    for (const part of [`DEFAULT '${id}'`, `DEFAULT ${bytes}`, `\`text\` = '${id}'`])
      expect(statements).toContain(part)
  })

  test('a malformed id is refused', async () => {
    const table = pgCore.pgTable('t', { id: pg.flaxId.plain().default('wrong' as FlaxId) })
    const refusal = { name: 'IdError', path: 't.id' }
    await expect(async () => postgresStatements({ table })).rejects.toMatchObject(refusal)
  })
})

describe('drizzle-kit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-kit-'))
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const kit = async (
    command: string,
    dialect: string,
    schema: string,
    ...more: string[]
  ): Promise<string> => {
    const cli = join(cwd, 'node_modules/drizzle-kit/bin.cjs')
    const common = ['--dialect', dialect, '--schema', `./test/kit/${schema}`]
    const { stdout } = await promisify(execFile)(process.execPath, [cli, command, ...common, ...more], {
      cwd,
    })
    return stdout
  }
  const run = (command: string, ...more: string[]) => kit(command, 'postgresql', 'schema.ts', ...more)
  const generate = (...more: string[]) => run('generate', '--out', relative(cwd, folder), ...more)
  const written = () => readdirSync(folder).filter((name) => name.endsWith('.sql'))
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await postgres.open()
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await database.close()
  })

  test('generate writes the migration of the SQL functions and the schema, and then finds no changes', async () => {
    await generate('--custom', '--name', 'install_snoflax')
    const [custom] = written()
    writeFileSync(join(folder, custom as string), drizzleMigration({ families: ['sno', 'flax'] }).content)
    await generate('--name', 'tables')
    const [, tables] = written()
    const text = readFileSync(join(folder, tables as string), 'utf8')
    expect(text).toContain('"id" text COLLATE "C" PRIMARY KEY DEFAULT snoflax.sno_generate_text(2) NOT NULL')
    expect(text).toContain(`"job_id" "bytea" DEFAULT '\\x`)
    expect(text).toContain('"past" text[]')
    expect(text).toContain(`"orders"."job_id" >= '\\x`)
    expect(await generate()).toContain('No schema changes')
    expect(written()).toHaveLength(2)
  })

  test('the generated migrations run, and the database generates ids', async () => {
    const db = overNodePostgres(database.pool, { schema: kitSchema })
    await migrate(db, { migrationsFolder: folder })
    await database.query('SELECT snoflax.sno_set_partition(7)')
    const { customers, orders } = kitSchema
    const [customer] = await db.insert(customers).values({ name: 'Ada' }).returning()
    const past = flax.generate()
    const [order] = await db
      .insert(orders)
      .values({ total: 3, customerId: customer?.id as FlaxId, past: [past] })
      .returning()
    expect(sno.unpack(order?.id as never)).toMatchObject({ meta: 2, partition: 7 })
    expect(order).toMatchObject({ jobId: flake.lowerBound(1_700_000_000_000), past: [past] })
    expect(await db.query.orders.findFirst({ where: eq(orders.id, order?.id as never) })).toEqual(order)
    expect(await db.select().from(kitSchema.recentJobs)).toEqual([{ total: 3 }])
  })

  test('push to SQLite finds no changes the second time', async () => {
    const { file, close } = await sqlite.open()
    const push = () => kit('push', 'sqlite', 'sqlite-schema.ts', '--url', file, '--force')
    expect(await push()).toContain('Changes applied')
    expect(await push()).toContain('No changes detected')
    await close()
  })

  // drizzle-kit reads no collations from the database: a limit that the README tells.
  test('push to PostgreSQL finds no changes, but repeats the type of text columns', async () => {
    const pushed = await run('push', '--url', database.url, '--force', '--verbose')
    const statements = pushed.split('\n').filter((line) => /^\s*(ALTER|CREATE|DROP)/.test(line))
    expect(statements.map((line) => line.trim())).toEqual([
      'ALTER TABLE "users" ALTER COLUMN "id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "customers" ALTER COLUMN "id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "customers" ALTER COLUMN "referrer_id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "orders" ALTER COLUMN "id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "orders" ALTER COLUMN "id" SET DEFAULT snoflax.sno_generate_text(2);',
      'ALTER TABLE "orders" ALTER COLUMN "customer_id" SET DATA TYPE text COLLATE "C";',
    ])
    for (const statement of statements) await database.query(statement)
    await database.query('CREATE VIEW seen AS SELECT id FROM users')
    await expect(database.query(statements[0] as string)).rejects.toThrow('used by a view')
  })

  test.runIf(mysql.selected())('so does push to MySQL', async ({ skip }) => {
    const { url, label, close } = await mysql.open()
    onTestFinished(close)
    if (label.startsWith('MariaDB')) return skip('drizzle-kit does not know MariaDB')
    const push = async () =>
      (await kit('push', 'mysql', 'mysql-schema.ts', '--url', url, '--force', '--verbose'))
        .split('\n')
        .filter((line) => /^(ALTER|CREATE|DROP)/.test(line))
    expect(await push()).toHaveLength(3)
    const text = 'char(20) character set utf8mb4 collate utf8mb4_bin'
    const repeated = [
      `ALTER TABLE \`customers\` MODIFY COLUMN \`id\` ${text} NOT NULL;`,
      `ALTER TABLE \`orders\` MODIFY COLUMN \`customer_id\` ${text};`,
    ]
    expect(await push()).toEqual(repeated)
  })
})
