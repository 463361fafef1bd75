import { ulid } from '@snoflax/core'
import { UUID_DEFAULT } from '../load/drizzle.js'
import type { ColumnFacts, Facts, Reference, TableFacts } from '../load/facts.js'
import type { Generated } from '../load/generators.js'
import { UUID } from '../plan.js'
import { blocksOf } from './schema.js'

/** What Prisma passes to generators. */
export interface Schema {
  readonly provider: string
  readonly datamodel: { readonly models: readonly Model[]; readonly indexes: readonly { model: string }[] }
}

interface Model {
  readonly name: string
  readonly dbName?: string | null
  readonly schema?: string | null
  readonly fields: readonly Field[]
  readonly primaryKey?: { readonly fields: readonly string[] } | null
  readonly documentation?: string
}

interface Field {
  readonly name: string
  readonly dbName?: string | null
  readonly kind: string
  readonly type: string
  readonly nativeType?: readonly [name: string, given: readonly string[]] | null
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isId: boolean
  readonly default?: unknown
  readonly relationFromFields?: readonly string[]
  readonly relationToFields?: readonly string[]
  readonly documentation?: string
}

/** A function of a default. */
interface Call {
  readonly name: string
  readonly args: readonly unknown[]
}

const DATABASES: Readonly<Record<string, Facts['database']>> = {
  postgresql: 'postgres',
  postgres: 'postgres',
  sqlite: 'sqlite',
  mysql: 'mysql',
}

/** The tables of a schema, in whose texts its models stand. */
export function schemaFacts({ provider, datamodel }: Schema, texts: ReadonlyMap<string, string>): Facts {
  const [first = ''] = texts.keys()
  const database = DATABASES[provider]
  if (database === undefined) {
    const reason = `ids can be stored in postgresql, sqlite and mysql, not in ${provider}`
    return { database: 'sqlite', tables: [], failures: [{ file: first, reason }] }
  }
  const files = new Map(
    [...texts].flatMap(([file, text]) => blocksOf(text).map(({ name }) => [name, file] as const)),
  )
  const { models, indexes } = datamodel
  const tables = models.map((model): TableFacts => {
    const { name, dbName, schema, fields, documentation: _, ...keys } = model
    const columns = fields.filter(({ kind, isList }) => kind !== 'object' && !isList)
    return {
      name: dbName ?? name,
      ...(schema && { schema }),
      places: [{ file: files.get(name) ?? first, name }],
      columns: columns.map((field) => columnFacts(field, model, models, database)),
      constraints: [
        JSON.stringify(keys),
        ...fields.flatMap(({ documentation: _, ...field }) => JSON.stringify(field)),
        ...indexes.filter((one) => one.model === name).map((one) => JSON.stringify(one)),
      ],
    }
  })
  return { database, tables, failures: [] }
}

function columnFacts(
  field: Field,
  model: Model,
  models: readonly Model[],
  database: Facts['database'],
): ColumnFacts {
  const { name, dbName, isId, isRequired } = field
  const call = isCall(field.default) ? field.default : undefined
  const text = call ? callOf(call) : JSON.stringify(field.default)
  const definition = definitionOf(field, model, models, new Set())
  const expression = call?.name === 'dbgenerated' ? String(call.args[0]) : ''
  const isUuidGenerated = UUID_DEFAULT.test(expression) && !UUID7_DEFAULT.test(expression)
  const generated = call && !isUuidGenerated ? generatedBy(call) : undefined
  return {
    key: name,
    name: dbName ?? name,
    type: typeOf(field, database),
    isNullable: !isRequired,
    isPrimary: isId || (model.primaryKey?.fields.includes(name) ?? false),
    ...(text !== undefined && { default: text }),
    ...(definition !== undefined
      ? { definition }
      : { ...(isUuidGenerated && { isUuidGenerated }), ...(generated && { generated }) }),
    references: referencesOf(field, model).map(([target, key, by]) => ({
      table: models.findIndex((one) => one.name === target),
      key,
      by,
    })),
  }
}

const isCall = (value: unknown): value is Call =>
  value !== null && typeof value === 'object' && 'name' in value

const callOf = ({ name, args }: Call): string =>
  `${name}(${args.map((one) => JSON.stringify(one)).join(', ')})`

/** The type in the database, as far as it matters whether it stores texts, UUIDs or numbers. */
function typeOf({ type, nativeType }: Field, database: Facts['database']): string {
  const [native, given = []] = nativeType ?? []
  if (native) return `${native.toLowerCase()}${given.length > 0 ? `(${given.join(', ')})` : ''}`
  if (type === 'String') return database === 'mysql' ? 'varchar(191)' : 'text'
  return type.toLowerCase()
}

/** Fields that a field refers to. */
const referencesOf = (
  { name }: Field,
  { fields }: Model,
): [model: string, field: string, by: Reference['by']][] =>
  fields.flatMap(({ type, relationFromFields = [], relationToFields = [] }) => {
    const target = relationToFields[relationFromFields.indexOf(name)]
    return target ? [[type, target, relationFromFields.length === 1 ? 'column' : 'key'] as const] : []
  }) as [string, string, Reference['by']][]

/** The family in its comment, or that of the key that it refers to. */
function definitionOf(
  field: Field,
  model: Model,
  models: readonly Model[],
  seen: ReadonlySet<Field>,
): string | undefined {
  const [, own] = /^[ \t]*@snoflax[ \t]+(\S+)/m.exec(field.documentation ?? '') ?? []
  if (own || seen.has(field)) return own
  for (const [target, name] of referencesOf(field, model)) {
    const at = models.find((one) => one.name === target)
    const key = at?.fields.find((one) => one.name === name)
    const found = at && key && definitionOf(key, at, models, new Set([...seen, field]))
    if (found) return found
  }
  return undefined
}

const UUID7_DEFAULT = /^\(?\w*uuid_?(?:generate_)?v7\(\)\)?$/i

/** What Prisma's own functions generate, with an example. */
const GENERATORS: Readonly<
  Record<string, (given: unknown) => Pick<Generated, 'family'> & { pattern: string; example: string }>
> = {
  cuid: (version) =>
    version === 2
      ? { pattern: '[a-z0-9]{24}', example: 'tz4a98xxat96iws9zmbrgj3a' }
      : { pattern: 'c[a-z0-9]{24}', example: 'cjld2cjxh0000qzrmn831i7rn' },
  nanoid: (size = 21) => ({ pattern: `[0-9A-Z_a-z-]{${size}}`, example: 'V'.repeat(Number(size)) }),
  ulid: () => ({
    pattern: ulid.pattern.source.slice(1, -1),
    example: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    family: 'ulid',
  }),
  uuid: (version) =>
    version === 7
      ? { pattern: UUID, example: '019d0c38-1f3a-7c3e-8f7e-2b1d5a6c7e8f', family: 'uuid7' }
      : { pattern: UUID, example: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' },
}

function generatedBy(call: Call): Generated {
  const by = { generators: [callOf(call)] }
  const [given] = call.args
  if (call.name === 'dbgenerated')
    return UUID7_DEFAULT.test(String(given))
      ? { ...by, samples: [], pattern: UUID, family: 'uuid7' }
      : {
          ...by,
          samples: [],
          reason: `the database generates them by ${given ?? 'a default that the schema does not have'}`,
        }
  const known = GENERATORS[call.name]?.(given)
  if (!known) return { ...by, samples: [], reason: `${call.name}() is no generator of ids that is known` }
  const { example, ...rest } = known
  return { ...by, ...rest, samples: [example] }
}
