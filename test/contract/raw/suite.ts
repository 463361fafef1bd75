import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OpenDatabase, Row } from '../../databases/open-database.js'
import { databases } from '../../databases.js'
import type { ContractAdapter } from '../adapter.js'
import { placed } from '../stored.js'
import { describeVariants, type Scene } from '../suite.js'
import { storageDatabase, type Variant } from '../variant.js'
import { CONTROLS, FORMS, type Form } from './forms.js'

/** An id column of the contract, as `table.column`. */
export type RawColumn = 'customers.id'

/** How an ORM's users write SQL. */
export interface RawSql<Session> {
  /** Runs a template as its tag gets it: one more string than values. Returns rows, for statements that have some. */
  run(session: Session, strings: readonly string[], values: readonly unknown[]): Promise<unknown>
  /** The ORM's object for a column in a template; without it the column's name is written. */
  column?(session: Session, column: RawColumn): unknown
  parameter(session: Session, column: RawColumn, id: string): unknown
  asText(session: Session, value: string): unknown
  /** Whether nothing converts ids in SQL: it is tested on storages that need no conversion. */
  readonly isUntouched?: true
}

/** What became of a form: `database` is an error of the database itself. */
export type RawOutcome = 'converted' | 'refused' | 'database'

/** A form of raw SQL that ran, for the page. */
export interface RawCell {
  readonly orm: string
  readonly database: Variant['database']
  readonly storage: Variant['storage']
  readonly family: string
  readonly sql: string
  readonly outcome: RawOutcome
}

declare module 'vitest' {
  interface TaskMeta {
    rawSql?: RawCell
  }
}

/**
 * Runs every form through the ORM, and beside it on tables whose ids are plain text. A form must have the same rows and leave
 * the same rows, or fail.
 */
export function describeRawSql<Session>(
  adapter: ContractAdapter<Session>,
  raw: RawSql<Session>,
  variants: readonly Variant[],
): void {
  describeVariants(adapter, variants, (scene) => {
    let plain: OpenDatabase
    beforeAll(async () => {
      plain = await openPlain(scene)
    })
    afterAll(() => plain?.close())
    beforeEach(() => restore(scene, plain))

    describe('raw SQL is converted or refused', () => {
      for (const form of FORMS.filter(isFor(scene.variant))) {
        test(form.sql, async ({ task }) => {
          const outcome = await outcomeOf(adapter, raw, scene, plain, form)
          const { database, storage, family } = scene.variant
          task.meta.rawSql = {
            orm: adapter.orm,
            database,
            storage,
            family: family.name,
            sql: form.sql,
            outcome,
          }
          if (storage === 'text') expect(outcome).toBe('converted')
        })
      }
    })
    describe('raw SQL without ids is left alone', () => {
      for (const form of CONTROLS.filter(isFor(scene.variant))) {
        test(form.sql, async () => {
          expect(await outcomeOf(adapter, raw, scene, plain, form)).toBe('converted')
        })
      }
    })
  })
}

const isFor =
  ({ database }: Variant) =>
  ({ on }: Form): boolean =>
    on?.includes(storageDatabase(database)) ?? true

async function outcomeOf<Session>(
  adapter: ContractAdapter<Session>,
  raw: RawSql<Session>,
  scene: Scene<Session>,
  plain: OpenDatabase,
  form: Form,
): Promise<RawOutcome> {
  const { strings, values } = templateOf(form, scene, raw)
  const expected = await plain.query(...plainOf(form, scene))
  let rows: unknown
  try {
    rows = await raw.run(scene.session, strings, values)
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string }
    if (name !== 'IdError') return 'database'
    expect(code, message).toBe('INVALID_OPTION')
    expect(message, `the error of ${adapter.orm} names both ways out`).toMatch(/parameter\(.*asText\(/s)
    return 'refused'
  }
  if (/^\s*(SELECT|WITH)/.test(form.sql)) expect(comparable(rows as Row[])).toEqual(comparable(expected))
  expect(await contentOf(scene)).toEqual(await contentOf(scene, plain))
  return 'converted'
}

/** Ids are in none of the results. Drivers differ in how they return counts. */
const comparable = (rows: readonly Row[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])))

/** The customers by another connection, with ids as they are stored. */
async function contentOf(scene: Scene<unknown>, plain?: OpenDatabase) {
  const sql = 'SELECT id, email, name, trace_id FROM customers ORDER BY email'
  if (plain === undefined) return scene.stored.rows(sql)
  const rows = (await plain.query(sql)) as Record<'id' | 'email' | 'name' | 'trace_id', string | null>[]
  const { stored } = scene
  return rows.map((row) => ({
    ...row,
    id: stored.expected(row.id),
    trace_id: stored.expected(row.trace_id),
  }))
}

async function restore({ variant, seed, stored }: Scene<unknown>, plain: OpenDatabase): Promise<void> {
  const key = (id: string | null) => stored.storage.toDatabase(id)
  await stored.rows("DELETE FROM customers WHERE email NOT LIKE 'seed%'")
  await plain.query("DELETE FROM customers WHERE email NOT LIKE 'seed%'")
  const reset = 'UPDATE customers SET trace_id = ?, name = ? WHERE email = ?'
  for (const { email, name, traceId } of seed.customers) {
    await stored.rows(reset, [key(traceId), name, email])
    await plain.query(placed(variant, reset), [traceId, name, email])
  }
}

const WORD = 'administrator123'

/** The values that forms name, of which ids are texts. */
function namedValues({ seed, variant }: Scene<unknown>): Readonly<Record<string, unknown>> {
  const [id, other, third] = [3, 5, 6].map((at) => String(seed.customers[at]?.id))
  const list = [id, other]
  return {
    id,
    other,
    third,
    new: variant.family.lowerBound(new Date(Date.UTC(2026, 5, 5, 12))),
    order: seed.graph.orders[0]?.id,
    list,
    json: JSON.stringify(list),
    word: WORD,
    name: 'Seed 3',
    text: 'Seed 3',
    marked: id,
    pattern: 'Seed%',
    accented: '%é%',
    object: JSON.stringify({ token: WORD }),
    url: `/customers/${id}`,
    email: 'seed3@example.org',
    number: 101,
  }
}

const MARKER = /\{('?)(\w+)'?\}|\[(customers\.id)\]/

/** The form as the ORM's users write it. */
function templateOf<Session>(
  form: Form,
  scene: Scene<Session>,
  raw: RawSql<Session>,
): { strings: string[]; values: unknown[] } {
  const named = namedValues(scene)
  const strings = ['']
  const values: unknown[] = []
  const write = (text: string) => strings.push(`${strings.pop()}${text}`)
  const bind = (value: unknown) => values.push(value) && strings.push('')
  for (const { text, quoted, name, column } of parts(form)) {
    write(placed(scene.variant, text))
    if (column !== undefined && raw.column) bind(raw.column(scene.session, column))
    else if (column !== undefined) write(column)
    else if (name === undefined) continue
    else if (quoted) write(`'${named[name]}'`)
    else if (name === 'marked') bind(raw.parameter(scene.session, 'customers.id', String(named[name])))
    else if (name === 'text') bind(raw.asText(scene.session, String(named[name])))
    else bind(named[name])
  }
  return { strings, values }
}

/** The form for a driver, with ids as text. */
function plainOf(form: Form, scene: Scene<unknown>): [sql: string, values: unknown[]] {
  const named = namedValues(scene)
  const values: unknown[] = []
  let sql = ''
  for (const { text, quoted, name, column } of parts(form)) {
    sql += text
    if (column !== undefined) sql += column
    else if (name !== undefined && quoted) sql += `'${named[name]}'`
    else if (name !== undefined) {
      sql += '?'
      values.push(named[name])
    }
  }
  return [placed(scene.variant, sql), values]
}

interface Part {
  readonly text: string
  readonly quoted?: boolean
  readonly name?: string
  readonly column?: RawColumn
}

function* parts({ sql }: Form): Generator<Part> {
  let rest = sql
  for (;;) {
    const marker = MARKER.exec(rest)
    if (!marker) return yield { text: rest }
    const [whole, quote, name, column] = marker
    yield {
      text: rest.slice(0, marker.index),
      quoted: quote !== '',
      name: name as string,
      column: column as RawColumn,
    }
    rest = rest.slice(marker.index + whole.length)
  }
}

const TEXT: Record<ReturnType<typeof storageDatabase>, string> = {
  postgres: 'text COLLATE "C"',
  sqlite: 'TEXT',
  mysql: 'varchar(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
}

/** A database of the same kind, whose ids are text. */
async function openPlain({ variant, seed }: Scene<unknown>): Promise<OpenDatabase> {
  const kind = databases.find(({ name }) => name === variant.database)
  const plain = (await kind?.open()) as OpenDatabase
  const id = TEXT[storageDatabase(variant.database)]
  await plain.query(
    `CREATE TABLE customers (id ${id} PRIMARY KEY, email varchar(80) UNIQUE, name varchar(80), trace_id ${id}, referrer_id ${id})`,
  )
  await plain.query(`CREATE TABLE orders (id ${id} PRIMARY KEY, total integer, customer_id ${id})`)
  for (const { id, email, name, traceId, referrerId } of seed.customers) {
    await plain.query(placed(variant, 'INSERT INTO customers VALUES (?, ?, ?, ?, ?)'), [
      ...[id, email, name, traceId, referrerId],
    ])
  }
  for (const { id, total, customerId } of seed.graph.orders) {
    await plain.query(placed(variant, 'INSERT INTO orders VALUES (?, ?, ?)'), [id, total, customerId])
  }
  return plain
}
