import type { IdFamily } from '@snoflax/core'
import { storageFor } from '@snoflax/core'
import { checkCondition, isOpaque } from '@snoflax/core/adapter'
import { afterAll, beforeAll } from 'vitest'
import type { OpenDatabase } from '../../databases/open-database.js'
import { storageDatabase } from '../variant.js'
import type { Declared, FeatureAdapter, FeatureSession } from './adapter.js'
import type { Form, Planted } from './forms.js'

/** A definition that generates ids of any time. */
export type Definition = IdFamily & { generateAt(time: Date): string }

export const day = (of: number) => new Date(Date.UTC(2026, 0, 1 + of))
/** An id of that day; opaque ids, which have no day, sort by it. */
export const idOf = (family: Definition, of: number, last = 'a') =>
  isOpaque(family) ? `org_${String.fromCharCode(97 + of).repeat(23)}${last}` : family.generateAt(day(of))
const ROWS = 5

/** An ORM on a database with the tables and rows of a form. */
export interface Scene {
  readonly form: Form
  readonly family: Definition
  /** The ids of the rows 0 to 4, each of another day. */
  readonly ids: readonly string[]
  /** The id of a further row, of the last day. */
  readonly other: string
  session: FeatureSession
  database: OpenDatabase
  /** What opening the ORM rejected with. */
  refusal: unknown
}

/** Opens it before the tests of a block. */
export function openedBy(
  { open }: Pick<FeatureAdapter, 'open'>,
  form: Form,
  of: Omit<Declared, 'database' | 'family'> & { readonly family: Definition },
  openDatabase: () => Promise<OpenDatabase>,
): Scene {
  const { family } = of
  const ids = Array.from({ length: ROWS }, (_, at) => idOf(family, at))
  const scene = { form, family, ids, other: idOf(family, ROWS - 1, 'b') } as unknown as Scene
  let database: OpenDatabase | undefined
  beforeAll(async () => {
    database = await openDatabase()
    scene.database = database
    const storage = storageFor(family, storageDatabase(database.kind), { storage: 'text' })
    const { sql } = storage.column
    for (const statement of form.create(sql, 'varchar(40)', checkCondition(storage, 'id')))
      await run(database, statement)
    if (form.refused === undefined) {
      const own = ids.map(
        (id, at): Planted => ({
          table: 'rows',
          id,
          note: `${at}`,
          ...(!form.isNull && { n: at }),
        }),
      )
      const more = form.plant?.(ids[2] as string, scene.other) ?? []
      for (const row of [...own, ...more]) await plant(database, form, row)
    }
    try {
      scene.session = await open({ ...of, database })
    } catch (error) {
      if (form.refused === undefined) throw error
      scene.refusal = error
    }
  })
  afterAll(async () => {
    await scene.session?.close?.()
    await database?.close()
  })
  return scene
}

/** MySQL and MariaDB reserve the word rows. */
export const run = (database: OpenDatabase, statement: string) =>
  database.query(database.kind === 'mysql' ? statement.replace(/\brows\b/g, '`rows`') : statement)

/** Inserts a row, into the columns that the form's table has. */
export async function plant(
  database: OpenDatabase,
  form: Form,
  { table, id, note, n }: Planted,
): Promise<void> {
  for (const statement of form.create('id', 'text')) {
    const [, name = '', definition = ''] = /^create table (\S+) \((.*)/.exec(statement) ?? []
    const isParent = table === 'rows' && name === 'others' && !definition.startsWith('n ')
    if (!name.endsWith(table) && !isParent) continue
    const values: Readonly<Record<string, unknown>> = { id, id_: id, row_id: id, of_id: id, note, n }
    const columns = Object.keys(values).filter((column) => new RegExp(`(^|, )${column} `).test(definition))
    const texts = columns.map((column) => {
      const value = values[column] ?? null
      return typeof value === 'string' ? `'${value}'` : String(value)
    })
    await run(database, `insert into ${name} (${columns.join(', ')}) values (${texts.join(', ')})`)
  }
}
