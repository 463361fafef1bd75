import { IdError } from '@snoflax/core'
import { checkOptions, DEFAULT_SCHEMA, isDate } from '@snoflax/core/adapter'
import {
  INSTALL_OPTIONS,
  type InstallOptions,
  installSql,
  installStatements,
  uninstallSql,
} from './install.js'

/** A file to be written into a project. */
export interface MigrationFile {
  /** Path below the project's folder of migrations. */
  readonly path: string
  /** The whole text of the file. */
  readonly content: string
}

/** Options of a migration. */
export interface MigrationOptions extends InstallOptions {
  /** The migration's timestamp, which decides its order among others. Default now. */
  readonly at?: Date
}

const digits = (at: Date): string => at.toISOString().replaceAll(/\D/g, '').slice(0, 14)

/** The timestamp, and what is installed. */
function settle(options: MigrationOptions): { readonly at: Date; readonly install: InstallOptions } {
  const { at = new Date(), ...install } = checkOptions('pg-sql', options, { at: 'any', ...INSTALL_OPTIONS })
  if (isDate(at) && !Number.isNaN(at.getTime())) return { at, install }
  throw new IdError('INVALID_TIME', 'pg-sql: at must be a valid Date', { field: 'at', value: at })
}

/**
 * A TypeORM migration class, in TypeScript. It must come before the first migration that uses the functions. `down`
 * throws while something uses them.
 *
 * @throws {IdError} as `installSql`; `INVALID_TIME` for an invalid `at`.
 *
 * @example
 * const { path, content } = typeormMigration({ families: ['flax', 'sno'], at: new Date('2026-11-01') })
 * path // '1793491200000-InstallSnoflax.ts'
 */
export function typeormMigration(options: MigrationOptions = {}): MigrationFile {
  const { at, install } = settle(options)
  const timestamp = at.getTime()
  const className = `InstallSnoflax${timestamp}`
  return {
    path: `${timestamp}-InstallSnoflax.ts`,
    content: `import type { MigrationInterface, QueryRunner } from 'typeorm'

export class ${className} implements MigrationInterface {
  name = '${className}'

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement)
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UNINSTALL)
  }
}

const STATEMENTS = ${JSON.stringify(installStatements(install), null, 2)}

// Refuses while columns, defaults, indexes, views or functions use the schema.
const UNINSTALL = ${JSON.stringify(uninstallSql(install.schema ?? DEFAULT_SCHEMA))}
`,
  }
}

/**
 * A Prisma migration: a folder with its SQL, below `prisma/migrations`.
 *
 * @throws {IdError} as `installSql`; `INVALID_TIME` for an invalid `at`.
 *
 * @example
 * const { path, content } = prismaMigration({ families: ['flax', 'sno'], at: new Date('2026-11-01') })
 * path // '20261101000000_install_snoflax/migration.sql'
 */
export function prismaMigration(options: MigrationOptions = {}): MigrationFile {
  const { at, install } = settle(options)
  return { path: `${digits(at)}_install_snoflax/migration.sql`, content: installSql(install) }
}

/**
 * The body of a custom Drizzle migration: put it into the file that `drizzle-kit generate --custom` creates, so that
 * Drizzle's journal has the migration.
 *
 * @throws {IdError} as `installSql`; `INVALID_TIME` for an invalid `at`.
 *
 * @example
 * const { path, content } = drizzleMigration({ families: ['flax', 'sno'], at: new Date('2026-11-01') })
 * path // '20261101000000_install_snoflax.sql'
 */
export function drizzleMigration(options: MigrationOptions = {}): MigrationFile {
  const { at, install } = settle(options)
  const content = installStatements(install).join(';\n--> statement-breakpoint\n')
  return { path: `${digits(at)}_install_snoflax.sql`, content: `${content};\n` }
}
