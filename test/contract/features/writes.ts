import { accepting, flax, prefixed } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../databases/open-database.js'
import type { FeatureAdapter, WriteCell } from './adapter.js'
import { CHECKED_KEY, FORMS, type FormName } from './forms.js'
import { type Definition, openedBy, plant, run, type Scene } from './scene.js'

const FORM: FormName = 'key, declared at the column'
const SQL = 'SQL, other programs'
const WRONG = 'nobody@example.org'

/** What each write does with a text that is neither an id of the column nor an accepted key. */
export function describeWrites(
  { orm, hasMismatch, unchecked, ...adapter }: FeatureAdapter,
  database: OpenDatabase['kind'],
  open: () => Promise<OpenDatabase>,
): void {
  const family = accepting(prefixed(flax, 'row'), /[a-z]{24}/) as unknown as Definition
  for (const onMismatch of hasMismatch ? (['error', 'notFound'] as const) : (['notFound'] as const)) {
    for (const hasCheck of [false, true]) {
      describe(`${database}, writes, ${onMismatch}, CHECK: ${hasCheck}`, () => {
        const form = hasCheck ? CHECKED_KEY : FORMS[FORM]
        const scene = openedBy(adapter, form, { form: FORM, family, onMismatch }, open)

        test('what is no key of the column is refused, by us or by the database', async ({ task }) => {
          const cells: WriteCell[] = []
          const writes = { ...scene.session.writes, [SQL]: (id: string) => insert(scene, id) }
          for (const [write, work] of Object.entries(writes)) {
            const result = await resultOf(scene, work)
            const isOurs = write !== SQL && unchecked !== onMismatch
            expect(result, write).toBe(
              isOurs ? 'an `IdError`' : hasCheck ? 'refused by the database' : 'written',
            )
            const shown = hasMismatch ? onMismatch : undefined
            cells.push({ orm: write === SQL ? SQL : orm, write, onMismatch: shown, hasCheck, result })
          }
          expect(cells.length).toBeGreaterThan(3)
          task.meta.writes = cells
        })
      })
    }
  }
}

const insert = ({ database }: Scene, id: string) =>
  run(database, `insert into rows (id, note) values ('${id}', 'new')`)

type Write = (id: string, stored: { readonly id: string; readonly note: string }) => Promise<unknown>

async function resultOf({ database, form, ids: [id = ''] }: Scene, write: Write): Promise<string> {
  await run(database, 'delete from rows')
  const stored = { id, note: '0' }
  await plant(database, form, { table: 'rows', ...stored })
  const error = await Promise.resolve()
    .then(() => write(WRONG, stored))
    .then(
      () => undefined,
      (thrown: Error) => thrown,
    )
  const [row] = await run(database, `select id from rows where id = '${WRONG}'`)
  if (row !== undefined) return error === undefined ? 'written' : `written, and ${error.name}`
  if (error === undefined) return 'nothing'
  return error.name === 'IdError' ? 'an `IdError`' : 'refused by the database'
}
