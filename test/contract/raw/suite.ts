import { beforeEach, describe, expect, test } from 'vitest'
import type { Row } from '../../databases/open-database.js'
import type { ContractAdapter } from '../adapter.js'
import { placed } from '../stored.js'
import { describeVariants, type Scene } from '../suite.js'
import { converts, storageDatabase, type Variant } from '../variant.js'
import { FORMS, type Form } from './forms.js'

/** An id column of the contract, as `table.column`. */
export type RawColumn = 'customers.id'

/** How an ORM's users write SQL. */
export interface RawSql<Session> {
  /** Runs a template as its tag gets it: one more string than values. Returns rows, for statements that have some. */
  run(session: Session, strings: readonly string[], values: readonly unknown[]): Promise<unknown>
  /** The ORM's object for a column in a template; without it the column's name is written. */
  column?(session: Session, column: RawColumn): unknown
}

/** On text, every form does what it does by the driver alone. PostgreSQL's `uuid` refuses a text by itself. */
export function describeRawSql<Session>(
  adapter: ContractAdapter<Session>,
  raw: RawSql<Session>,
  variants: readonly Variant[],
): void {
  describeVariants(adapter, variants, (scene) => {
    const run = ({ sql }: Form) => {
      const { strings, values } = templateOf(sql, scene, (column) => raw.column?.(scene.session, column))
      return raw.run(scene.session, strings, values)
    }
    if (scene.variant.storage === 'uuid') {
      test('PostgreSQL refuses a text beside uuid', async () => {
        const value = converts(scene.variant) ? '{id}' : '{word}'
        const error: Error = await run({ sql: `SELECT name FROM customers WHERE id = ${value}` }).then(
          (rows) => expect.fail(`no error, but ${JSON.stringify(rows)}`),
          (cause) => cause,
        )
        expect(error.name).not.toBe('IdError')
        expect(`${error.message} ${error.cause}`).toMatch(/uuid/)
      })
      return
    }
    beforeEach(() => restore(scene))
    describe('raw SQL on text passes untouched', () => {
      for (const form of FORMS.filter(isFor(scene.variant))) {
        test(form.sql, async () => {
          const expected = await scene.stored.rows(...plainOf(form, scene))
          const content = await contentOf(scene)
          await restore(scene)
          const rows = await run(form)
          if (/^\s*(SELECT|WITH)/.test(form.sql)) expect(comparable(rows as Row[])).toEqual(expected)
          expect(await contentOf(scene)).toEqual(content)
        })
      }
    })
  })
}

const isFor =
  ({ database }: Variant) =>
  ({ on }: Form): boolean =>
    on?.includes(storageDatabase(database)) ?? true

/** Ids are in none of the results. Drivers differ in how they return counts. */
const comparable = (rows: readonly Row[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])))

const contentOf = ({ stored }: Scene<unknown>) =>
  stored.rows('SELECT id, email, name, trace_id FROM customers ORDER BY email')

async function restore({ seed, stored }: Scene<unknown>): Promise<void> {
  await stored.rows("DELETE FROM customers WHERE email NOT LIKE 'seed%'")
  for (const { email, name, traceId } of seed.customers)
    await stored.rows('UPDATE customers SET trace_id = ?, name = ? WHERE email = ?', [traceId, name, email])
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
    pattern: 'Seed%',
    accented: '%é%',
    object: JSON.stringify({ token: WORD }),
    url: `/customers/${id}`,
    email: 'seed3@example.org',
    number: 101,
  }
}

/** The form as the ORM's users write it. */
function templateOf(
  sql: string,
  scene: Scene<unknown>,
  columnOf: (column: RawColumn) => unknown,
): { strings: string[]; values: unknown[] } {
  const named = namedValues(scene)
  const strings = ['']
  const values: unknown[] = []
  const write = (text: string) => strings.push(`${strings.pop()}${text}`)
  const bind = (value: unknown) => values.push(value) && strings.push('')
  for (const part of sql.split(/(\{'?\w+'?\}|\[customers\.id\])/)) {
    const [, quote, name = ''] = /^\{('?)(\w+)/.exec(part) ?? []
    const column = part === '[customers.id]' ? columnOf('customers.id') : undefined
    if (column !== undefined) bind(column)
    else if (name === '') write(placed(scene.variant, part.replace(/^\[(.*)\]$/, '$1')))
    else if (quote) write(`'${named[name]}'`)
    else bind(named[name])
  }
  return { strings, values }
}

/** The form for a driver. */
function plainOf({ sql }: Form, scene: Scene<unknown>): [sql: string, values: unknown[]] {
  const { strings, values } = templateOf(sql, scene, () => undefined)
  return [strings.join('?'), values]
}
