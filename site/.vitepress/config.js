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
      guide('Drizzle', '/docs/start/drizzle'),
      guide('Prisma', '/docs/start/prisma'),
      guide('TypeORM', '/docs/start/typeorm'),
      guide('Kysely', '/docs/start/kysely'),
      guide('MikroORM', '/docs/start/mikro-orm'),
      guide('PostgreSQL', '/docs/start/postgresql'),
    ],
  },
  {
    text: 'Guides',
    items: [
      guide('Pagination', '/docs/pagination'),
      guide('Express, Fastify, Hono, Nest, Next', '/docs/frameworks'),
      guide('A malformed id in a URL', '/docs/malformed-ids'),
      guide('Ids that clients generate', '/docs/client-ids'),
      guide('better-auth', '/docs/better-auth'),
      guide('Prefixed ids', '/docs/prefixed-ids'),
      guide('UUIDv7 that you have', '/docs/uuidv7'),
      guide('Rows of a time by UUIDv7', '/docs/uuidv7-time'),
      guide('From an id to its row', '/docs/find'),
      guide('Switching from cuid, nanoid, uuid or serial', '/docs/switching'),
      guide('Ids that you make', '/docs/own-ids'),
      guide('Keys that you have', '/docs/existing-keys'),
      guide('Replacing keys in a live database', '/docs/adopting'),
      guide('Ids that hide their time', '/docs/sealed-ids'),
      guide('Tests with fixed ids', '/docs/testing'),
      guide('uuid, TypeID, ULID, cuid2, nanoid', '/docs/alternatives'),
      guide('Choosing a family and a storage', '/docs/choosing'),
      guide('Compact storages', '/docs/compact'),
      guide("The compiler's never", '/docs/never'),
      guide('Security', '/docs/security'),
      guide('Command line', '/tools/cli/'),
      guide('For your coding agent', '/docs/coding-agent'),
    ],
  },
  {
    text: 'ORMs',
    items: [
      guide('Drizzle', '/packages/drizzle/'),
      guide('Prisma', '/packages/prisma-extension/'),
      guide('Prisma 8', '/packages/prisma-8/'),
      guide('TypeORM', '/packages/typeorm/'),
      guide('Kysely', '/packages/kysely/'),
      guide('MikroORM', '/packages/mikro-orm/'),
      guide('Sequelize, Knex and others', '/docs/recipes'),
      guide('Validators', '/packages/validators/'),
    ],
  },
  {
    text: 'Databases',
    items: [
      guide('What a DBA sees', '/docs/dba'),
      guide('PostgreSQL', '/packages/pg-sql/'),
      guide('Ranges of time in SQL', '/docs/postgresql-time'),
      guide('Supabase, Neon', '/docs/hosted-postgresql'),
      guide('MySQL and MariaDB', '/packages/mysql-sql/'),
      guide('SQLite', '/packages/better-sqlite3/'),
    ],
  },
  {
    text: 'Numbered writers',
    items: [
      guide('Leases', '/docs/leases'),
      guide('The package that leases', '/packages/leases/'),
      guide('Leases in etcd', '/packages/etcd/'),
      guide('Proof', '/docs/proof'),
    ],
  },
  {
    text: 'More',
    items: [
      guide('Core', '/packages/core/'),
      guide('UUIDv7, ULID, TypeID, snowflakes', '/packages/families/'),
      guide('The package that seals', '/packages/seal/'),
      guide('Sealing, for a cryptographer', '/docs/sealed-ids-cryptography'),
      guide('The package that adopts', '/tools/adopt/'),
      guide('A family of your own', '/docs/own-family'),
      guide('An adapter of your own', '/docs/adapter'),
      guide('Platforms', '/docs/platforms'),
      guide('Support and versions', '/docs/support'),
      guide('Words', '/docs/words'),
      guide('Specification', '/spec/'),
      guide('Python and Go', '/ports/'),
      guide('Benchmarks', '/bench/'),
      guide('All guides', '/docs/'),
    ],
  },
]

const { version } = JSON.parse(
  readFileSync(new URL('../../packages/core/package.json', import.meta.url), 'utf8'),
)

/** The page in the repository. VitePress runs the function in browsers, where it knows nothing of this module. */
const editPattern = new Function(
  'page',
  `return ${JSON.stringify(`${repository}/edit/HEAD/`)} + page.frontmatter.repositoryPath`,
)

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
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/overview' },
      { text: 'Guides', link: '/docs/' },
      { text: 'Reference', link: '/api/index.html', target: '_self' },
      { text: 'Inspector', link: '/inspector/index.html', target: '_self' },
      { text: version === '0.0.0' ? 'unreleased' : version, link: '/CHANGELOG' },
    ],
    sidebar: GUIDES,
    search: { provider: 'local', options: { detailedView: true } },
    outline: 'deep',
    ...(repository && {
      socialLinks: [{ icon: 'github', link: repository }],
      editLink: { pattern: editPattern, text: 'Edit this page' },
    }),
  },
})
