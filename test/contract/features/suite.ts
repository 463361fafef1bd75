import { accepting, flax, type IdFamily, opaque, prefixed, uuid7 } from '@snoflax/core'
import { isAccepting, isOpaque, labelOf } from '@snoflax/core/adapter'
import { afterEach, describe, expect, type TestContext, test } from 'vitest'
import { databases } from '../../databases.js'
import type { Created, Declared, FeatureAdapter } from './adapter.js'
import { FORMS, type Form, type FormName, HIDDEN, type Planted } from './forms.js'
import { type Definition, day, idOf, openedBy, plant, type Scene } from './scene.js'
import { describeWrites } from './writes.js'

const rowId = prefixed(flax, 'row')
/** In the project of Prisma's features, `ids.ts` exports it too. */
export const OPAQUE = `opaque('org', { pattern: /org_[a-z]{24}/, generate: () => 'org_' + 'z'.repeat(24) })`
const orgId = opaque('org', { pattern: /org_[a-z]{24}/, generate: () => `org_${'z'.repeat(24)}` })
const DEFINITIONS = [
  { label: 'with a prefix', family: rowId, onMismatch: 'error' },
  { label: 'without a prefix', family: uuid7, onMismatch: 'error' },
  { label: 'opaque', family: orgId, onMismatch: 'error' },
  { label: 'with other keys', family: accepting(rowId, /[a-z]{24}/), onMismatch: 'notFound' },
] as unknown as readonly { label: string; family: Definition; onMismatch: Declared['onMismatch'] }[]

/**
 * Each form on each database, with each definition: one answer for each feature, the same in every ORM. Otherwise than
 * whole, with one definition for each form on SQLite, in turn, and with a prefix on PostgreSQL and MySQL.
 */
export function describeFeatures(
  { orm, absent, ...adapter }: FeatureAdapter,
  { isWhole = false } = {},
): void {
  for (const { name: database, open } of databases) {
    if (!isWhole && database === 'pglite') continue
    if (adapter.databases?.includes(database) === false) continue
    if (isWhole || database === 'sqlite') describeWrites({ orm, absent, ...adapter }, database, open)
    for (const [at, [name, form]] of (Object.entries(FORMS) as [FormName, Form][]).entries()) {
      if (form.databases && !form.databases.includes(database)) continue
      const why = absent[name]
      const mark = ({ task }: TestContext) => {
        task.meta.feature = { orm, database, form: name, absent: why }
      }
      if (why !== undefined) {
        test(`${database}, ${name}: absent`, mark)
        continue
      }
      const isPrefixed = form.isOfPrefix || database !== 'sqlite'
      const turn = isPrefixed ? 0 : at % DEFINITIONS.length
      const isEach = isWhole || (database === 'sqlite' && at === 0)
      const definitions = isEach ? DEFINITIONS : DEFINITIONS.slice(turn, turn + 1)
      for (const { label, family, onMismatch } of definitions) {
        if (form.isOfPrefix && labelOf(family) === undefined) continue
        describe(`${database}, ${name}, ${label}`, () => {
          afterEach(mark)
          const scene = openedBy(adapter, form, { form: name, family, onMismatch }, open)
          if (form.refused) testRefusal(scene, form.refused)
          else {
            testFound(scene)
            if (form.isPaged !== false) testPages(scene, adapter)
          }
        })
      }
    }
  }
}

function testRefusal(scene: Scene, expected: RegExp): void {
  test('is refused where all tables are known', () => {
    expect(scene.refusal).toMatchObject({
      name: 'IdError',
      code: 'INVALID_OPTION',
      message: expect.stringMatching(expected),
      path: expect.any(String),
    })
  })
}

const noteOf = (row: object) => (row as { readonly note?: unknown }).note
const notesOf = (rows: readonly object[]) => rows.map(noteOf).filter((note) => /^\d$/.test(`${note}`))
const isMalformed = (family: IdFamily, id: unknown) => typeof id !== 'string' || !family.is(id)

/** Malformed in every column: no text, or no id of the family. */
const malformed = (scene: Scene): readonly unknown[] => {
  const id = scene.ids[2] as string
  const all = [
    '',
    ' ',
    'nope',
    id.slice(1),
    id.slice(0, -1),
    `${id} `,
    `${id}\n`,
    `inv_${id}`,
    5,
    0,
    Number.NaN,
    false,
    [],
    [id],
    {},
  ]
  return all.filter((one) => isMalformed(scene.family, one))
}

const refusing = async (call: () => Promise<unknown>, value: unknown) => {
  const answer = await Promise.resolve()
    .then(call)
    .then(
      (result) => ({ result }),
      (error: unknown) => error,
    )
  expect(answer, `for ${JSON.stringify(value)}`).toMatchObject({ name: 'IdError', status: 400 })
}

function testFound(scene: Scene): void {
  test('find gives every row of an id, its own first', async () => {
    const { form, ids, session } = scene
    const found = await session.find(ids[2])
    const rows = found ? [found, ...found.also].map(({ row }) => noteOf(row)) : []
    const [first, ...also] = form.found
    const isOf = (model: string) => found?.model === model
    expect({ first: rows[0], also: rows.slice(1).length, hasMore: found?.hasMore ?? false }).toEqual({
      // Rows of one table come in the database's order.
      first: isOf('rows') && also.some((note) => note !== 'refers') ? expect.any(String) : first,
      also: also.length,
      hasMore: form.hasMore ?? false,
    })
    const all = form.hasMore ? rows.length : [...rows].sort()
    expect(all).toEqual(form.hasMore ? form.found.length : [...form.found].sort())
  })

  test('find gives null for an id that no row has', async () => {
    expect(await scene.session.find(idOf(scene.family, 9))).toBeNull()
    if (scene.form.found[0] !== undefined) expect(await scene.session.find(scene.ids[0])).not.toBeNull()
  })

  test('find refuses what is no text, and hides what the ORM hides', async () => {
    for (const value of [5, null, undefined, [], {}]) await refusing(() => scene.session.find(value), value)
    const hidden = scene.form.plant?.(scene.ids[2] as string, scene.other).find(({ note }) => note === HIDDEN)
    if (hidden) expect(await scene.session.find(hidden.id)).toBeNull()
  })
}

function testPages(
  scene: Scene,
  { noConditions = [], hasOwnLimit = false }: Pick<FeatureAdapter, 'noConditions' | 'hasOwnLimit'>,
): void {
  const page = async (options: Readonly<Record<string, unknown>>) => {
    const all = await scene.session.page({ take: 2, ...options })
    expect(all.length).toBeLessThanOrEqual(2)
    return notesOf(all)
  }

  test('pages go on behind the cursor, in both orders', async () => {
    const { ids } = scene
    for (const after of [undefined, null]) expect(await page({ after })).toEqual(['0', '1'])
    expect(await page({ after: ids[1] })).toEqual(['2', '3'])
    expect(await page({ after: ids[3] })).toEqual(['4'])
    expect(await page({ after: ids[4] })).toEqual([])
    expect(await page({ order: 'desc' })).toEqual(['4', '3'])
    expect(await page({ order: 'desc', after: ids[3] })).toEqual(['2', '1'])
    expect(await page({ order: 'desc', after: ids[0] })).toEqual([])
    for (const where of noConditions) {
      expect(await page({ where, after: ids[1] }), JSON.stringify(where)).toEqual(['2', '3'])
      expect(await page({ where })).toEqual(['0', '1'])
    }
  })

  test('a cursor that is no id of the column is refused', async () => {
    for (const after of malformed(scene)) await refusing(() => page({ after }), after)
  })

  test('options that make no page are refused', async () => {
    for (const take of hasOwnLimit ? [] : [0, -1, 1.5, '2', Number.NaN, null])
      await expect(Promise.resolve().then(() => page({ take }))).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      })
    for (const order of ['ASC', '', 1])
      await expect(Promise.resolve().then(() => page({ order }))).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      })
  })

  if (isOpaque(scene.family)) {
    test('functions of time are refused', async () => {
      const calls: readonly Created[] = [
        ['createdBetween', day(1), day(3)],
        ['createdAfter', day(1)],
        ['createdBefore', day(3)],
      ]
      for (const created of calls)
        for (const call of [() => scene.session.read(...created), () => scene.session.remove(...created)])
          await expect(Promise.resolve().then(call)).rejects.toThrow(
            /org: range\(\) needs a family with a time/,
          )
      expect(await page({})).toEqual(['0', '1'])
    })
    return
  }

  const read = async (...created: Created) => notesOf(await scene.session.read(...created)).sort()

  test('a range of time finds the rows of that time', async () => {
    expect(await read('createdBetween', day(1), day(3))).toEqual(['1', '2'])
    expect(await read('createdBetween', day(1).getTime(), day(3).getTime())).toEqual(['1', '2'])
    expect(await read('createdBetween', day(2), day(2))).toEqual([])
    expect(await read('createdAfter', day(3))).toEqual(['3', '4'])
    expect(await read('createdAfter', new Date('2040-01-01'))).toEqual([])
    expect(await read('createdBefore', day(2))).toEqual(['0', '1'])
    expect(await read('createdBefore', new Date('2020-01-01'))).toEqual([])
  })

  test('a time that is none, and a range that ends before it begins, are refused', async () => {
    const refuses = (...created: Created) =>
      expect(Promise.resolve().then(() => read(...created))).rejects.toMatchObject({ name: 'IdError' })
    await refuses('createdBetween', day(3), day(1))
    for (const time of [undefined, null, Number.NaN, new Date(Number.NaN), 'soon', {}, flax]) {
      await refuses('createdAfter', time)
      await refuses('createdBefore', time)
      await refuses('createdBetween', time, day(1))
    }
  })

  test('a range of time deletes the rows of that time', async () => {
    await scene.session.remove('createdAfter', new Date('2040-01-01'))
    expect(await page({})).toEqual(['0', '1'])
    if (isAccepting(scene.family)) {
      const { isNull } = scene.form
      const kept: Planted = { table: 'rows', id: 'z'.repeat(24), note: '4', ...(!isNull && { n: 99 }) }
      await plant(scene.database, scene.form, kept)
      await scene.session.remove('createdAfter', new Date('2040-01-01'))
      expect(await page({ order: 'desc' })).toEqual(['4', '4'])
    }
    await scene.session.remove('createdBefore', day(2))
    expect(await page({})).toEqual(['2', '3'])
  })
}
