import { flake } from '@snoflax/core'
import type { Orm, ReplacedColumn, SchemaChange, Stage } from './adoption.js'
import type { DatabaseName, Driver } from './driver.js'
import { refuse } from './obstacles.js'
import {
  type AddedIndex,
  legacyName,
  mappingOf,
  newName,
  type Plan,
  pathOf,
  placeOf,
  type RootPlan,
  rootOf,
  shownName,
} from './plan.js'

interface Dialect {
  key(name: Name, root: RootPlan, database: DatabaseName): string
  reference(name: Name, root: RootPlan, column: ReplacedColumn, database: DatabaseName): string
  /** A column that is null for new rows. */
  extra(name: Name, old: OldType, database: DatabaseName): string
  index(index: AddedIndex): string | undefined
  /** Keeps the ORM's diff from dropping these tables of ours. */
  hide(tables: readonly string[]): readonly string[]
}

interface Name {
  readonly column: string
  readonly property: string
}

interface OldType {
  readonly type: string
  readonly place: string
}

const nameOf = (column: string): Name => {
  const property = column.replace(/[^\p{L}\p{N}]+(.)?/gu, (_, next: string = '') => next.toUpperCase())
  return { column, property: /^\p{L}/u.test(property) ? property : `_${property}` }
}

/** A name as a string literal of TypeScript. */
const written = (name: string): string => `'${name.replace(/[\\']/g, '\\$&')}'`

/** A column's own name as a member of an object. */
const member = (column: string): string => (/^[A-Za-z_$][\w$]*$/.test(column) ? column : written(column))

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const tableName = (table: string): string => nameOf(shownName(table).split('.').at(-1) as string).property

/** Families with their own column functions. */
const OWN = ['flax', 'sno', 'flake']
/** Families whose columns need a generator. */
const NAMELESS = ['flake', 'uid', 'uidLocal']
const hasOwn = ({ family }: RootPlan): boolean => OWN.includes(family)

/** The family as TypeScript's expression; a prefix is an option of the column, unless it is part of the family. */
const familyCode = ({ family, prefix }: RootPlan): string =>
  family === 'typeid' ? `typeid('${prefix}')` : family

const prefixOption = ({ family, prefix }: RootPlan): string | false =>
  prefix !== undefined && family !== 'typeid' && `prefix: '${prefix}'`

const typeCode = (root: RootPlan): string => {
  if (root.prefix !== undefined) return `Id<'${root.prefix}'>`
  return hasOwn(root) ? `${pascal(root.family)}Id` : 'string'
}

const TYPE =
  /^([a-z]+(?: [a-z]+)?)(?: ?\(([\d, ]+)\))?( unsigned)?(?: CHARACTER SET (\w+))?(?: COLLATE "?(\w+)"?)?$/i

/** Types of old keys and of ours, in an ORM's words. */
function typeIn(words: Readonly<Record<string, string>>, { type, place }: OldType) {
  const [, written = '', length, unsigned, charset, collation] = TYPE.exec(type) ?? []
  const base = written.toLowerCase().replace(/ unsigned$/, '')
  const word = words[base]
  if (word === undefined)
    return refuse(
      place,
      `can't translate the column type ${type || '(none)'} for this ORM; declare the column by hand`,
    )
  const isUnsigned = unsigned !== undefined || / unsigned$/i.test(written)
  return { word, base, length: isInteger(base) ? undefined : length, isUnsigned, charset, collation }
}

const isInteger = (base: string): boolean => /int/.test(base)

const options = (parts: readonly (string | false | undefined)[]): string => {
  const given = parts.filter(Boolean)
  return given.length === 0 ? '' : `{ ${given.join(', ')} }`
}

const storageOption = ({ isNamed, storage }: RootPlan): string | false => isNamed && `storage: '${storage}'`

/** Words for types, from `int, integer -> number; text`: without an arrow, the type itself. */
const wordsFor = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('; ').flatMap((part) => {
      const [types = '', word] = part.split(' -> ')
      return types.split(', ').map((type) => [type, word ?? type])
    }),
  )

/** TypeScript's type of a property, by the type of its column. */
const TYPEORM_TYPES: Record<DatabaseName, Record<string, string>> = {
  PostgreSQL: wordsFor(
    'integer, smallint -> number; bigint, uuid, text, character varying, character -> string; bytea -> Buffer',
  ),
  SQLite: wordsFor(
    'int, integer, tinyint, smallint, mediumint, bigint -> number; varchar, character, nchar, nvarchar, text -> string; blob -> Buffer',
  ),
  MariaDB: wordsFor(
    'int, tinyint, smallint, mediumint -> number; bigint, char, varchar, text, uuid -> string; binary, varbinary -> Buffer',
  ),
}

/** Prisma's scalar and, after a question mark, its native type. */
const PRISMA_TYPES: Record<DatabaseName, Record<string, string>> = {
  PostgreSQL: wordsFor(
    'integer -> Int; bigint -> BigInt; smallint -> Int?@db.SmallInt; uuid -> String?@db.Uuid; text -> String; bytea -> Bytes; ' +
      'character varying -> String?@db.VarChar; character -> String?@db.Char',
  ),
  SQLite: wordsFor(
    'int, integer, smallint -> Int; bigint -> BigInt; text, varchar, char, character, nvarchar, nchar -> String; blob -> Bytes',
  ),
  MariaDB: wordsFor(
    'int -> Int; smallint -> Int?@db.SmallInt; bigint -> BigInt; char -> String?@db.Char; varchar -> String?@db.VarChar; ' +
      'text -> String?@db.Text; binary -> Bytes?@db.Binary; varbinary -> Bytes?@db.VarBinary',
  ),
}

const DRIZZLE_TYPES: Record<DatabaseName, Record<string, string>> = {
  // Drizzle has no bytea before 1.0.
  PostgreSQL: wordsFor(
    "integer; bigint; smallint; uuid; text; bytea -> customType({ dataType: () => 'bytea' }); character varying -> varchar; character -> char",
  ),
  SQLite: wordsFor(
    'int, integer, tinyint, smallint, mediumint, bigint -> integer; text, varchar, character, nchar, nvarchar, clob -> text; blob',
  ),
  MariaDB: wordsFor('int; tinyint; smallint; mediumint; bigint; char; varchar; text; binary; varbinary'),
}

function prismaType(old: OldType, database: DatabaseName): string {
  const { word, base, length, isUnsigned } = typeIn(PRISMA_TYPES[database], old)
  if (isUnsigned)
    return `${word.split('?')[0]}?@db.Unsigned${base === 'int' ? 'Int' : base === 'bigint' ? 'BigInt' : 'SmallInt'}`
  return database !== 'SQLite' && length !== undefined ? `${word}(${length})` : word
}

/** @throws {IdError} if Prisma's column would have another type than the adoption's. */
function prismaIdType(root: RootPlan, database: DatabaseName): string {
  if (database === 'SQLite' && root.storage === 'bigint')
    refuse(
      placeOf(root),
      "Prisma's BigInt is a BIGINT in SQLite, and the adoption's column an INTEGER; plan it with storage: 'binary'",
      root.storage,
    )
  return prismaType({ type: root.type, place: placeOf(root) }, database)
}

const prismaComment = (root: RootPlan, database: DatabaseName): string =>
  [
    `/// @snoflax ${root.family}`,
    ...(root.prefix === undefined ? [] : [`prefix=${root.prefix}`]),
    ...(root.storage === 'uuid8' ? ['storage=uuid8'] : []),
    ...(database === 'MariaDB' && root.storage === 'text' ? ['collation=utf8mb4_bin'] : []),
  ].join(' ')

/** A field of Prisma, with the native type as an attribute. */
function prismaField(
  { column, property }: Name,
  type: string,
  isNullable: boolean,
  attributes: readonly string[] = [],
): string {
  const [scalar, native] = type.split('?')
  const map = property === column ? [] : [`@map(${JSON.stringify(column)})`]
  return [
    property,
    `${scalar}${isNullable ? '?' : ''}`,
    ...attributes,
    ...map,
    ...(native ? [native] : []),
  ].join(' ')
}

const typeormColumn = (root: RootPlan, form: '' | '.plain', more: string): string =>
  hasOwn(root)
    ? `${pascal(root.family)}IdColumn${form}(${more})`
    : `IdColumn${form}(${[familyCode(root), more].filter(Boolean).join(', ')})`

/** The function of Drizzle's and Kysely's columns. */
const familyColumn = (root: RootPlan): string => (hasOwn(root) ? `${root.family}Id` : 'idColumn')

/** The options of any column of ids that isn't a foreign key. */
const idOptions = (root: RootPlan, database?: DatabaseName): (string | false)[] => [
  prefixOption(root),
  storageOption(root),
  database === 'SQLite' && root.storage === 'bigint' && 'exactBigint: true',
]

/** The options of a new key's column. */
const keyOptions = (root: RootPlan, name: string | false, database?: DatabaseName): string =>
  options([name, NAMELESS.includes(root.family) && 'generator', ...idOptions(root, database)])

const drizzleArguments = (column: string, root: RootPlan, more: string): string =>
  [written(column), hasOwn(root) ? '' : familyCode(root), more].filter(Boolean).join(', ')

/** An option where the property is not called as the column. */
const nameOption = ({ column, property }: Name): string | false =>
  column !== property && `name: ${written(column)}`

/** The properties of an index; undefined if it has an expression. */
const propertiesOf = ({ columns }: AddedIndex): string[] | undefined =>
  columns.includes(null) ? undefined : columns.map((column) => nameOf(column as string).property)

const DIALECTS: Record<Orm, Dialect> = {
  typeorm: {
    key: (name, root) =>
      `@${typeormColumn(root, '', keyOptions(root, nameOption(name)))} ${name.property}!: ${typeCode(root)}`,
    reference: (name, root, { notNull, isDeclared }) => {
      const own = isDeclared ? idOptions(root) : [prefixOption(root)]
      const more = options([nameOption(name), ...own, !notNull && 'nullable: true'])
      return `@${typeormColumn(root, '.plain', more)} ${name.property}!: ${typeCode(root)}${notNull ? '' : ' | null'}`
    },
    extra: (name, old, database) => {
      const { word, base, length, isUnsigned, charset, collation } = typeIn(TYPEORM_TYPES[database], old)
      const more = options([
        nameOption(name),
        length !== undefined && `length: ${length}`,
        isUnsigned && 'unsigned: true',
        charset !== undefined && `charset: '${charset}'`,
        collation !== undefined && `collation: '${collation}'`,
        'nullable: true',
      ])
      return `@Column('${base}', ${more}) ${name.property}!: ${word} | null`
    },
    index: (index) => {
      const properties = index.isPlain ? propertiesOf(index)?.map((one) => `'${one}'`) : undefined
      const more = properties
        ? `[${properties.join(', ')}]${index.isUnique ? ', { unique: true }' : ''}`
        : undefined
      return `@Index(${written(index.name)}, ${more ?? '{ synchronize: false }'})`
    },
    // TypeORM ignores tables without an entity.
    hide: () => [],
  },
  prisma: {
    key: (name, root, database) => {
      const attributes = ['@id', '@default(dbgenerated())']
      const field = prismaField(name, prismaIdType(root, database), false, attributes)
      return `${field} ${prismaComment(root, database)}`
    },
    reference: (name, root, { notNull, isDeclared }, database) =>
      prismaField(name, prismaIdType(root, database), !notNull) +
      (isDeclared ? ` ${prismaComment(root, database)}` : ''),
    extra: (name, old, database) => prismaField(name, prismaType(old, database), true),
    index: (index) => {
      const properties = propertiesOf(index)?.join(', ')
      const kind = index.isUnique ? 'unique' : 'index'
      return properties && `@@${kind}([${properties}], map: ${JSON.stringify(index.name)})`
    },
    hide: (tables) => [
      'experimental: { externalTables: true },',
      `tables: { external: [${tables.map((table) => `'${table}'`).join(', ')}] },`,
    ],
  },
  drizzle: {
    key: ({ column, property }, root, database) => {
      const given = drizzleArguments(column, root, keyOptions(root, false, database))
      return `${property}: ${familyColumn(root)}(${given}).primaryKey(),`
    },
    reference: ({ column, property }, root, { notNull, isDeclared }, database) => {
      const target = `() => ${tableName(root.table)}.${nameOf(root.key).property}`
      const role = isDeclared
        ? `plain(${drizzleArguments(column, root, options(idOptions(root, database)))})`
        : `ref(${written(column)}, ${target})`
      return `${property}: ${familyColumn(root)}.${role}${notNull ? '.notNull()' : ''},`
    },
    extra: ({ column, property }, old, database) => {
      const { word, base, length, isUnsigned } = typeIn(DRIZZLE_TYPES[database], old)
      const more = options([
        length !== undefined && `length: ${length}`,
        base === 'bigint' && database !== 'SQLite' && "mode: 'bigint'",
        isUnsigned && 'unsigned: true',
      ])
      return `${property}: ${word}(${written(column)}${more && `, ${more}`}),`
    },
    index: (index) => {
      const properties = propertiesOf(index)?.map((one) => `t.${one}`)
      const kind = index.isUnique ? 'uniqueIndex' : 'index'
      return properties && `${kind}(${written(index.name)}).on(${properties.join(', ')}),`
    },
    hide: (tables) => [
      `tablesFilter: ['!${tables.some((table) => /(^|\.)_adopted_/.test(table)) ? '_adopted_' : 'snoflax_adoption_'}*'],`,
    ],
  },
  // Of the plugin's tables; an old key goes into the interface.
  kysely: {
    key: ({ column }, root) => {
      if (root.storage !== 'text' && !(root.family === 'uuid7' && root.storage === 'uuid'))
        refuse(
          placeOf(root),
          "Kysely passes values as they are stored; plan it with storage: 'text'",
          root.storage,
        )
      const given = [!hasOwn(root) && familyCode(root), keyOptions(root, false)].filter(Boolean)
      return `${member(column)}: ${familyColumn(root)}(${given.join(', ')}),`
    },
    reference: ({ column }, root) =>
      `${member(column)}: idColumn.ref(${written(`${shownName(root.table)}.${root.key}`)}),`,
    extra: ({ column }, old, database) =>
      `${member(column)}: ${typeIn(TYPEORM_TYPES[database], old).word} | null // in the interface`,
    index: () => undefined,
    hide: () => [],
  },
}

/** The last field of uid's seconds with the default neighbourhood. */
const DEFAULT_NEIGHBOURHOOD = '{"name":"secondsLow","bits":8}'

/** The ORMs' columns of these families have the default epoch and layout. */
function refuseOwnLayout(root: RootPlan): void {
  const { family, layout } = root
  const isOwn =
    family === 'flake'
      ? layout !== JSON.stringify(flake.layout)
      : family === 'uid' && !layout.includes(DEFAULT_NEIGHBOURHOOD)
  if (!isOwn) return
  refuse(
    placeOf(root),
    `these ${root.family} ids have another epoch or layout than the default; declare the columns with your family by hand`,
  )
}

const STAGES: readonly Stage[] = ['backfilling', 'switched', 'finished']

function checkChoice(name: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) refuse(name, `pass one of ${known.join(', ')}`, value)
}

export function schemaChange<Details>(
  db: Driver<Details>,
  plan: Plan<Details>,
  orm: Orm,
  stage: Stage,
): SchemaChange {
  const { roots, columns } = plan
  checkChoice('orm', orm, Object.keys(DIALECTS))
  checkChoice('stage', stage, STAGES)
  const dialect = DIALECTS[orm]
  for (const root of roots) refuseOwnLayout(root)
  const linesOf = (one: ReplacedColumn): string[] => {
    const root = rootOf(roots, one)
    const [own, place] = [nameOf(one.column), pathOf(one)]
    if (one.via !== undefined)
      return [`// ${one.column} contains ids of ${shownName(root.table)} beside others: declare it by hand`]
    if (stage === 'backfilling')
      return [dialect.extra(nameOf(newName(one.column)), { type: root.type, place }, db.database)]
    const now = one.isRoot
      ? dialect.key(own, root, db.database)
      : dialect.reference(own, root, one, db.database)
    if (stage === 'finished') return [now]
    return [now, dialect.extra(nameOf(legacyName(one.column)), { type: one.type, place }, db.database)]
  }
  const changed = stage === 'backfilling' && !db.hasNewColumns ? [] : columns
  const ownTables =
    stage === 'finished' ? roots.map((root) => shownName(mappingOf(root))) : db.ownTables(plan)
  return {
    columns: changed.map((one) => ({ table: shownName(one.table), column: one.column, lines: linesOf(one) })),
    indexes: db.addedIndexes(plan, stage).flatMap((index) => {
      const line = dialect.index(index)
      return line === undefined ? [] : [{ table: shownName(index.table), line }]
    }),
    config: ownTables.length === 0 ? [] : dialect.hide(ownTables),
    migration: stage === 'backfilling' ? [] : db.migration(plan, stage),
  }
}
