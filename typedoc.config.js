import { base } from './site/base.js'
import { describeModules } from './site/reference.js'

// As readers need them: what everybody starts with first, what the others are built on last.
const MODULES = [
  'core',
  'families',
  'drizzle',
  'kysely',
  'prisma-extension',
  'typeorm',
  'pg-sql',
  'mysql-sql',
  'better-sqlite3',
  'validators',
  'seal',
  'adopt',
  'cli',
  'leases',
  'etcd',
]

export default {
  name: 'snoflax',
  entryPointStrategy: 'packages',
  entryPoints: describeModules(MODULES),
  sortEntryPoints: false,
  packageOptions: {
    entryPoints: ['src/index.ts'],
    tsconfig: 'tsconfig.src.json',
    excludeInternal: true,
    excludePrivate: true,
    // Functions and families are what is looked for; types are named by them.
    kindSortOrder: [
      'Document',
      'Project',
      'Module',
      'Namespace',
      'Function',
      'Variable',
      'Class',
      'Interface',
      'TypeAlias',
    ],
    // What is documented, and in which words, is for test/docstrings.long.test.ts.
    validation: { notExported: true, notDocumented: false, invalidLink: true, rewrittenLink: true },
    disableSources: true,
  },
  out: 'docs/site/api',
  favicon: 'site/icon.svg',
  customCss: 'site/reference.css',
  readme: 'site/pages/reference.md',
  // Back from the reference to the pages.
  titleLink: base,
  navigationLinks: {
    Start: `${base}overview.html`,
    Guides: `${base}docs/index.html`,
    Inspector: `${base}inspector/index.html`,
  },
  highlightLanguages: ['typescript', 'javascript', 'json', 'prisma', 'shellscript', 'sql'],
  includeVersion: true,
  treatWarningsAsErrors: true,
}
