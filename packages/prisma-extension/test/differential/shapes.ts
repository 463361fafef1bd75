import { readdirSync, readFileSync } from 'node:fs'
import { type ProjectFiles, projectOf } from '../project/generate.js'
import { VERSION } from '../project/version.js'

const CORPUS = new URL('../corpus/', import.meta.url)

/** The schemas of the corpus by name, with `KEY(family)` and the like where ids are: see its README. */
export const SHAPES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(CORPUS)
    .filter((file) => file.endsWith('.prisma'))
    .sort()
    .map((file) => [file.replace('.prisma', ''), readFileSync(new URL(file, CORPUS), 'utf8')]),
)

export interface Columns {
  readonly provider: string
  /** The family in place of flax and sno, if it is another one for both. */
  readonly family?: 'flake' | 'uuid7'
  readonly flax: string
  readonly sno: string
  /** Whether its fields are text that also accepts labels. */
  readonly accepts?: true
  /** Of ids in a schema without our generator. */
  readonly plain: string
  /** What a text needs to be unique. */
  readonly text: string
}

const UUIDS = {
  provider: 'postgresql',
  flax: 'String @db.Uuid',
  sno: 'String @db.Uuid',
  plain: 'String',
  text: '',
}

const NUMBERS = { family: 'flake', flax: 'BigInt', sno: 'BigInt' } as const
const SQLITE = { provider: 'sqlite', plain: 'String', text: '' }
const MYSQL = { provider: 'mysql', plain: 'String @db.VarChar(40)', text: '@db.VarChar(40)' }

/** Storages that have to be converted, by database. Before 7.2, Prisma can't relate rows by Bytes. */
export const COLUMNS: Readonly<Record<string, readonly Columns[]>> = VERSION
  ? { postgres: [UUIDS, { ...UUIDS, ...NUMBERS }] }
  : {
      sqlite: [
        { ...SQLITE, flax: 'Bytes', sno: 'Bytes' },
        { ...SQLITE, ...NUMBERS },
        { ...SQLITE, flax: 'Bytes', sno: 'String' },
        { ...SQLITE, flax: 'String', sno: 'String', accepts: true },
      ],
      pglite: [
        { ...UUIDS, sno: 'Bytes' },
        { ...UUIDS, ...NUMBERS },
      ],
      mysql: [
        { ...MYSQL, flax: 'Bytes @db.Binary(12)', sno: 'Bytes @db.VarBinary(16)' },
        { ...MYSQL, flax: 'String @db.Char(16)', sno: 'String @db.VarChar(16)' },
        { ...MYSQL, family: 'flake', flax: 'BigInt @db.UnsignedBigInt', sno: 'BigInt @db.UnsignedBigInt' },
        { ...MYSQL, family: 'uuid7', flax: 'String @db.Char(36)', sno: 'String @db.VarChar(36)' },
      ],
    }

const ID = /^( *\w+ +)(KEY|KEYPART|GIVEN|REF|HELD)(\?|\[\])?\((\w+)\)(.*)$/

export interface ShapeOptions {
  readonly columns: Columns
  /** Whether ids are text that no generator of ours knows. */
  readonly isPlain: boolean
  readonly client?: 'prisma-client' | 'prisma-client-js'
}

/** A project with the schema of a shape. */
export function shapeProject(
  shape: string,
  { columns, isPlain, client = 'prisma-client' }: ShapeOptions,
): ProjectFiles {
  const isPostgres = columns.provider === 'postgresql'
  const ours = `brands = "strict"`
  const models = linesOf(shape, columns).map((line) => prismaLine(line, columns, isPlain))
  const schemas = isPostgres && shape.includes('@@schema') ? 'schemas = ["cron", "public"]' : ''
  return projectOf(models.join('\n'), {
    provider: columns.provider,
    client,
    clientOptions: 'previewFeatures = ["views"]',
    options: isPlain ? null : ours,
    datasource: `${/^\/\/datasource (.*)/m.exec(shape)?.[1] ?? ''}\n  ${schemas}`,
  })
}

/** Without what a database doesn't have, and defaults of Json, for which Prisma writes no valid SQL in SQLite. */
const linesOf = (shape: string, { provider }: Columns): string[] =>
  shape
    .split('\n')
    .filter((line) => provider === 'postgresql' || !/ POSTGRES$|@@schema/.test(line))
    .map((line) => line.replace(/ POSTGRES$/, ''))
    .map((line) => (provider === 'postgresql' ? line : line.replace(/( Json\??) +@default\(.*\)/, '$1')))

function prismaLine(line: string, columns: Columns, isPlain: boolean): string {
  const [, head, kind, modifier = '', which, rest = ''] = ID.exec(line) ?? []
  if (kind === undefined) return line.replace(/ TEXT\b/, ` ${columns.text}`)
  const [type, native = ''] = (isPlain ? columns.plain : columns[which as 'flax' | 'sno']).split(' ')
  const accepts = columns.accepts ? ' accept=/row [0-9]+/ onMismatch=notFound branded=false' : ''
  const family = `${columns.family ?? which}${accepts}`
  const isMade = kind === 'KEY' || kind === 'KEYPART'
  const attributes = `${kind === 'KEY' ? '@id' : ''} ${isMade ? '@default(dbgenerated())' : ''}`
  const comment =
    isPlain || kind === 'REF'
      ? ''
      : `/// @snoflax ${family}${kind === 'GIVEN' ? ' generate=never' : ''}${columns.provider === 'mysql' && type === 'String' ? ' collation=utf8mb4_bin' : ''}`
  return `${head}${type}${modifier} ${native} ${attributes} ${rest} ${comment}`
}

/** The fields that hold ids, as the shape says: `Order.id`. */
export function idsOf(shape: string, columns: Columns): string[] {
  let model = ''
  return linesOf(shape, columns).flatMap((line) => {
    model = /^(?:model|view) (\w+)/.exec(line)?.[1] ?? model
    return ID.test(line) ? [`${model}.${line.trim().split(' ')[0]}`] : []
  })
}

/** Statements that make a shape's views. */
export const viewsOfShape = (shape: string, { provider }: Columns): string[] =>
  [...shape.matchAll(/^\/\/sql (.*)$/gm)].map(([, sql = '']) =>
    provider === 'mysql' ? sql.replaceAll('"', '`') : sql,
  )
