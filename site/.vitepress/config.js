import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { repositoryPage } from '../../scripts/repository.js'
import { base } from '../base.js'

const repository = repositoryPage()

const guide = (text, link) => ({ text, link })

const GUIDES = [
  {
    text: 'Start',
    items: [
      guide('Overview', '/overview'),
      guide('Choosing a family', '/docs/choosing-a-family'),
      guide('Choosing a storage', '/docs/choosing-a-storage'),
      guide('UUIDv7 with snoflax', '/docs/uuidv7'),
      guide('Compared with UUIDv7, ULID and others', '/docs/comparison'),
      guide('Core', '/packages/core/'),
      guide('UUIDv7, ULID, TypeID, snowflakes', '/packages/families/'),
      guide('Words', '/docs/words'),
    ],
  },
  {
    text: 'ORMs',
    items: [
      guide('TypeORM', '/packages/typeorm/'),
      guide('Prisma', '/packages/prisma-extension/'),
      guide('Prisma 8', '/packages/extension-prisma/'),
      guide('Drizzle', '/packages/drizzle/'),
      guide('Kysely', '/packages/kysely/'),
      guide('Validators', '/packages/validators/'),
      guide('Drizzle with its neighbours', '/docs/neighbours'),
      guide('Raw SQL with compact ids', '/docs/raw-sql'),
    ],
  },
  {
    text: 'Databases',
    items: [
      guide('PostgreSQL', '/packages/pg-sql/'),
      guide('Ranges of time in SQL', '/docs/postgresql-time'),
      guide('MySQL and MariaDB', '/packages/mysql-sql/'),
      guide('SQLite', '/packages/better-sqlite3/'),
      guide('Leases', '/docs/leases'),
      guide('Leases in etcd', '/packages/etcd/'),
      guide('Lease kit', '/packages/lease-kit/'),
      guide('Proof', '/docs/proof'),
      guide('What doctor finds', '/docs/doctor-faults'),
      guide('Database security', '/docs/database-security'),
    ],
  },
  {
    text: 'Ids that people see',
    items: [
      guide('Prefixed ids', '/docs/prefixed-ids'),
      guide('Sealed ids', '/docs/sealed-ids'),
      guide('The package that seals', '/packages/seal/'),
    ],
  },
  {
    text: 'In production',
    items: [
      guide('Command line', '/packages/cli/'),
      guide('Adopting', '/docs/adopting'),
      guide('Tests with fixed ids', '/docs/testing'),
      guide('Security', '/docs/security'),
      guide('Platforms', '/docs/platforms'),
      guide('Support and versions', '/docs/support'),
    ],
  },
  {
    text: 'Write paths',
    items: [
      guide('TypeORM', '/docs/write-paths/typeorm'),
      guide('Prisma', '/docs/write-paths/prisma'),
      guide('Prisma 8', '/docs/write-paths/prisma-8'),
      guide('Drizzle', '/docs/write-paths/drizzle'),
      guide('Kysely', '/docs/write-paths/kysely'),
    ],
  },
  {
    text: 'Extending',
    items: [
      guide('A family of your own', '/docs/own-family'),
      guide('An adapter of your own', '/docs/adapter'),
      guide('Specification', '/spec/'),
      guide('Benchmarks', '/bench/'),
    ],
  },
]

const icon = readFileSync(new URL('../icon.svg', import.meta.url), 'utf8')

export default defineConfig({
  title: 'snoflax',
  description:
    'Ids that sort by creation time, for TypeScript applications: the same in every ORM and inside the database',
  base,
  srcDir: 'pages',
  outDir: '../docs/site',
  // A server of static files need not find overview.html under /overview.
  cleanUrls: false,
  lastUpdated: false,
  head: [
    [
      'link',
      { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${encodeURIComponent(icon.trim())}` },
    ],
  ],
  // The front page runs the package as it was built.
  vite: {
    resolve: {
      alias: {
        '@snoflax/core': fileURLToPath(new URL('../../packages/core/esm/index.js', import.meta.url)),
      },
    },
  },
  // The reference and the inspector are static files beside the pages.
  ignoreDeadLinks: [/^\/(api|inspector)\//],
  // Code in our pages is code: nothing of it is a template.
  markdown: {
    config: (markdown) => {
      const inline = markdown.renderer.rules.code_inline
      markdown.renderer.rules.code_inline = (...given) =>
        inline(...given)
          .replace('<code', '<code v-pre')
          .replace('v-pre v-pre', 'v-pre')
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/overview' },
      { text: 'Reference', link: '/api/index.html', target: '_self' },
      { text: 'Inspector', link: '/inspector/index.html', target: '_self' },
    ],
    sidebar: GUIDES,
    search: { provider: 'local' },
    outline: 'deep',
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
})
