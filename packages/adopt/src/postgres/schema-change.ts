import { flake, uid } from '@snoflax/core'
import { quoteText } from '@snoflax/core/adapter'
import type { ReplacedColumn } from '../adoption.js'
import type { Statements } from '../driver.js'
import { refuse } from '../obstacles.js'
import { legacyName, newName, type Plan, pathOf, placeOf, type RootPlan, rootOf, shownName } from '../plan.js'
import type { Orm, SchemaChange, Stage } from '../schema-change.js'
import type { IndexPlan, PostgresDetails } from './details.js'

/** What an ORM calls things. */
interface Dialect {
  /** A key of ours. */
  key(name: Name, root: RootPlan): string
  /** A foreign key to one. */
  reference(name: Name, root: RootPlan, isNullable: boolean): string
  /** A column that is null for new rows. */
  extra(name: Name, type: string, place: string): string
  index(index: Pick<IndexPlan, 'name' | 'columns' | 'isUnique' | 'isPlain'>): string | undefined
}

/** A column's name, and that of its property. */
interface Name {
  readonly column: string
  readonly property: string
}

const nameOf = (column: string): Name => ({
  column,
  property: column.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase()),
})

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The bare name of a table. */
const tableName = (table: string): string => nameOf(shownName(table).split('.').at(-1) as string).property

/** Families with columns of their own. */
const OWN = ['flax', 'sno', 'flake', 'uid', 'uidLocal']
/** Families whose columns need a generator. */
const NAMELESS = ['flake', 'uid', 'uidLocal']
/** What a column stores without being told. */
const storageByDefault = (family: string): string =>
  family === 'flake' || family === 'uidLocal' ? 'bigint' : 'uuid'

/** The types that keys have before, as each ORM writes them. */
function typeOf(type: string, place: string): { base: string; length: string | undefined } {
  const [, base, length] =
    /^(integer|bigint|smallint|uuid|text|bytea|character varying|character)(?:\((\d+)\))?( COLLATE "C")?$/.exec(
      type,
    ) ?? []
  if (base !== undefined) return { base, length }
  return refuse(place, `${type} has no counterpart here; declare the column by hand`)
}

const options = (parts: readonly (string | false | undefined)[]): string => {
  const given = parts.filter(Boolean)
  return given.length === 0 ? '' : `{ ${given.join(', ')} }`
}

const storageOption = ({ family, storage }: RootPlan): string | false =>
  storage !== storageByDefault(family) && `storage: '${storage}'`

const PRISMA_TYPES: Record<string, string> = {
  integer: 'Int',
  bigint: 'BigInt',
  smallint: 'Int?@db.SmallInt',
  uuid: 'String?@db.Uuid',
  text: 'String',
  bytea: 'Bytes',
  'character varying': 'String?@db.VarChar',
  character: 'String?@db.Char',
}

const PRISMA_STORAGES: Record<string, string> = {
  uuid: 'String?@db.Uuid',
  uuid8: 'String?@db.Uuid',
  text: 'String',
  binary: 'Bytes',
  bigint: 'BigInt',
}

/** A field of Prisma: its type and what is native about it stand apart. */
function prismaField(
  { column, property }: Name,
  type: string,
  isNullable: boolean,
  attributes: readonly string[] = [],
): string {
  const [scalar, native] = type.split('?')
  const map = property === column ? [] : [`@map("${column}")`]
  return [
    property,
    `${scalar}${isNullable ? '?' : ''}`,
    ...attributes,
    ...map,
    ...(native ? [native] : []),
  ].join(' ')
}

const DIALECTS: Record<Orm, Dialect> = {
  typeorm: {
    key: ({ column, property }, root) => {
      const { family } = root
      const more = options([
        column !== property && `name: '${column}'`,
        NAMELESS.includes(family) && 'generator',
        storageOption(root),
      ])
      return OWN.includes(family)
        ? `@${pascal(family)}IdColumn(${more}) ${property}!: ${pascal(family)}Id`
        : `@IdColumn(${[family, more].filter(Boolean).join(', ')}) ${property}!: string`
    },
    reference: ({ column, property }, { family }, isNullable) => {
      const more = options([column !== property && `name: '${column}'`, isNullable && 'nullable: true'])
      const own = OWN.includes(family)
      return `@${own ? `${pascal(family)}IdColumn.plain(` : `IdColumn.plain(${family}${more && ', '}`}${more}) ${property}!: ${
        own ? `${pascal(family)}Id` : 'string'
      }${isNullable ? ' | null' : ''}`
    },
    extra: ({ column, property }, type, place) => {
      const { base, length } = typeOf(type, place)
      const more = options([
        column !== property && `name: '${column}'`,
        length !== undefined && `length: ${length}`,
        type.endsWith('COLLATE "C"') && "collation: 'C'",
        'nullable: true',
      ])
      return `@Column('${base}', ${more}) ${property}!: ${base === 'integer' || base === 'smallint' ? 'number' : 'string'} | null`
    },
    index: ({ name, columns, isUnique, isPlain }) => {
      if (!isPlain || columns.includes(null)) return `@Index('${name}', { synchronize: false })`
      const properties = columns.map((column) => `'${nameOf(column as string).property}'`)
      return `@Index('${name}', [${properties.join(', ')}]${isUnique ? ', { unique: true }' : ''})`
    },
  },
  prisma: {
    key: (name, { family, storage }) =>
      `${prismaField(name, PRISMA_STORAGES[storage] as string, false, ['@id', '@default(dbgenerated())'])} /// @snoflax ${family}${
        storage === 'uuid8' ? ' storage=uuid8' : ''
      }`,
    reference: (name, { storage }, isNullable) =>
      prismaField(name, PRISMA_STORAGES[storage] as string, isNullable),
    extra: (name, type, place) => {
      const { base, length } = typeOf(type, place)
      return prismaField(name, `${PRISMA_TYPES[base]}${length === undefined ? '' : `(${length})`}`, true)
    },
    index: ({ name, columns, isUnique }) =>
      columns.includes(null)
        ? undefined
        : `@@${isUnique ? 'unique' : 'index'}([${columns.map((column) => nameOf(column as string).property).join(', ')}], map: "${name}")`,
  },
  drizzle: {
    key: ({ column, property }, root) => {
      const { family } = root
      const more = [`'${column}'`, options([NAMELESS.includes(family) && 'generator', storageOption(root)])]
      const call = OWN.includes(family)
        ? `${family}Id(${more.filter(Boolean).join(', ')})`
        : `idColumn(${[family, ...more].filter(Boolean).join(', ')})`
      return `${property}: ${call}.primaryKey(),`
    },
    reference: ({ column, property }, { family, table, key }, isNullable) => {
      const column_ = OWN.includes(family) ? `${family}Id.ref(` : `idColumn.ref(${family}, `
      return `${property}: ${column_}'${column}', () => ${tableName(table)}.${nameOf(key).property})${isNullable ? '' : '.notNull()'},`
    },
    extra: ({ column, property }, type, place) => {
      const { base, length } = typeOf(type, place)
      const more =
        length !== undefined ? `, { length: ${length} }` : base === 'bigint' ? ", { mode: 'bigint' }" : ''
      const call = { 'character varying': 'varchar', character: 'char' }[base] ?? base
      return `${property}: ${call}('${column}'${more}),`
    },
    index: ({ name, columns, isUnique }) =>
      columns.includes(null)
        ? undefined
        : `${isUnique ? 'uniqueIndex' : 'index'}('${name}').on(${columns.map((column) => `t.${nameOf(column as string).property}`).join(', ')}),`,
  },
}

const LAYOUTS = new Map([flake, uid].map(({ name, layout }) => [name, JSON.stringify(layout)] as const))

/** The ORMs' columns of these families have the usual epoch and bits. */
function refuseOwnLayout(root: RootPlan): void {
  if ((LAYOUTS.get(root.family) ?? root.layout) === root.layout) return
  refuse(
    placeOf(root),
    `${root.family} has a layout of your own; declare the columns with your family by hand`,
  )
}

export function schemaChange(
  { roots, columns, details }: Plan<PostgresDetails>,
  statements: Statements,
  orm: Orm,
  stage: Stage,
): SchemaChange {
  const dialect = DIALECTS[orm]
  for (const root of roots) refuseOwnLayout(root)
  const linesOf = (one: ReplacedColumn): string[] => {
    const root = rootOf(roots, one)
    const [own, place] = [nameOf(one.column), pathOf(one)]
    if (stage === 'backfilling') return [dialect.extra(nameOf(newName(one.column)), root.type, place)]
    const now = one.isRoot ? dialect.key(own, root) : dialect.reference(own, root, !one.notNull)
    if (stage === 'finished') return [now]
    return [now, dialect.extra(nameOf(legacyName(one.column)), one.type, place)]
  }
  const indexes = details.indexes
    .filter(({ replaces }) => stage === 'backfilling' || (stage === 'switched' && !replaces))
    .map((index) => ({ ...index, name: stage === 'backfilling' ? index.temporary : index.name }))
    .map((index) => ({
      ...index,
      columns:
        stage === 'switched' ? index.columns.map((column) => column && legacyName(column)) : index.columns,
    }))
    .flatMap((index) => {
      const line = dialect.index(index)
      return line === undefined ? [] : [{ table: shownName(index.table), line }]
    })
  return {
    columns: columns.map((one) => ({ table: shownName(one.table), column: one.column, lines: linesOf(one) })),
    indexes,
    migration: stage === 'backfilling' ? '' : MIGRATIONS[stage]({ roots, columns, details }, statements),
  }
}

const MIGRATIONS = { switched: switchMigration, finished: finishMigration } as const

/** Statements that the server reads only if they are run. */
const block = (lines: readonly string[]): string =>
  `DO $snoflax$\nDECLARE snoflax_path text := current_setting('search_path');\nBEGIN\n${lines
    .map((line) => `  ${line}`)
    .join('\n')}\n  PERFORM set_config('search_path', snoflax_path, true);\nEND $snoflax$;\n`

const execute = (statement: string): string => `EXECUTE $ddl$${statement}$ddl$;`

/** What is of a database, not of a schema. */
const isLocal = (statement: string): boolean =>
  /^(GRANT|REVOKE) |^ALTER .* OWNER TO |snoflax_adoption|session_replication_role/.test(statement)

/** The same on a database without rows; nothing on one that has been adopted. */
function switchMigration(
  { roots, columns }: Plan<PostgresDetails>,
  { expand, index, takeDown, exchange, settle }: Statements,
): string {
  const [first] = roots as [RootPlan]
  const tables = [...new Set(columns.map(({ table }) => table))]
  const oldType = columns.find(({ isRoot, table }) => isRoot && table === first.table)?.type as string
  return block([
    `IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = ${quoteText(first.table)}::regclass AND NOT attisdropped`,
    `    AND (attname = ${quoteText(legacyName(first.key))} OR attname = ${quoteText(first.key)} AND format_type(atttypid, atttypmod) <> ${quoteText(oldType)})) THEN`,
    '  RETURN; -- adopted already',
    'END IF;',
    `IF ${tables.map((table) => `EXISTS (SELECT FROM ${table})`).join(' OR ')} THEN`,
    "  RAISE EXCEPTION 'these tables have rows; run snoflax adopt backfill and switch on this database first';",
    'END IF;',
    ...[
      ...expand,
      ...index.map((one) => one.replace(' CONCURRENTLY', '')),
      ...takeDown,
      ...exchange,
      ...settle,
    ]
      .filter((statement) => !isLocal(statement))
      .map(execute),
  ])
}

function finishMigration(_: Plan<PostgresDetails>, { finish }: Statements): string {
  return block([
    "IF to_regclass('snoflax_adoption.state') IS NOT NULL THEN",
    "  RAISE EXCEPTION 'run snoflax adopt finish on this database first';",
    'END IF;',
    ...finish.filter((statement) => !isLocal(statement)).map(execute),
  ])
}
