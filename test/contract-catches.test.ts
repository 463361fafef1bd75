import { expect, test } from 'vitest'
import * as reads from './contract/reads.js'
import { type Assertions, describeVariants, type Scene } from './contract/suite.js'
import { variantsOf } from './contract/variant.js'
import * as writes from './contract/writes.js'
import plain, { type PlainSession } from './skeleton/adapter.js'

/** A fault in a path, and the assertion that must not let it through. */
interface Fault {
  readonly fault: string
  readonly assertion: string
  /** The error: that of the assertion, or of the database, but not a crash on the way. */
  readonly refusal: object
  run(scene: Scene<PlainSession>): Promise<void>
}

const only = <Run>(paths: Readonly<Record<string, { readonly run: Run }>>): Run => {
  const [path] = Object.values(paths)
  if (!path) throw new Error('There is no path')
  return path.run
}
const insert = only(plain.inserts)
const upsert = only(plain.upserts)
const update = only(plain.updates)
const find = only(plain.byIds)
const load = only(plain.graph)

function checkOf<Check>(assertions: Readonly<Record<string, Check>>, assertion: string): Check {
  const check = assertions[assertion]
  if (!check) throw new Error(`There is no assertion "${assertion}"`)
  return check
}

function fault<Arguments extends readonly unknown[], Result>(
  name: string,
  assertions: Assertions<unknown, Arguments, Result>,
  assertion: string,
  broken: (scene: Scene<PlainSession>, ...args: Arguments) => Promise<Result>,
  refusal: object = { name: 'AssertionError' },
): Fault {
  const check = checkOf(assertions, assertion)
  return {
    fault: name,
    assertion,
    refusal,
    run: (scene) => check((...args) => broken(scene, ...args), scene),
  }
}

const MADE = 'an id is made for each row, of its time, and is the one that lies there'

const faults: readonly Fault[] = [
  fault('another id is answered than lies there', writes.inserts, MADE, async (scene, rows) => {
    await insert(scene.session, rows)
    return scene.variant.generator.batch(rows.length)
  }),
  fault(
    'one id for all rows',
    writes.inserts,
    MADE,
    async (scene, rows) => {
      const id = scene.variant.generator.generate()
      return insert(
        scene.session,
        rows.map((row) => ({ ...row, id })),
      )
    },
    { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' },
  ),
  fault('an id of long ago', writes.inserts, MADE, async ({ session, variant }, rows) => {
    const old = rows.map((row, i) => ({
      ...row,
      id: variant.family.lowerBound(new Date(Date.UTC(2026, 3, i + 1))),
    }))
    return insert(session, old)
  }),
  fault('a row is lost', writes.inserts, MADE, async ({ session }, rows) => insert(session, rows.slice(1))),
  fault(
    'a supplied id is replaced',
    writes.inserts,
    'an id that was supplied is kept',
    async ({ session }, rows) =>
      insert(
        session,
        rows.map(({ id, ...row }) => row),
      ),
  ),
  fault(
    'an id that is no key is lost',
    writes.inserts,
    'an id that is no key is stored as given, and null stays null',
    async ({ session }, rows) =>
      insert(
        session,
        rows.map((row) => ({ ...row, traceId: null })),
      ),
  ),
  fault(
    'null becomes an id',
    writes.inserts,
    'an id that is no key is stored as given, and null stays null',
    async ({ session, variant }, rows) =>
      insert(
        session,
        rows.map((row) => ({ ...row, traceId: row.traceId ?? variant.generator.generate() })),
      ),
  ),
  fault(
    'a malformed id is dropped',
    writes.inserts,
    'a malformed id is an error, and no row',
    ({ session }, rows) =>
      insert(
        session,
        rows.map(({ email, name }) => ({ email, name })),
      ),
  ),
  fault(
    'the new id is answered after a conflict',
    writes.upserts,
    'answers the id that lies there after a conflict, and makes no second row',
    async ({ session, variant }, row) => {
      await upsert(session, row)
      return variant.generator.generate()
    },
  ),
  fault(
    'an update of every row',
    writes.updates,
    'changes no other row',
    async ({ session }, _id, change) => {
      await session.query('UPDATE customers SET name = ?', [change.name])
    },
  ),
  fault(
    'a malformed id updates nothing',
    writes.updates,
    'a malformed id finds nothing, or is refused',
    async ({ session, variant }, id, change) => {
      if (variant.family.is(id)) await update(session, id, change)
    },
  ),
  fault('a removal that removes nothing', writes.deletes, 'removes the rows, and no other', async () => {}),
  fault('a link that ties nothing', writes.links, 'ties the two rows', async () => {}),
  fault('a write around us that passes', writes.around, 'fails, and leaves no row', ({ session }, row) =>
    insert(session, [row]),
  ),
  fault(
    'nothing is found for a malformed id',
    reads.byId,
    'a malformed id finds nothing, or is refused',
    async () => undefined,
  ),
  fault(
    'the stored form is answered',
    reads.byId,
    'finds the row, ids equal to those written, null still null',
    async ({ session, stored }, id) => {
      const [customer] = await find(session, [id])
      return customer && { ...customer, id: stored.expected(id) as string }
    },
  ),
  fault('nothing is found', reads.byIds, 'finds the rows of a list', async () => []),
  fault(
    'a closed range',
    reads.byRange,
    'finds the rows of a half-open range',
    async ({ session, seed }, { lt }) =>
      find(
        session,
        seed.customers
          .slice(2, 6)
          .map(({ id }) => id)
          .concat(lt),
      ),
  ),
  fault(
    'all rows for any moments',
    reads.createdBetween,
    'finds the rows made between two moments',
    async ({ seed }) => seed.customers,
  ),
  fault(
    'related rows are missing',
    reads.graph,
    'loads the row with all that hangs on it',
    async ({ session }, id) => {
      const graph = await load(session, id)
      return graph && { ...graph, orders: [] }
    },
  ),
  fault(
    'pages in no order',
    reads.page,
    'goes through the rows in the order of their ids',
    async ({ seed }, _, limit) => [...seed.customers].reverse().slice(0, limit),
  ),
  fault(
    'min and max of stored forms',
    reads.ends,
    'finds the smallest and the largest id',
    async ({ seed }) => ({
      min: seed.graph.id,
      max: seed.graph.id,
    }),
  ),
  fault(
    'counts by the stored form',
    reads.counts,
    'groups by an id',
    async ({ seed, stored }) => new Map([[stored.expected(seed.graph.id) as string, 3]]),
  ),
]

describeVariants(plain, variantsOf('sqlite', { storages: ['binary'] }).slice(0, 1), (scene) => {
  test('the same assertions pass without a fault', async () => {
    await checkOf(writes.inserts, MADE)((rows) => insert(scene.session, rows), scene)
    await checkOf(reads.byIds, 'finds the rows of a list')((ids) => find(scene.session, ids), scene)
  })

  test.each(faults)('$fault: caught by "$assertion"', async ({ run, refusal }) => {
    await expect(run(scene)).rejects.toMatchObject(refusal)
  })
})
