import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { DATABASE_PROJECTS, projectName } from './scripts/database-projects.js'
import LongestFirst from './scripts/longest-first.js'
import { folderOf, PACKAGES } from './scripts/packages.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// Tests that every package with an adapter of the contract runs as if they were its own.
const ORM_TESTS = at('test/orm/**/*.test.ts')

// Test files of a project share processes, so that each module is loaded once. A file that leaves state behind is called
// `*.alone.test.ts`, or `*.alone.long.test.ts`.
const ALONE = '**/*.alone{,.long}.test.ts'

const TESTS = ['test/**/*.test.ts', `!${ALONE}`]

const project = (folder: string, tests = TESTS, adapter = 'test/contract/adapter.ts') => ({
  extends: true as const,
  test: {
    name: projectName(folder),
    root: at(folder),
    include: existsSync(at(`${folder}/${adapter}`)) ? [...tests, ORM_TESTS] : tests,
    provide: { snoflaxAdapter: at(`${folder}/${adapter}`) },
    ...([...DATABASE_PROJECTS, ...prisma8].includes(folder) && {
      globalSetup: at('test/databases/global-setup.ts'),
    }),
  },
})

// Its toolchain is a separate workspace: scripts/prisma8.js installs it, and runs only the contract.
const prisma8 = process.env['SNOFLAX_PRISMA8'] ? ['packages/prisma-8'] : []

// Another version of TypeORM than the newest, such as `0.3.28`: see scripts/orm-matrix.js.
const typeorm = process.env['SNOFLAX_TYPEORM']
// Another version of Drizzle than the newest 0.45: see scripts/orm-matrix.js.
const drizzle = process.env['SNOFLAX_DRIZZLE']
// Another version of Kysely than the newest, such as `0.28`: see scripts/orm-matrix.js.
const kysely = process.env['SNOFLAX_KYSELY']

// `npm test` loads what it has built, as users do, natively and without transforming them. Otherwise a package's public name leads to its
// sources, subpaths too, so that watching needs no build.
const isBuilt = Boolean(process.env['SNOFLAX_BUILT'])
const SOURCES = [
  { find: /^@snoflax\/adopt$/, replacement: at(`${folderOf('adopt')}/src`) },
  { find: /^@snoflax\/(?!test|prisma-8)([^/]+)/, replacement: at('packages/$1/src') },
  { find: /^snoflax$/, replacement: at(`${folderOf('cli')}/src`) },
]

// How many tests and assertions there are: see CONTRIBUTING.md.
const isCounting = Boolean(process.env['SNOFLAX_COUNT'])

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@snoflax\/test\/adoption$/, replacement: at('test/adoption.ts') },
      { find: /^@snoflax\/test\/contract$/, replacement: at('test/contract/index.ts') },
      { find: /^@snoflax\/test\/leases$/, replacement: at('test/leases/index.ts') },
      { find: /^@snoflax\/test$/, replacement: at('test/databases.ts') },
      ...(drizzle ? [{ find: /^drizzle-orm(?=$|\/)/, replacement: `drizzle-orm-${drizzle}` }] : []),
      // Drizzle 1.0 contains them.
      ...(drizzle?.startsWith('1')
        ? [
            { find: /^drizzle-(zod|valibot|arktype)$/, replacement: `drizzle-orm-${drizzle}/$1` },
            { find: /^drizzle-typebox$/, replacement: `drizzle-orm-${drizzle}/typebox-legacy` },
          ]
        : []),
      ...(kysely ? [{ find: /^kysely(?=$|\/)/, replacement: `kysely-${kysely}` }] : []),
      {
        find: /^@snoflax\/prisma-8\/sqlite\//,
        replacement: at('packages/prisma-8/src/sqlite/'),
      },
      { find: /^@snoflax\/prisma-8\//, replacement: at('packages/prisma-8/src/postgres/') },
      // What Node loads: its package names the ES modules for bundlers only, and two copies refuse each other.
      { find: /^graphql$/, replacement: 'graphql/index.js' },
      ...(isBuilt ? [] : SOURCES),
      ...(typeorm ? [{ find: /^typeorm(?=\/|$)/, replacement: `typeorm-${typeorm}` }] : []),
    ],
  },
  test: {
    server: { deps: { external: [/\/(packages|tools)\/[^/]+\/esm\//] } },
    // Vitest leaves one core idle, but our tests wait for servers and processes.
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // These deadlines only guard against hanging; no test depends on them, even on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    reporters: [
      'default',
      at('test/contract/pages-reporter.ts'),
      ...(isCounting ? [at('test/counting/reporter.ts')] : []),
    ],
    setupFiles: isCounting ? [at('test/counting/setup.ts')] : [],
    projects: [
      ...PACKAGES.map((name) => project(folderOf(name))),
      ...prisma8.map((folder) => project(folder, [])),
      ...readdirSync(at('examples')).map((name) => project(`examples/${name}`)),
      {
        extends: true,
        test: { name: 'alone', isolate: true, include: [`{examples,packages,test,tools}/${ALONE}`] },
      },
      // These write programs that import packages from outside of them, and load the TypeScript of examples. Hand-written
      // statements meet the contract too, but can't be tried with leases.
      {
        ...project('test', ['**/*.test.ts', '!orm/leases.long.test.ts', `!${ALONE}`], 'skeleton/adapter.ts'),
        resolve: { alias: SOURCES },
      },
    ],
  },
})
