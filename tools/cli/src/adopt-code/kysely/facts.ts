import { createRequire } from 'node:module'
import type { Database } from '@snoflax/core'
import type ts from 'typescript'
import { type Column, placeOf } from '../../live/database.js'
import { readDatabase } from '../../live/open.js'
import { catalogOf, type InCatalog } from '../database.js'
import { UUID_DEFAULT } from '../load/drizzle.js'
import type { ColumnFacts, Facts, Failure } from '../load/facts.js'
import type { Generated } from '../load/generators.js'
import { pathOf } from '../load/process.js'
import { UUID } from '../plan.js'
import { type Application, type InterfaceTable, newErrors, readApplication } from './application.js'

interface Catalog {
  readonly kind: Database
  readonly columns: readonly Column[]
  /** Those of views, too. */
  readonly all: readonly InCatalog[]
}

/** How an application names tables and columns. */
interface Naming {
  /** Whether CamelCasePlugin renames them. */
  readonly isRenamed: boolean
  /** Whether it calls withSchema(), so that a table may be that of any schema. */
  readonly hasSchemas: boolean
}

/** An application of Kysely, and the catalog of its database. */
export interface KyselyInput {
  readonly database: Database
  readonly application: Application
  load(edited?: ReadonlyMap<string, string>): Facts
}

/** @throws {UsageError} if the database can't be reached */
export async function openKysely(
  modules: readonly string[],
  texts: ReadonlyMap<string, string>,
  url: string,
): Promise<KyselyInput> {
  const typescript: typeof ts = createRequire(import.meta.url)(pathOf('typescript', modules[0] as string))
  const catalog = await readDatabase('adopt code', url, async (database): Promise<Catalog> => {
    const columns = await database.columns(false)
    return { kind: database.kind, columns, all: await catalogOf(database) }
  })
  const code = [...texts.values()]
  const naming = {
    isRenamed: code.some((text) => /\bCamelCasePlugin\b/.test(text)),
    hasSchemas: code.some((text) => /\.withSchema\(/.test(text)),
  }
  const application = readApplication(typescript, modules)
  return {
    database: catalog.kind,
    application,
    load: (edited) => {
      if (!edited) return kyselyFacts(application, catalog, naming)
      const after = readApplication(typescript, modules, edited, application.program)
      const facts = kyselyFacts(after, catalog, naming)
      const errors = newErrors(typescript, application.program, after.program, edited.keys())
      return { ...facts, failures: [...facts.failures, ...errors] }
    },
  }
}

const bare = (name: string): string => name.replaceAll('_', '').toLowerCase()

function kyselyFacts(application: Application, { kind, columns, all }: Catalog, naming: Naming): Facts {
  const isSame = (one: string, other: string): boolean =>
    naming.isRenamed ? bare(one) === bare(other) : one === other
  const tables = new Map<string, Column[]>()
  for (const column of columns) tables.set(column.table, [...(tables.get(column.table) ?? []), column])
  const failures: Failure[] = [...application.failures]
  const matched = new Map<string, InterfaceTable>()
  for (const table of application.tables) {
    const found = storedAs(table.name, application.tables, all, isSame, naming)
    const columns = 'table' in found ? tables.get(found.table) : undefined
    const missing = [...table.columns.keys()].filter((key) => !columns?.some(({ name }) => isSame(key, name)))
    const fail = (reason: string) => failures.push({ file: table.file, reason })
    if ('reason' in found) fail(found.reason)
    else if (matched.has(found.table))
      fail(`${table.name} is the table of ${matched.get(found.table)?.name}: declare its ids by hand`)
    else if (columns) {
      matched.set(found.table, table)
      if (missing.length > 0)
        fail(`the interface has ${missing.join(', ')} in ${table.name}, but the database no such column`)
    }
  }
  // As in the interface.
  const names = [...new Set([...matched.keys(), ...tables.keys()])]
  const keyOf = (column: Column): string =>
    [...(matched.get(column.table)?.columns.keys() ?? [])].find((key) => isSame(key, column.name)) ??
    column.name
  const byPlace = new Map(columns.map((column) => [placeOf(column), column]))
  const [first] = application.tables
  return {
    database: kind === 'mariadb' ? 'mysql' : kind,
    tables: (first ? names : []).map((name) => {
      const table = matched.get(name)
      const own = tables.get(name) as Column[]
      const { schema } = own[0] as Column
      return {
        name: schema === undefined || schema === 'public' ? name : name.slice(schema.length + 1),
        ...(schema !== undefined && { schema }),
        places: [{ file: (table ?? (first as InterfaceTable)).file, name: table?.name ?? name }],
        columns: own.map((column): ColumnFacts => {
          const key = keyOf(column)
          const target = byPlace.get(column.references ?? '')
          const stays =
            table === undefined
              ? 'the interface of Kysely does not have its table'
              : table.columns.has(key)
                ? undefined
                : 'the interface of Kysely does not have it'
          return {
            key,
            name: column.name,
            type: column.declared || 'not declared',
            isNullable: column.isNullable,
            isPrimary: column.isPrimary,
            ...(application.declared.has(`${table?.name}.${key}`)
              ? { definition: 'ids' }
              : stays !== undefined
                ? { stays }
                : target
                  ? {}
                  : generatedBy(column)),
            references: target
              ? [{ table: names.indexOf(target.table), key: keyOf(target), by: 'column' }]
              : [],
          }
        }),
        constraints: [],
      }
    }),
    failures,
  }
}

/** The table of the database that queries mean by a name, or why that isn't known. */
function storedAs(
  name: string,
  tables: readonly InterfaceTable[],
  all: readonly InCatalog[],
  isSame: (one: string, other: string) => boolean,
  { hasSchemas }: Naming,
): { table: string } | { reason: string } {
  const [own = '', schema] = name.split('.').reverse()
  const isNamed = (one: InCatalog): boolean =>
    tables.some((other) => isSame(other.name, `${one.schema}.${one.table}`))
  const isMeant = (one: InCatalog): boolean =>
    schema === undefined
      ? (hasSchemas || one.is_visible) && !isNamed(one)
      : one.schema !== null && isSame(one.schema, schema)
  const places = new Set(
    all
      .filter((one) => isSame(one.table, own) && isMeant(one))
      .map(({ schema, table }) => (schema === null || schema === 'public' ? table : `${schema}.${table}`)),
  )
  const [table] = places
  if (table === undefined)
    return { reason: `the interface has ${name}, but the database no such table that this user sees` }
  return places.size === 1
    ? { table }
    : {
        reason: `${name} may be each of ${[...places].join(', ')}: name them in the interface, as 'audit.users', or declare their ids by hand`,
      }
}

/** What is known of the ids that a column gets: by its DEFAULT, or its type. */
function generatedBy({
  defaultSql = '',
  declared,
}: Column): Pick<ColumnFacts, 'isUuidGenerated' | 'generated' | 'default'> {
  const text = defaultSql.replace(/^\((.*)\)::[\w ]+(?:\(\d+\))?$/, '$1')
  if (UUID_DEFAULT.test(text)) return { isUuidGenerated: true }
  const by = (generators: string, more: Partial<Generated>): { generated: Generated } => ({
    generated: { generators: [generators], samples: [], ...more },
  })
  if (/^uuid$/i.test(declared)) return by('passed by the application', { pattern: UUID })
  const isCalled = defaultSql.includes('(') && !/^\(?'/.test(defaultSql)
  return isCalled ? by(defaultSql, { reason: `the database generates them by ${defaultSql}` }) : {}
}
