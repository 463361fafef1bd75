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
import { afterEach, beforeEach, expect, test } from 'vitest'

const at = new Date('2026-11-21T10:20:30.456Z')

let database: PostgresDatabase
beforeEach(async () => {
  database = await postgres.open()
})
afterEach(() => database.close())

/** What is in the schema, by name and number. */
const contents = ({ query }: Pick<PostgresDatabase, 'query'>): Promise<object[]> =>
  query(
    `SELECT 'function' AS kind, proname AS name, count(*)::integer AS all FROM pg_proc
      WHERE pronamespace = 'snoflax'::regnamespace GROUP BY 2
     UNION ALL SELECT 'type', typname, 1 FROM pg_type WHERE typnamespace = 'snoflax'::regnamespace
     UNION ALL SELECT 'comment', p.proname, count(*)::integer FROM pg_description d JOIN pg_proc p ON p.oid = d.objoid
      WHERE pronamespace = 'snoflax'::regnamespace GROUP BY 2 ORDER BY 1, 2`,
  )

/** It contains what the installer's script as a whole makes, in another database. */
async function expectInstalled(options: { families?: ['flax'] } = {}): Promise<void> {
  const other = await postgres.open()
  try {
    await other.query(installSql(options))
    expect(await contents(database)).toEqual(await contents(other))
  } finally {
    await other.close()
  }
}

/** In one transaction, as extended queries, which take one statement only: so a wrong cut shows. */
async function inTransaction(work: (runner: Runner) => Promise<void>): Promise<void> {
  const client = await database.connect()
  await client.query('BEGIN')
  await work({ query: (text) => client.query({ text, values: [], queryMode: 'extended' } as never) })
  await client.query('COMMIT')
}

interface Runner {
  query(text: string): Promise<unknown>
}

interface Migration {
  readonly name: string
  up(runner: Runner): Promise<void>
  down(runner: Runner): Promise<void>
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
  const statements = installStatements({ families: ['flax'] })
  for (const text of statements) expect(text).not.toMatch(/;\s*$/)
  await inTransaction(async ({ query }) => {
    for (const text of statements) await query(text)
  })
  await expectInstalled({ families: ['flax'] })
})

test('TypeORM runs each statement on its own, and reverts it unless a column needs it', async () => {
  const { path, content } = typeormMigration({ at })
  expect(path).toBe(`${at.getTime()}-InstallSnoflax.ts`)
  const migration = await loadMigration(content)
  expect(migration.name).toBe(`InstallSnoflax${at.getTime()}`)
  await inTransaction((runner) => migration.up(runner))
  await expectInstalled()
  await database.query('SELECT snoflax.sno_set_partition(1), snoflax.sno_generate()')

  await database.query('CREATE TABLE kept (id snoflax.sno_uuid)')
  await expect(migration.down(database)).rejects.toMatchObject({ code: '2BP01' })
  expect(await database.query('SELECT id FROM kept')).toEqual([])
  await database.query('DROP TABLE kept')
  await migration.down(database)
  expect(await installedVersion(database.pool)).toBe(undefined)
})

test('TypeORM: another schema', async () => {
  const migration = await loadMigration(typeormMigration({ at, schema: 'ids', families: ['flax'] }).content)
  await inTransaction((runner) => migration.up(runner))
  expect(await installedVersion(database.pool, { schema: 'ids' })).toBe(VERSION)
  await migration.down(database)
  expect(await installedVersion(database.pool, { schema: 'ids' })).toBe(undefined)
})

test('Prisma: the file runs as one script', async () => {
  const { path, content } = prismaMigration({ at })
  expect(path).toBe('20261121102030_install_snoflax/migration.sql')
  await database.query(content)
  await expectInstalled()
})

test('Drizzle: each part between breakpoints is one statement', async () => {
  const { path, content } = drizzleMigration({ at, families: ['flax'] })
  expect(path).toBe('20261121102030_install_snoflax.sql')
  await inTransaction(async ({ query }) => {
    for (const text of content.split('--> statement-breakpoint')) await query(text)
  })
  await expectInstalled({ families: ['flax'] })
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
