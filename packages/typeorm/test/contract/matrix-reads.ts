import {
  Between,
  Brackets,
  Equal,
  In,
  IsNull,
  LessThanOrEqual,
  MoreThan,
  Not,
  type ObjectLiteral,
  Or,
} from 'typeorm'
import type { Programs } from './matrix-session.js'

const byId = { id: 'ASC' } as const

export const reads: Programs = {
  'all people': ({ m }) => m.find('Person', { order: byId }),
  'all posts, by join': ({ m }) =>
    m.find('Post', { order: { ...byId, tags: byId }, relations: { author: { boss: true }, tags: true } }),
  'all tags': ({ m }) => m.find('Tag', { order: byId }),
  'soft-deleted people too': ({ m }) => m.find('Person', { order: byId, withDeleted: true }),
  'builder, soft-deleted rows of a join': ({ from }) =>
    from('Post', 'p').withDeleted().leftJoinAndSelect('p.author', 'a').orderBy('p.id').getMany(),
  'by key': ({ m }, key) => m.findOneBy('Person', { id: key(2) }),
  'by a key that no row has': ({ m }, key) => m.findOneBy('Person', { id: key(9) }),
  'or an error': ({ m }, key) => m.findOneByOrFail('Person', { id: key(9) }),
  'by keys': ({ m }, key) =>
    m.find('Person', { where: { id: In([key(1), key(4), key(9)]) }, order: byId, select: { name: true } }),
  'by no keys': ({ m }) => m.findBy('Person', { id: In([]) }),
  'by other keys': ({ m }, key) =>
    m.find('Person', { where: { id: Not(In([key(1)])) }, order: byId, select: { id: true } }),
  'by undefined': ({ m }) => m.find('Tag', { where: { id: undefined }, order: byId }),
  'by a range': ({ m }, key) => m.find('Post', { where: { id: Between(key(12), key(13)) }, order: byId }),
  or: ({ m }, key) => m.find('Person', { where: [{ id: key(1) }, { boss: { id: key(2) } }], order: byId }),
  'an operator or': ({ m }, key) =>
    m.find('Person', { where: { id: Or(Equal(key(1)), MoreThan(key(3))) }, order: byId }),
  'the newest': ({ m }) => m.find('Post', { order: { id: 'DESC' }, take: 1 }),
  'a page': ({ m }, key) => m.find('Post', { where: { id: MoreThan(key(11)) }, order: byId, take: 2 }),
  'a page of joined rows': ({ m }) =>
    m.findAndCount('Person', {
      relations: { posts: true },
      order: { ...byId, posts: byId },
      take: 2,
      skip: 1,
    }),
  'by a reference': ({ m }, key) => m.find('Post', { where: { author: { id: key(1) } }, order: byId }),
  'by an entity': async ({ m }, key) => {
    const author = await m.findOneBy('Person', { id: key(1) })
    return author && m.find('Post', { where: { author: { id: author['id'] } }, order: byId })
  },
  'by no reference': ({ m }) => m.find('Person', { where: { boss: IsNull() }, order: byId }),
  'by a row that refers': ({ m }, key) =>
    m.find('Person', { where: { posts: { id: LessThanOrEqual(key(12)) } }, order: byId }),
  'by a linked row': ({ m }, key) => m.find('Post', { where: { tags: { id: key(21) } }, order: byId }),
  count: ({ m }, key) => m.countBy('Post', { author: { id: key(1) } }),
  exists: ({ m }, key) => m.existsBy('Tag', { id: key(51) }),
  'ids of relations': ({ m }) => m.find('Post', { loadRelationIds: { relations: ['author'] }, order: byId }),
  'many to many': ({ m }, key) =>
    m.findOne('Post', { where: { id: key(11) }, relations: { tags: true }, order: { tags: byId } }),
  'load a relation': async ({ m }, key) =>
    m.createQueryBuilder().relation('Post', 'author').of(key(13)).loadOne(),
  // Several rows would come in any order.
  'load a list': ({ m }, key) => m.createQueryBuilder().relation('Person', 'posts').of(key(4)).loadMany(),
  'load links': ({ m }, key) => m.createQueryBuilder().relation('Post', 'tags').of(key(13)).loadMany(),
  'builder, where': ({ from, bound }, key) =>
    from('Person', 'p')
      .where('p.id = :id', { id: bound('Person', key(2)) })
      .getOne(),
  'builder, where of an object': ({ from }, key) =>
    from('Person', 'p')
      .where({ id: key(2) })
      .orWhere({ boss: { id: key(2) } })
      .orderBy('p.id')
      .getMany(),
  'builder, whereInIds': ({ from }, key) =>
    from('Person', 'p')
      .whereInIds([key(1), key(3)])
      .orderBy('p.id')
      .getMany(),
  'builder, brackets': ({ from, bound }, key) =>
    from('Person', 'p')
      .where(new Brackets((of) => of.where('p.id > :id').orWhere('p.boss IS NULL')))
      .setParameters({ id: bound('Person', key(3)) })
      .orderBy('p.id')
      .getMany(),
  'builder, joins': ({ from }) =>
    from('Post', 'p')
      .leftJoinAndSelect('p.author', 'a')
      .leftJoinAndSelect('a.boss', 'b')
      .leftJoinAndSelect('p.tags', 't')
      .orderBy('p.id')
      .addOrderBy('t.id')
      .getMany(),
  'builder, a join by key': ({ from, bound }, key) =>
    from('Person', 'p')
      .innerJoin('p.posts', 'o', 'o.id = :id', { id: bound('Post', key(13)) })
      .getMany(),
  'builder, a subquery': ({ from, bound }, key) => {
    const builder = from('Person', 'p')
    const inner = builder.subQuery().select('o.author').from('Post', 'o').where('o.id = :id')
    return builder.where(`p.id IN ${inner.getQuery()}`, { id: bound('Post', key(13)) }).getMany()
  },
  'builder, a page': ({ from }) =>
    from('Person', 'p')
      .leftJoinAndSelect('p.posts', 'o')
      .orderBy('p.id')
      .addOrderBy('o.id')
      .take(2)
      .getManyAndCount(),
  'builder, count of relations': async ({ from, read }) => {
    const rows = await from('Post', 'p')
      .select('p.author', 'author')
      .addSelect('COUNT(*)', 'n')
      .groupBy('p.author')
      .orderBy('p.author')
      .getRawMany()
    return rows.map(({ author, n }) => [read('Person', author), Number(n)])
  },
  'builder, raw and entities': async ({ from }) =>
    (await from('Tag', 't').orderBy('t.id').getRawAndEntities()).entities,
  'builder, distinct': ({ from }) => from('Post', 'p').select('COUNT(DISTINCT p.author)', 'n').getRawOne(),
  links: async ({ db, read }) => {
    const rows = await db.query('select post_id, tag_id from posts_tags order by post_id, tag_id')
    return rows.map((row: ObjectLiteral) => [read('Post', row['post_id']), read('Tag', row['tag_id'])])
  },
}
