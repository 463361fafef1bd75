import type { IdFamily } from '@snoflax/core'
import { isAccepting, isOpaque, ownOf } from '@snoflax/core/adapter'
import { idExtension, keyset } from '@snoflax/prisma-extension'
import type { OpenDatabase } from '@snoflax/test'
import { type Created, type Declared, type FeatureAdapter, OPAQUE } from '@snoflax/test/contract'
import { type AnyClient, clientOf } from '../project/clients.js'
import { generateProject, projectOf, refusalOfProject } from '../project/generate.js'
import { generatedModule } from '../shop/open.js'

const NO_CLASSES = 'Prisma has models, no classes'
const PROVIDERS = { sqlite: 'sqlite', postgres: 'postgresql', pglite: 'postgresql', mysql: 'mysql' } as const

const GENERATED = '@default(dbgenerated())'

/** The models of a form; `id` is a type, and what generated ids and ids of `rows` have for a comment. */
function modelsOf({ form, database, ...declared }: Declared): string {
  const type = database.kind === 'mysql' ? 'String @db.VarChar(255)' : 'String'
  const comment = commentOf(declared, database)
  const id = (attributes = '') => `id ${type} ${attributes} ${comment}`
  const rows = (...lines: string[]) => model('rows', 'note String', ...lines)
  const numbered = (...lines: string[]) => rows('n Int @id', ...lines)
  const key = id(`@id ${GENERATED}`)
  const others = (attributes: string, ...lines: string[]) => [
    rows(key, 'others others[]'),
    model(
      'others',
      `rowId ${type} @map("row_id") ${attributes}`,
      'row rows @relation(fields: [rowId], references: [id])',
      'note String',
      ...lines,
    ),
  ]
  const versions = rows('n Int', id(GENERATED), '@@id([id, n])')
  const FORMS: Readonly<Partial<Record<Declared['form'], string | readonly string[]>>> = {
    'key, declared at the table': rows(id(GENERATED), '@@id([id])'),
    'key of a column with another name': rows(id(`@id ${GENERATED} @map("id_")`)),
    'part of a composite key': rows('n Int', id(GENERATED), '@@id([n, id])'),
    'key with versions': versions,
    'key with more versions than are listed': versions,
    'unique, declared at the column': numbered(id('@unique')),
    'unique, declared at the table': numbered(id(), '@@unique([id])'),
    'unique index': numbered(id(), '@@unique([id], map: "rows_id")'),
    'part of a unique set': numbered(id(), '@@unique([note, id])'),
    'generated, beside a numeric key': numbered(id(GENERATED)),
    'neither generated nor unique': numbered(id()),
    reference: others('', 'n Int @id'),
    'reference that is the key': others('@unique', 'n Int', '@@id([rowId])'),
    'reference in a composite key': others('', 'n Int', '@@id([rowId, n])'),
    'table of a schema': rows(key, '@@schema("ids")'),
    'table with a view, others': [rows(key), model('others', id(), 'note String').replace('model', 'view')],
    'soft-deleted row, whose n is not null': rows('n Int?', key),
    'two tables that generate ids of one prefix': [rows(key), model('others', key)],
    'foreign key that generates ids': others(GENERATED, 'n Int @id'),
  }
  const ofForm = [FORMS[form] ?? rows(key)].flat().reverse().join('\n')
  // One-to-one, where the reference is the key.
  return form === 'reference that is the key' ? ofForm.replace('others[]', 'others?') : ofForm
}

const model = (name: string, ...lines: string[]) => `model ${name} {\n  ${lines.join('\n  ')}\n}`

function commentOf(
  { family, onMismatch }: Pick<Declared, 'family' | 'onMismatch'>,
  { kind }: OpenDatabase,
): string {
  const { prefix } = ownOf(family) as IdFamily & { readonly prefix?: string }
  const name = isOpaque(family) ? 'orgId' : prefix ? `flax prefix=${prefix}` : 'uuid7'
  const accept = isAccepting(family) ? ` accept=/[a-z]{24}/ onMismatch=${onMismatch}` : ''
  const collation = kind === 'mysql' ? ' collation=ascii_bin' : ''
  return `/// @snoflax ${name}${accept}${collation}`
}

/** A project, with a module that has the opaque definition. */
const project = (models: string, options: Parameters<typeof projectOf>[1]) => ({
  ...projectOf(models, { options: 'families = "../ids.js"', ...options }),
  'ids.js': `import { opaque } from '@snoflax/core'\nexport const orgId = ${OPAQUE}\n`,
})

const adapter: FeatureAdapter = {
  orm: 'Prisma',
  hasMismatch: true,
  absent: {
    'two models of one table': 'Prisma refuses two models of one table',
    'single-table inheritance, by note': NO_CLASSES,
    'table per type, others being the parent': NO_CLASSES,
    'declared in an abstract class': NO_CLASSES,
    'inside an embedded object': 'Prisma has no embedded objects in SQL databases',
  },
  async open(declared) {
    const { form, database } = declared
    const options = {
      provider: PROVIDERS[database.kind],
      clientOptions: 'previewFeatures = ["views"]',
      datasource: form === 'table of a schema' ? 'schemas = ["ids"]' : '',
    }
    const models = modelsOf(declared)
    if (form.includes('generate ids') || form.includes('generates ids')) {
      const refusal = await refusalOfProject(project(models, options))
      if (!/references|prefix|opaque ids named/.test(refusal)) throw new Error(refusal)
      // A configuration that is written by hand is refused, too.
      const folder = await generateProject(project(models, { ...options, options: null }))
      const client = await clientOf(folder, database)
      return refusedBy(client, declared)
    }
    const folder = await generateProject(project(models, options))
    const bare = await clientOf(folder, database)
    const { snoflax, ...generated } = await generatedModule(folder)
    const isSoft = form.startsWith('soft-deleted')
    const prisma: AnyClient = (isSoft ? bare.$extends(softDeletion) : bare).$extends(snoflax())
    const where = ([name, ...times]: Created) => ({ id: generated[name]('rows.id', ...times) })
    return {
      find: (id) => prisma.$find(id),
      page: async (page) => prisma.rows.findMany(keyset(page as never)),
      read: async (...created) => prisma.rows.findMany({ where: where(created) }),
      remove: async (...created) => prisma.rows.deleteMany({ where: where(created) }),
      writes: {
        '`create`': async (id) => prisma.rows.create({ data: { id, note: 'new' } }),
        '`createMany`': async (id) =>
          prisma.rows.createMany({ data: [{ note: 'new' }, { id, note: 'new' }] }),
        '`update`': async (id, { id: of }) => prisma.rows.update({ where: { id: of }, data: { id } }),
        '`updateMany`': async (id) => prisma.rows.updateMany({ where: {}, data: { id } }),
        '`upsert` that creates': async (id, { id: of }) =>
          prisma.rows.upsert({
            where: { id: `${of.slice(0, -1)}0` },
            create: { id, note: 'new' },
            update: {},
          }),
        '`upsert` that updates': async (id, stored) =>
          prisma.rows.upsert({ where: { id: stored.id }, create: stored, update: { id } }),
      },
      close: () => bare.$disconnect(),
    }
  },
}

export default adapter

const softDeletion = {
  query: {
    rows: {
      $allOperations: ({ args, query }: AnyClient) => query({ ...args, where: { ...args.where, n: null } }),
    },
  },
}

function refusedBy(client: AnyClient, { form, family, database }: Declared): never {
  const id = { family, storage: 'text', generated: true } as const
  const others = form.includes('prefix') ? { id } : { rowId: { ...id, relations: ['row'] } }
  client.$extends(
    idExtension({
      database: database.kind === 'pglite' ? 'postgres' : database.kind,
      models: { rows: { id }, others },
    }),
  )
  throw new Error('nothing was refused')
}
