import { type InstallOptions, installSql, installStatements } from './install.js'
import { DEFAULT_SCHEMA } from './schema.js'
import { uninstallSql } from './uninstall.js'

/** A file to be written into a project. */
export interface MigrationFile {
  /** Path below the project's folder of migrations. */
  readonly path: string
  readonly content: string
}

export interface MigrationOptions extends InstallOptions {
  /** When the migration was made; it decides the order among others. Default now. */
  readonly at?: Date
}

const digits = (at: Date): string => at.toISOString().replaceAll(/\D/g, '').slice(0, 14)

/** A TypeORM migration class, in TypeScript. */
export function typeormMigration({ at = new Date(), ...options }: MigrationOptions = {}): MigrationFile {
  const className = `InstallSnoflax${at.getTime()}`
  return {
    path: `${at.getTime()}-InstallSnoflax.ts`,
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

const STATEMENTS = ${JSON.stringify(installStatements(options), null, 2)}

// Refuses while columns, defaults, indexes, views or functions use the schema.
const UNINSTALL = ${JSON.stringify(uninstallSql(options.schema ?? DEFAULT_SCHEMA))}
`,
  }
}

/** A Prisma migration: a folder with its SQL. */
export function prismaMigration({ at = new Date(), ...options }: MigrationOptions = {}): MigrationFile {
  return { path: `${digits(at)}_install_snoflax/migration.sql`, content: installSql(options) }
}

/** The body of a custom Drizzle migration, as made by `drizzle-kit generate --custom`. */
export function drizzleMigration({ at = new Date(), ...options }: MigrationOptions = {}): MigrationFile {
  const content = installStatements(options).join(';\n--> statement-breakpoint\n')
  return { path: `${digits(at)}_install_snoflax.sql`, content: `${content};\n` }
}
