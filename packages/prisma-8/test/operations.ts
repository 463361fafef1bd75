import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdError, type IdFamily } from '@snoflax/core'

// One set of assertions for models of every family and storage, so their types are left out here; types.ts has them.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Untyped = any

/** A model with an id and a label. */
export interface Model {
  readonly name: string
  readonly family: IdFamily
  /** Where the database generates the ids, and where it does not say so before it has. */
  readonly isDatabaseMade?: boolean
}

const HOUR_MS = 3_600_000

/** The refusal of what is no id, with model and field. */
export const refusal = (path: string) => (error: unknown) => {
  assert.ok(error instanceof IdError, `not an IdError: ${error}`)
  assert.equal(error.path, path)
  return true
}

const sorted = (ids: readonly string[], family: IdFamily) =>
  [...ids].sort((one, other) => family.compare(one, other))

/** Every operation on a model whose table is empty at first. */
export function testOperations(
  client: () => Untyped,
  parameter: () => (field: string, id: string) => Untyped,
  namespace: (client: Untyped) => Untyped,
  model: Model,
): void {
  const { name, family } = model
  const orm = () => namespace(client().orm)[name]
  const table = () => namespace(client().sql)[name]
  const ids: string[] = []
  const began = Date.now()

  test(`${name}: create`, async () => {
    const row = await orm().create({ label: 'first' })
    assert.ok(family.is(row.id), row.id)
    ids.push(row.id)
    const age = family.timeMs(row.id) - began
    assert.ok(Math.abs(age) < HOUR_MS, `made ${age} ms from now`)
  })

  test(`${name}: create with an id`, async () => {
    const id = family.lowerBound(began - 48 * HOUR_MS)
    assert.equal((await orm().create({ id, label: 'given' })).id, id)
    ids.push(id)
  })

  test(`${name}: createAll`, async () => {
    const rows = await orm().createAll([{ label: 'a' }, { label: 'b' }])
    for (const { id } of rows) assert.ok(family.is(id))
    ids.push(...rows.map(({ id }: { id: string }) => id))
    assert.equal(new Set(ids).size, 4)
  })

  test(`${name}: createAndCount`, async () => {
    assert.equal(await orm().createAndCount([{ label: 'counted' }]), 1)
    const [row] = await orm().where({ label: 'counted' }).all()
    assert.ok(family.is(row.id))
    ids.push(row.id)
  })

  test(`${name}: first by key`, async () => {
    assert.deepEqual(await orm().first({ id: ids[0] }), { id: ids[0], label: 'first' })
  })

  test(`${name}: where eq, neq, in, notIn`, async () => {
    const labels = async (where: Untyped) =>
      (await orm().where(where).all()).map(({ label }: { label: string }) => label).sort()
    assert.deepEqual(await labels((row: Untyped) => row.id.eq(ids[1])), ['given'])
    assert.deepEqual(await labels((row: Untyped) => row.id.neq(ids[1])), ['a', 'b', 'counted', 'first'])
    assert.deepEqual(await labels((row: Untyped) => row.id.in([ids[0], ids[1]])), ['first', 'given'])
    assert.deepEqual(await labels((row: Untyped) => row.id.notIn([ids[0], ids[1]])), ['a', 'b', 'counted'])
  })

  test(`${name}: ordered and paged by key`, async () => {
    const all = await orm()
      .orderBy((row: Untyped) => row.id.asc())
      .all()
    assert.deepEqual(
      all.map(({ id }: { id: string }) => id),
      sorted(ids, family),
    )
    const page = await orm()
      .orderBy((row: Untyped) => row.id.desc())
      .cursor({ id: all[3].id })
      .limit(2)
      .all()
    assert.deepEqual(page, [all[2], all[1]])
  })

  test(`${name}: createdBetween, createdAfter, createdBefore`, async () => {
    const labels = async (where: Untyped) =>
      (await orm().where(where).all()).map(({ label }: { label: string }) => label).sort()
    const yesterday = new Date(began - 24 * HOUR_MS)
    const recent = ['a', 'b', 'counted', 'first']
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAfter(yesterday)), recent)
    assert.deepEqual(await labels((row: Untyped) => row.id.createdBefore(yesterday)), ['given'])
    const until = new Date(began + 24 * HOUR_MS)
    assert.deepEqual(await labels((row: Untyped) => row.id.createdBetween(yesterday, until)), recent)
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAfter(until)), [])
    assert.throws(() => orm().where((row: Untyped) => row.id.createdBetween(until, yesterday)), IdError)
  })

  test(`${name}: createdAt is compared and sorted by`, async (context) => {
    if (!family.exactRange) {
      // Its ids don't sort by time.
      assert.equal(
        orm().where((row: Untyped) => {
          assert.equal(row.id.createdAt().gte, undefined)
          return row.id.isNotNull()
        }) !== undefined,
        true,
      )
      return context.diagnostic('selected only')
    }
    const labels = async (where: Untyped) =>
      (await orm().where(where).all()).map(({ label }: { label: string }) => label).sort()
    const input = family.time(ids[1] as string)
    const before = new Date(input.getTime() - 1)
    const recent = ['a', 'b', 'counted', 'first']
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAt().gt(input)), recent)
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAt().gt(before)), [...recent, 'given'])
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAt().gte(input)), [...recent, 'given'])
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAt().lte(input)), ['given'])
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAt().lte(before)), [])
    assert.deepEqual(await labels((row: Untyped) => row.id.createdAt().lt(input)), [])
    const [oldest] = await orm()
      .orderBy((row: Untyped) => row.id.createdAt().asc())
      .limit(1)
      .all()
    assert.equal(oldest.label, 'given')
  })

  test(`${name}: min and max`, async () => {
    const all = sorted(ids, family)
    const ends = await orm().aggregate((aggregate: Untyped) => ({
      min: aggregate.min('id'),
      max: aggregate.max('id'),
    }))
    assert.deepEqual(ends, { min: all[0], max: all.at(-1) })
    const grouped = (limit: unknown) =>
      orm()
        .groupBy('label')
        .having((having: Untyped) => having.min('id').gt(limit))
        .aggregate((aggregate: Untyped) => ({ min: aggregate.min('id') }))
    const found = (await grouped(all[2])).map(({ min }: { min: string }) => min)
    assert.deepEqual(sorted(found, family), all.slice(3))
    await assert.rejects(async () => grouped('nope'), refusal(`${name}.id`))
    const [selected] = await client()
      .runtime()
      .query(
        table()
          .select('least', (fields: Untyped, fns: Untyped) => fns.min(fields.id))
          .build(),
      )
    assert.deepEqual(selected, { least: all[0] })
    const none = await orm()
      .where({ label: 'not there' })
      .aggregate((aggregate: Untyped) => ({ max: aggregate.max('id') }))
    assert.deepEqual(none, { max: null })
  })

  test(`${name}: the SQL builder`, async () => {
    const { eq } = { eq: (fields: Untyped, fns: Untyped) => fns.eq(fields.id, ids[0]) }
    const [row] = await client()
      .runtime()
      .query(
        table()
          .select('id')
          .select('at', (fields: Untyped, fns: Untyped) => fns.createdAt(fields.id))
          .where(eq)
          .build(),
      )
    assert.deepEqual(row, { id: ids[0], at: family.time(ids[0] as string) })
    const recent = await client()
      .runtime()
      .query(
        table()
          .select('label')
          .where((fields: Untyped, fns: Untyped) => fns.createdAfter(fields.id, began - 24 * HOUR_MS))
          .build(),
      )
    assert.equal(recent.length, 4)
    const changed = await client()
      .runtime()
      .query(table().update({ label: 'first' }).where(eq).returning('id', 'label').build())
    assert.deepEqual(changed, [{ id: ids[0], label: 'first' }])
    await assert.rejects(
      async () =>
        client()
          .runtime()
          .query(
            table()
              .select('id')
              .where((fields: Untyped, fns: Untyped) => fns.eq(fields.id, 'nope'))
              .build(),
          ),
      refusal(`${name}.id`),
    )
  })

  test(`${name}: raw SQL and prepared queries`, async () => {
    const id = ids[0] as string
    const found = async (query: Untyped) => client().runtime().query(query.build())
    const labelled = (where: Untyped) => found(table().select('label').where(where))
    const byName = (value: Untyped) =>
      labelled((_: Untyped, fns: Untyped) => fns.raw(['id = ', ''], value).returns('pg/bool@1'))
    assert.deepEqual(await byName(parameter()(`${name}.id`, id)), [{ label: 'first' }])
    assert.throws(() => parameter()(`${name}.id`, 'nope'), refusal(`${name}.id`))
    assert.throws(() => parameter()(`${name}.label`, id), /no id field/)
    // As it is, an id is found where its text is stored; elsewhere PostgreSQL refuses it. The answer is never empty.
    const answered = await byName(id).catch((error: unknown) => error)
    assert.ok(answered instanceof Error || answered.length === 1, JSON.stringify(answered))

    // Whatever codec a parameter is declared with, it gets that of the column.
    const prepared = await client().prepare({ id: 'snoflax/flax-text@1' }, (input: Untyped) =>
      table()
        .select('label')
        .where((fields: Untyped, fns: Untyped) => fns.eq(fields.id, input.id))
        .build(),
    )
    const answer = async (value: unknown) => prepared.query(client().runtime(), { id: value })
    assert.deepEqual(await answer(id), [{ label: 'first' }])
    await assert.rejects(answer('nope'), (error: Untyped) => error.cause instanceof IdError)
  })

  test(`${name}: update and delete by key`, async () => {
    assert.deepEqual(await orm().where({ id: ids[2] }).update({ label: 'changed' }), {
      id: ids[2],
      label: 'changed',
    })
    assert.deepEqual(await orm().first({ id: ids[2] }), { id: ids[2], label: 'changed' })
    assert.equal(await orm().where({ id: ids[2] }).updateAndCount({ label: 'again' }), 1)
    assert.deepEqual(await orm().where({ id: ids[2] }).delete(), { id: ids[2], label: 'again' })
    assert.equal(await orm().first({ id: ids[2] }), null)
    assert.equal(await orm().where({ id: ids[3] }).deleteAndCount(), 1)
    assert.equal(
      await orm()
        .where((row: Untyped) => row.id.isNotNull())
        .deleteAndCount(),
      3,
    )
  })

  test(`${name}: upsert by key`, async () => {
    const id = ids[0]
    const upsert = (label: string) =>
      orm().upsert({ create: { id, label }, update: { label }, conflictOn: { id } })
    assert.deepEqual(await upsert('made'), { id, label: 'made' })
    assert.deepEqual(await upsert('found'), { id, label: 'found' })
    assert.equal((await orm().all()).length, 1)
  })

  test(`${name}: what is not an id is refused, with model and field`, async () => {
    const path = `${name}.id`
    for (const wrong of ['nope', '', 'Kpcan0M1FakODT4', true, {}]) {
      await assert.rejects(async () => orm().first({ id: wrong }), refusal(path))
      await assert.rejects(async () => orm().where({ id: wrong }).update({ label: 'x' }), refusal(path))
      await assert.rejects(async () => orm().where({ id: wrong }).delete(), refusal(path))
      await assert.rejects(
        async () =>
          orm()
            .where((row: Untyped) => row.id.eq(wrong))
            .all(),
        refusal(path),
      )
      await assert.rejects(
        async () =>
          orm()
            .where((row: Untyped) => row.id.in([wrong]))
            .all(),
        refusal(path),
      )
      await assert.rejects(
        async () =>
          orm().upsert({ create: { label: 'x' }, update: { id: wrong }, conflictOn: { id: ids[0] } }),
        refusal(path),
      )
      await assert.rejects(async () => orm().create({ id: wrong, label: 'x' }), refusal(path))
      await assert.rejects(async () => orm().createAll([{ id: wrong, label: 'x' }]), refusal(path))
    }
  })
}
