import { In, Not, type ObjectLiteral } from 'typeorm'
import { IS_0_3 } from '../version.js'
import type { Any, Programs } from './matrix-session.js'

const eve = () => ({ email: 'eve@x.org', name: 'Eve' })
const fay = () => ({ email: 'fay@x.org', name: 'Fay' })
const post = (author: unknown) => ({ title: 'New', likes: 0, author })
/** Its generatedMaps have our ids, as those that TypeORM generates itself. */
const identifiers = (result: ObjectLiteral) => result['identifiers'] as unknown

export const writes: Programs = {
  nothing: async () => {},
  'save a row': ({ m }) => m.save('Person', eve()),
  'save an entity': ({ m }) => m.save(m.create('Person', eve())),
  'save rows': ({ m }) => m.save('Tag', [{ label: 'a' }, { label: 'b' }]),
  'save no rows': ({ m }) => m.save('Person', []),
  'save a row with a key': ({ m }, key) => m.save('Person', { ...eve(), id: key(31) }),
  'save rows with and without a key': ({ m }, key) =>
    m.save('Tag', [{ label: 'a' }, { label: 'b', id: key(51) }]),
  'save without listeners': ({ m }, key) => m.save('Tag', { id: key(51), label: 'a' }, { listeners: false }),
  'save without reload': ({ m }) => m.save('Tag', { label: 'a' }, { reload: false }),
  'save in chunks': ({ m }) => m.save('Tag', [{ label: 'a' }, { label: 'b' }, { label: 'c' }], { chunk: 2 }),
  'save a row that refers': ({ m }, key) => m.save('Post', post({ id: key(2) })),
  'save a row that refers to none': ({ m }, key) => m.save('Post', post({ id: key(9) })),
  'save with null': ({ m }) => m.save('Person', { ...eve(), boss: null }),
  'save a graph': ({ m }, key) => m.save('Post', { ...post(eve()), tags: [{ label: 'a' }, { id: key(21) }] }),
  'save a graph from above': ({ m }) =>
    m.save('Person', { ...eve(), posts: [{ title: 'New', likes: 0, tags: [{ label: 'a' }] }] }),
  'save a chain of one entity': ({ m }, key) =>
    m.save('Person', { ...fay(), id: key(32), boss: { ...eve(), id: key(31) } }),
  'insert a row': async ({ m }) => identifiers(await m.insert('Person', eve())),
  'insert rows': async ({ m }) => identifiers(await m.insert('Tag', [{ label: 'a' }, { label: 'b' }])),
  'insert no rows': ({ m }) => m.insert('Person', []),
  'insert a key that is there': ({ m }, key) => m.insert('Person', { ...eve(), id: key(1) }),
  'insert a row that refers': async ({ m }, key) =>
    identifiers(await m.insert('Post', post(key(2)) as never)),
  'builder, insert': async ({ m }) =>
    identifiers(await m.createQueryBuilder().insert().into('Tag').values({ label: 'a' }).execute()),
  'builder, insert from a query': async ({ m }) => {
    if (IS_0_3) return
    const builder = m.createQueryBuilder().insert().into('posts_tags', ['post_id', 'tag_id'])
    const from = m
      .createQueryBuilder('Post', 'p')
      .innerJoin('Tag', 't', "t.label = 'blue' AND p.title = 'Two'")
    await builder.valuesFromSelect(from.select('p.id', 'post_id').addSelect('t.id', 'tag_id')).execute()
  },
  'upsert a new row': async ({ m }, key) =>
    void (await m.upsert('Person', { ...eve(), id: key(31) }, ['email'])),
  // The result is that of keys that TypeORM generates: upserts.test.ts.
  'upsert a row that is there': async ({ m }) =>
    void (await m.upsert('Tag', [{ label: 'red' }, { label: 'a' }], ['label'])),
  'upsert a reference': async ({ m, isMysql }, key) => {
    const row = { email: 'bob@x.org', name: 'Bob', id: key(2), boss: { id: key(3) } }
    return isMysql ? undefined : void (await m.upsert('Person', row, ['id']))
  },
  'link rows': ({ m }, key) => m.createQueryBuilder().relation('Post', 'tags').of(key(14)).add(key(23)),
  'link rows twice': ({ m }, key) => m.createQueryBuilder().relation('Post', 'tags').of(key(11)).add(key(21)),
  'link and unlink': ({ m }, key) =>
    m
      .createQueryBuilder()
      .relation('Post', 'tags')
      .of({ id: key(11) })
      .addAndRemove([{ id: key(23) }], [key(21)]),
  'set a relation': ({ m }, key) => m.createQueryBuilder().relation('Post', 'author').of(key(11)).set(key(3)),
  'update by key': ({ m }, key) => m.update('Person', key(2), { name: 'New' }),
  'update by keys': ({ m }, key) => m.update('Person', [key(1), key(9)], { name: 'New' }),
  'update by a condition': ({ m }, key) => m.update('Person', { boss: { id: key(1) } }, { name: 'New' }),
  'update by no keys': ({ m }) => m.update('Person', { id: In([]) }, { name: 'New' }),
  'update a reference': ({ m }, key) => m.update('Person', { id: key(3) }, { boss: { id: key(4) } }),
  'update a reference to null': ({ m }, key) => m.update('Person', { id: key(4) }, { boss: null }),
  'update a key': ({ m }, key) => m.update('Tag', { id: key(23) }, { id: key(51) }),
  'change a loaded entity': async ({ m }, key) => {
    const person = await m.findOneByOrFail('Person', { id: key(2) })
    return m.save(Object.assign(person, { name: 'New' }))
  },
  'change nothing': async ({ m }, key) => m.save(await m.findOneByOrFail('Person', { id: key(2) })),
  'change a loaded reference': async ({ m }, key) => {
    const found = await m.findOneOrFail('Post', { where: { id: key(11) }, relations: { author: true } })
    return m.save(Object.assign(found, { author: await m.findOneByOrFail('Person', { id: key(3) }) }))
  },
  'change a list of relations': async ({ m }, key) => {
    const found = await m.findOneOrFail('Post', { where: { id: key(11) }, relations: { tags: true } })
    return m.save(Object.assign(found, { tags: [{ id: key(23) }] }))
  },
  preload: async ({ m }, key) => m.save((await m.preload('Person', { id: key(2), name: 'New' })) ?? {}),
  increment: async ({ m }, key) => (await m.increment('Post', { id: key(11) }, 'likes', 5)).affected,
  'builder, update': ({ m, bound }, key) =>
    m
      .createQueryBuilder()
      .update('Person')
      .set({ name: 'New' })
      .where('id = :id', { id: bound('Person', key(2)) })
      .execute(),
  'delete by key': ({ m }, key) => m.delete('Person', key(3)),
  'delete by keys': ({ m }, key) => m.delete('Tag', [key(21), key(22)]),
  'delete and cascade': ({ m }, key) => m.delete('Person', { id: key(4) }),
  'delete by other keys': ({ m }, key) => m.delete('Tag', { id: Not(key(21)) }),
  'delete a row that others refer to': ({ m }, key) => m.delete('Person', key(1)),
  'builder, delete whereInIds': ({ m }, key) =>
    m
      .createQueryBuilder()
      .delete()
      .from('Tag')
      .whereInIds([key(21), key(23)])
      .execute(),
  'remove entities': async ({ m }, key) => m.remove(await m.findBy('Tag', { id: In([key(21), key(22)]) })),
  'soft-delete by key': ({ m }, key) => m.softDelete('Person', key(4)),
  'soft-delete by a condition': ({ m }, key) => m.softDelete('Person', { boss: { id: key(1) } }),
  'soft-remove entities': async ({ m }, key) =>
    m.softRemove(await m.find('Person', { where: { id: In([key(2), key(3)]) }, relations: { posts: true } })),
  'soft-remove and recover': async ({ m }, key) => {
    await m.softRemove(await m.findOneByOrFail('Person', { id: key(2) }))
    return m.recover(await m.findOneOrFail('Person', { where: { id: key(2) }, withDeleted: true }))
  },
  'soft-delete and restore': async ({ m }, key) => {
    await m.softDelete('Person', [key(2), key(3), key(9)])
    return m.restore('Person', { id: key(3) })
  },
  'save a soft-deleted entity': async ({ m }, key) => {
    await m.softDelete('Person', key(2))
    return m.save('Person', { id: key(2), name: 'New' })
  },
  'builder, soft-delete whereInIds': ({ m }, key) =>
    m
      .createQueryBuilder()
      .softDelete()
      .from('Person')
      .whereInIds([key(2), key(9)])
      .execute(),
  'builder, restore': async ({ m, bound }, key) => {
    await m.softDelete('Person', key(2))
    const restore = m.createQueryBuilder().restore().from('Person')
    return restore.where('id = :id', { id: bound('Person', key(2)) }).execute()
  },
  'a locked row': ({ m }, key) =>
    m.transaction(async (on: Any) => {
      const lock = { mode: 'pessimistic_write' }
      const person = await on.findOneOrFail('Person', { where: { id: key(2) }, lock })
      return on.save(Object.assign(person, { name: 'New' }))
    }),
  'locked rows of a builder': ({ m }, key) =>
    m.transaction(async (on: Any) => {
      const rows = on
        .createQueryBuilder('Tag', 't')
        .setLock('pessimistic_read')
        .whereInIds([key(21), key(23)])
      return on.remove(await rows.orderBy('t.id').getMany())
    }),
  'a transaction': ({ m }, key) =>
    m.transaction(async (on: Any) => {
      const { id } = await on.save('Person', { ...eve(), id: key(32) })
      return on.save('Post', post({ id }))
    }),
  'a transaction that is rolled back': ({ m }) =>
    m.transaction(async (on: Any) => {
      await on.save('Person', eve())
      throw new RangeError('rolled back')
    }),
  'a savepoint': ({ m }) =>
    m.transaction(async (on: Any) => {
      await on.save('Tag', { label: 'a' })
      await on
        .transaction(async (inner: Any) => {
          await inner.save('Tag', { label: 'b' })
          throw new RangeError('rolled back')
        })
        .catch(() => undefined)
    }),
  'raw SQL': async ({ db }) => void (await db.query("update people set name = 'Raw' where name = 'Bob'")),
}
