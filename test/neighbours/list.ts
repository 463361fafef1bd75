/** A driver or tool of Drizzle, and the program that tests our columns with it. */
export interface Neighbour {
  readonly name: string
  /** The packages whose versions the table names. */
  readonly packages: readonly string[]
  /** The database that the program gets by the variable URL. */
  readonly database?: 'postgres' | 'mysql'
  /** The last one is the program. */
  readonly commands: readonly string[]
  /** Whether only Drizzle 0.45 or only 1.0 has it. */
  readonly only?: '0.45' | '1.0'
}

/** What is installed together, by the version of Drizzle. */
export interface Installed {
  readonly drizzle: '0.45' | '1.0'
  readonly name: string
  readonly packages: string
  readonly neighbours: readonly Neighbour[]
}

const OURS = '@snoflax/core @snoflax/drizzle @snoflax/validators'
const DRIVERS =
  'pg@8 postgres@3 @electric-sql/pglite@0.5 better-sqlite3@12 @libsql/client@0.18 sql.js@1 miniflare@4 mysql2@3'
const SCHEMAS = 'zod@4 valibot@1 arktype@2'

const schemas = (library: string, ...packages: string[]): Neighbour => ({
  name: packages[0] as string,
  packages,
  commands: [`node schemas.mjs ${library}`],
})

const NEIGHBOURS: readonly Neighbour[] = [
  ...[
    ['node-postgres', 'pg'],
    ['postgres.js', 'postgres'],
  ].map(
    ([name = '', driver = '']): Neighbour => ({
      name,
      packages: [driver],
      database: 'postgres',
      commands: [`node pg.mjs ${name === 'postgres.js' ? 'postgres' : name}`],
    }),
  ),
  { name: 'PGlite', packages: ['@electric-sql/pglite'], commands: ['node pg.mjs pglite'] },
  { name: 'better-sqlite3', packages: ['better-sqlite3'], commands: ['node sqlite.mjs better-sqlite3'] },
  { name: 'libsql', packages: ['@libsql/client'], commands: ['node sqlite.mjs libsql'] },
  { name: 'sql.js', packages: ['sql.js'], commands: ['node sqlite.mjs sql.js'] },
  { name: "D1, miniflare's", packages: ['miniflare'], commands: ['node sqlite.mjs d1'] },
  { name: 'bun:sqlite', packages: [], commands: ['npx --yes bun@1 sqlite.mjs bun:sqlite'] },
  { name: 'node:sqlite', packages: [], commands: ['npx --yes node@24 sqlite.mjs node:sqlite'], only: '1.0' },
  { name: 'mysql2 on MariaDB', packages: ['mysql2'], database: 'mysql', commands: ['node mysql.mjs'] },
  {
    name: 'drizzle-kit: generate, migrate, push, pull',
    packages: ['drizzle-kit'],
    database: 'postgres',
    commands: [
      'npx drizzle-kit generate',
      'npx drizzle-kit migrate',
      'npx drizzle-kit push --force',
      'npx drizzle-kit pull --config pull.config.ts',
      'node kit.mjs',
    ],
  },
  { name: 'drizzle-seed', packages: ['drizzle-seed'], commands: ['node seed.mjs'] },
  { name: 'better-auth', packages: ['better-auth'], commands: ['node better-auth.mjs'] },
]

const on = (drizzle: Installed['drizzle']): Neighbour[] =>
  NEIGHBOURS.filter(({ only = drizzle }) => only === drizzle)

export const INSTALLED: readonly Installed[] = [
  {
    drizzle: '0.45',
    name: 'newest',
    packages: `drizzle-orm@0.45 drizzle-kit@0.31 ${DRIVERS} ${SCHEMAS} @sinclair/typebox@0.34 drizzle-zod@0.8 drizzle-valibot@0.4 drizzle-arktype@0.1 drizzle-typebox@0.3 drizzle-seed@0.3 drizzle-graphql@0.8 graphql@16 better-auth@1 ${OURS}`,
    neighbours: [
      ...on('0.45'),
      schemas('zod', 'drizzle-zod', 'zod'),
      schemas('valibot', 'drizzle-valibot', 'valibot'),
      schemas('arktype', 'drizzle-arktype', 'arktype'),
      schemas('typebox-legacy', 'drizzle-typebox', '@sinclair/typebox'),
      { name: 'drizzle-graphql', packages: ['drizzle-graphql', 'graphql'], commands: ['node graphql.mjs'] },
    ],
  },
  {
    drizzle: '0.45',
    name: 'oldest',
    packages: `drizzle-orm@0.45.0 better-sqlite3@12 zod@3.25.1 valibot@1.0.0 arktype@2.1.0 @sinclair/typebox@0.34.8 drizzle-zod@0.8.0 drizzle-valibot@0.4.0 drizzle-arktype@0.1.3 drizzle-typebox@0.3.0 drizzle-seed@0.3.0 ${OURS}`,
    neighbours: [
      schemas('zod', 'drizzle-zod', 'zod'),
      schemas('valibot', 'drizzle-valibot', 'valibot'),
      schemas('arktype', 'drizzle-arktype', 'arktype'),
      schemas('typebox-legacy', 'drizzle-typebox', '@sinclair/typebox'),
      { name: 'drizzle-seed', packages: ['drizzle-seed'], commands: ['node seed.mjs'] },
    ],
  },
  {
    drizzle: '1.0',
    name: 'newest',
    packages: `drizzle-orm@1.0.0-rc.5 drizzle-kit@1.0.0-rc.5 ${DRIVERS} ${SCHEMAS} @sinclair/typebox@0.34 typebox@1 drizzle-seed@1.0.0-rc.4 better-auth@1 ${OURS}`,
    neighbours: [
      ...on('1.0'),
      ...['zod', 'valibot', 'arktype', 'typebox'].map((one) => ({
        ...schemas(one, one),
        name: `drizzle-orm/${one}`,
      })),
      { ...schemas('typebox-legacy', '@sinclair/typebox'), name: 'drizzle-orm/typebox-legacy' },
    ],
  },
]
