import { IdError } from '@snoflax/core'
import {
  drizzleMigration,
  installedVersion,
  installSql,
  installStatements,
  prismaMigration,
  typeormMigration,
  VERSION,
} from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const at = new Date('2026-11-21T10:20:30.456Z')

let database: PostgresDatabase
beforeEach(async () => {
  database = await postgres.open()
})
afterEach(() => database.close())

/** What is in a schema, by name and number. */
async function contents(schema: string): Promise<object[]> {
  return await database.query(
    `SELECT 'function' AS kind, proname AS name, count(*)::integer AS all FROM pg_proc
      WHERE pronamespace = to_regnamespace($1) GROUP BY 2
     UNION ALL SELECT 'type', typname, 1 FROM pg_type WHERE typnamespace = to_regnamespace($1)
     UNION ALL SELECT 'comment', p.proname, count(*)::integer FROM pg_description d JOIN pg_proc p ON p.oid = d.objoid
      WHERE pronamespace = to_regnamespace($1) GROUP BY 2 ORDER BY 1, 2`,
    [schema],
  )
}

/** What the installer's script as a whole makes, in another database. */
async function expectedContents(options: { families?: ['flax'] } = {}): Promise<object[]> {
  const own = database
  database = await postgres.open()
  try {
    await database.query(installSql(options))
    return await contents('snoflax')
  } finally {
    await database.close()
    database = own
  }
}

interface Migration {
  readonly name: string
  up(runner: object): Promise<void>
  down(runner: object): Promise<void>
}

async function loadMigration(content: string): Promise<Migration> {
  const { outputText } = transpileModule(content, {
    compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
    reportDiagnostics: true,
  })
  const module: Record<string, new () => Migration> = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(outputText)}`
  )
  const [migration] = Object.values(module)
  if (!migration) throw new Error('the file exports no class')
  return new migration()
}

test('the statements run one by one, in one transaction', async () => {
  const client = await database.connect()
  await client.query('BEGIN')
  for (const text of installStatements({ families: ['flax'] })) {
    expect(text).not.toMatch(/;\s*$/)
    await client.query({ text, values: [], queryMode: 'extended' } as never)
  }
  await client.query('COMMIT')
  expect(await contents('snoflax')).toEqual(await expectedContents({ families: ['flax'] }))
  expect(() => installStatements({ schema: 'a-b' })).toThrow(IdError)
})

describe('TypeORM', () => {
  test('runs each statement on its own, in one transaction, and reverts it', async () => {
    const { path, content } = typeormMigration({ at })
    expect(path).toBe(`${at.getTime()}-InstallSnoflax.ts`)
    const migration = await loadMigration(content)
    expect(migration.name).toBe(`InstallSnoflax${at.getTime()}`)

    const client = await database.connect()
    // An extended query takes one statement only, so a wrong cut shows.
    const runner = {
      query: (text: string) => client.query({ text, values: [], queryMode: 'extended' } as never),
    }
    await client.query('BEGIN')
    await migration.up(runner)
    await client.query('COMMIT')
    expect(await contents('snoflax')).toEqual(await expectedContents())
    await client.query('SELECT snoflax.sno_set_partition(1), snoflax.sno_generate()')

    await migration.down(runner)
    expect(await installedVersion(client)).toBe(undefined)
  })

  test('cannot be reverted while a column needs it', async () => {
    const migration = await loadMigration(typeormMigration({ at }).content)
    const runner = { query: (text: string) => database.pool.query(text) }
    const client = await database.connect()
    await client.query('BEGIN')
    await migration.up({ query: (text: string) => client.query(text) })
    await client.query('COMMIT')
    await database.query('CREATE TABLE kept (id snoflax.sno_uuid)')
    await expect(migration.down(runner)).rejects.toMatchObject({ code: '2BP01' })
    expect(await database.query('SELECT id FROM kept')).toEqual([])
  })

  test('can use another schema', async () => {
    const migration = await loadMigration(typeormMigration({ at, schema: 'ids', families: ['flax'] }).content)
    const client = await database.connect()
    await client.query('BEGIN')
    await migration.up(client)
    await client.query('COMMIT')
    expect(await installedVersion(client, { schema: 'ids' })).toBe(VERSION)
    await migration.down(client)
    expect(await installedVersion(client, { schema: 'ids' })).toBe(undefined)
  })
})

test('Prisma: the file runs as one script', async () => {
  const { path, content } = prismaMigration({ at })
  expect(path).toBe('20261121102030_install_snoflax/migration.sql')
  await database.query(content)
  expect(await contents('snoflax')).toEqual(await expectedContents())
})

test('Drizzle: each part between breakpoints is one statement', async () => {
  const { path, content } = drizzleMigration({ at, families: ['flax'] })
  expect(path).toBe('20261121102030_install_snoflax.sql')
  const client = await database.connect()
  await client.query('BEGIN')
  for (const text of content.split('--> statement-breakpoint')) {
    await client.query({ text, values: [], queryMode: 'extended' } as never)
  }
  await client.query('COMMIT')
  expect(await contents('snoflax')).toEqual(await expectedContents({ families: ['flax'] }))
})

test.each([typeormMigration, prismaMigration, drizzleMigration])(
  '%o refuses an invalid Date',
  (migration) => {
    const at = new Date('2026-13-01')
    expect(() => migration({ at })).toThrow(
      expect.objectContaining({
        name: 'IdError',
        code: 'INVALID_TIME',
        field: 'at',
        value: at,
        message: 'pg-sql: at must be a valid Date',
      }),
    )
  },
)
