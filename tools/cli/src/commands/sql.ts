import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { snakeCase } from '@snoflax/core/adapter'
import { installStatements } from '@snoflax/mysql-sql'
import {
  drizzleMigration,
  installSql,
  type MigrationFile,
  type MigrationOptions,
  prismaMigration,
  type SqlFamily,
  typeormMigration,
} from '@snoflax/pg-sql'
import { Command, Option } from 'commander'
import { UsageError } from '../exit.js'
import { familyNamed } from '../ids/families.js'
import { linesOf, type Terminal } from '../terminal.js'
import { examples, timeOf } from './options.js'

interface Options {
  readonly for?: Tool
  readonly dialect: (typeof DIALECTS)[number]
  readonly schema: string
  readonly families?: string
  readonly grantTo?: string[]
  readonly grantLeases?: string[]
  readonly at?: number
  readonly out?: string
  readonly json?: true
}

const MIGRATIONS = {
  typeorm: typeormMigration,
  prisma: prismaMigration,
  drizzle: drizzleMigration,
} satisfies Record<string, (options: MigrationOptions) => MigrationFile>

type Tool = keyof typeof MIGRATIONS

export const sql = (terminal: Terminal): Command =>
  new Command('sql')
    .description(
      'print the SQL functions for PostgreSQL, MySQL or MariaDB, or for PostgreSQL a migration file',
    )
    .addOption(new Option('--dialect <server>', 'the database').choices(DIALECTS).default('postgres'))
    .addOption(new Option('--for <tool>', 'a migration of this tool').choices(Object.keys(MIGRATIONS)))
    .option('--schema <name>', 'schema to install into', 'snoflax')
    .option('--families <names>', 'comma-separated families (default: all)')
    .option('--grant-to <roles...>', 'roles or accounts that may read and generate ids')
    .option('--grant-leases <roles...>', 'roles or accounts that may lease numbers of sno and flake')
    .option('--at <time>', 'time of the migration, which decides its order (default: now)', timeOf)
    .option('--out <folder>', 'write the file into this folder, and print its path')
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      examples(
        'sql | psql -1 -v ON_ERROR_STOP=1 "$DATABASE_URL"',
        'sql --for prisma --families flax,sno --out prisma/migrations',
        'sql --dialect mariadb | mariadb -u root -p shop',
      ),
    )
    .action(async (options: Options) => {
      const file = fileOf(options)
      const path = options.out === undefined ? file.path : await write(options.out, file)
      if (options.json) await terminal.printJson({ ...file, path })
      else await terminal.print(options.out === undefined ? linesOf(file.content.trimEnd()) : path)
    })

const DIALECTS = ['postgres', 'mysql', 'mariadb'] as const

function fileOf({ for: tool, at, dialect, ...options }: Options): MigrationFile {
  const wanted = {
    schema: options.schema,
    ...(options.families !== undefined && { families: options.families.split(',').map(sqlFamily) }),
    ...(options.grantTo !== undefined && { grantTo: options.grantTo }),
    ...(options.grantLeases !== undefined && { grantLeases: options.grantLeases }),
  }
  if (dialect !== 'postgres' && (tool !== undefined || options.families !== undefined))
    throw new UsageError(`--dialect ${dialect} takes neither --for nor --families`)
  const path = `${options.schema}.sql`
  if (dialect !== 'postgres') {
    const statements = installStatements(dialect, wanted).map((one) => `${one}\n//\n`)
    return { path, content: `DELIMITER //\n${statements.join('')}DELIMITER ;\n` }
  }
  if (tool === undefined) return { path, content: installSql(wanted) }
  return MIGRATIONS[tool]({ ...wanted, ...(at !== undefined && { at: new Date(at) }) })
}

const sqlFamily = (name: string): SqlFamily => snakeCase(familyNamed(name.trim()).name) as SqlFamily

/** Never over a file that is there. */
async function write(folder: string, { path, content }: MigrationFile): Promise<string> {
  const target = join(folder, path)
  try {
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content, { flag: 'wx' })
  } catch (error) {
    throw new UsageError(`${target} cannot be written: ${(error as Error).message}`)
  }
  return target
}
