import { defineEntity, p, raw, ref } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { flax, type IdFamily, prefixed } from '@snoflax/core'
import { idProperty } from '@snoflax/mikro-orm'

// biome-ignore lint/suspicious/noExplicitAny: an entity for each kind of property
export type Any = any
export type Em = SqlEntityManager

const FAMILIES = { tag: prefixed(flax, 'tag'), post: prefixed(flax, 'pst'), row: prefixed(flax, 'row') }
type Name = keyof typeof FAMILIES
const idOf = (name: Name, at: number): string =>
  FAMILIES[name].withPrefix(flax.generateAt(1_800_000_000_000 + at))

export const [TAG, TAG2] = [idOf('tag', 1), idOf('tag', 2)]
export const [POST, POST2] = [idOf('post', 1), idOf('post', 2)]
export const ROWS = [1, 2, 3].map((at) => idOf('row', at)) as [string, string, string]
export const WRONG = idOf('row', 9)

/** Declares a key, and a property that is neither a key nor a relation. */
export interface Ids {
  key(name: Name): Any
  plain(name: Name): Any
}
export const OURS: Ids = {
  key: (name) => idProperty(FAMILIES[name] as IdFamily<string>),
  plain: (name) => ({ ...idProperty.plain(FAMILIES[name] as IdFamily<string>, { nullable: true }) }),
}
export const PLAIN: Ids = {
  key: (name) =>
    p
      .string()
      .length(40)
      .primary()
      .onCreate(() => FAMILIES[name].generate()),
  plain: () => ({ type: 'string', nullable: true }),
}

/** A value of `value`, of the manager that writes it. */
export type Value = (em: Em, entities: Any) => unknown
export interface Kind {
  /** The property `value`, and further ones. */
  readonly properties: (ids: Ids, entities: Any) => Any
  readonly values: readonly Value[]
  /** What is refused, if the write takes the property at all. */
  readonly wrong?: readonly Value[]
  /** The property that the error names. */
  readonly named?: string
  /** Writes that don't take the values. */
  readonly except?: RegExp
}

const valuesOf = (...values: unknown[]): Value[] => values.map((value) => () => value)
const tagOf: Value = (em, { Tag }) => em.getReference(Tag, TAG)
const nothing = valuesOf(null, undefined)
const sqlText = () => raw(`'${TAG}'`)

export const KINDS: Readonly<Record<string, Kind>> = {
  scalar: {
    properties: ({ plain }) => ({ value: plain('tag') }),
    values: [...valuesOf(TAG, TAG2), sqlText, ...nothing],
    wrong: valuesOf(WRONG, 'nobody', 5, [TAG], { id: TAG }),
  },
  'lazy scalar': {
    properties: ({ plain }) => ({ value: { ...plain('tag'), lazy: true, ref: true } }),
    values: [...valuesOf(TAG), ...nothing],
    wrong: valuesOf(WRONG),
    // MikroORM fails at a value that isn't wrapped.
    except: /create/,
  },
  'lazy scalar, reference': {
    properties: ({ plain }) => ({ value: { ...plain('tag'), lazy: true, ref: true } }),
    values: [() => ref(TAG as Any), ...nothing],
    wrong: [() => ref(WRONG as Any)],
    // MikroORM stores the text of an object.
    except: /insert|Update|upsert|builder/,
  },
  'to-one': {
    properties: (_, { Tag }) => ({ value: () => p.manyToOne(Tag as Any).nullable() }),
    values: [...valuesOf(TAG, TAG2), tagOf, ...nothing],
    wrong: [...valuesOf(WRONG, 5), (em, { Tag }) => em.getReference(Tag, WRONG)],
  },
  'to-one, SQL': {
    properties: (_, { Tag }) => ({ value: () => p.manyToOne(Tag as Any).nullable() }),
    values: [sqlText],
    // MikroORM can't hydrate it.
    except: /create|upsert/,
  },
  'to-one, reference': {
    properties: (_, { Tag }) => ({ value: () => (p.manyToOne(Tag as Any) as Any).ref().nullable() }),
    values: [...valuesOf(TAG), (em, all) => ref(tagOf(em, all) as Any), ...nothing],
    wrong: [...valuesOf(WRONG), (em, { Tag }) => em.getReference(Tag, WRONG, { wrapped: true })],
  },
  'to-one, key': {
    properties: (_, { Tag }) => ({ value: () => (p.manyToOne(Tag as Any) as Any).mapToPk().nullable() }),
    values: [...valuesOf(TAG), sqlText, ...nothing],
    wrong: valuesOf(WRONG),
  },
  'one-to-one': {
    properties: (_, { Tag }) => ({ value: () => p.oneToOne(Tag as Any).nullable() }),
    values: [...valuesOf(TAG), tagOf, ...nothing],
    wrong: valuesOf(WRONG),
  },
  'to-one, by another unique id': {
    properties: (_, { Tag }) => ({
      value: () => (p.manyToOne(Tag as Any) as Any).targetKey('code').nullable(),
    }),
    values: [...valuesOf(POST), ...nothing],
    wrong: valuesOf(TAG, 'nobody'),
    // MikroORM makes a new entity of it.
    except: /create|assign/,
  },
  'to-one, composite': {
    properties: (_, { Line }) => ({ value: () => p.manyToOne(Line as Any).nullable() }),
    values: [...valuesOf([TAG, 1]), (em, { Line }) => em.getReference(Line, [TAG, 1] as Any), ...nothing],
    wrong: [...valuesOf([WRONG, 1]), (em, { Line }) => em.getReference(Line, [WRONG, 1] as Any)],
  },
  'to-one, composite of composite': {
    properties: (_, { Deep }) => ({ value: () => p.manyToOne(Deep as Any).nullable() }),
    values: [
      ...valuesOf([[TAG, 1], POST], [TAG, 1, POST]),
      (em, { Deep }) => em.getReference(Deep, [[TAG, 1], POST] as Any),
      ...nothing,
    ],
    wrong: valuesOf([[WRONG, 1], POST], [[TAG, 1], WRONG], [WRONG, 1, POST]),
  },
  polymorphic: {
    properties: (_, { Tag, Post }) => ({ value: () => (p.manyToOne([Tag, Post] as Any) as Any).nullable() }),
    values: [
      tagOf,
      (em, { Post }) => em.getReference(Post, POST),
      (em, { Post }) => ref(em.getReference(Post, POST) as Any),
      ...nothing,
    ],
    wrong: [(em, { Post }) => em.getReference(Post, TAG), (em, { Tag }) => em.getReference(Tag, POST)],
    // MikroORM stores the id in place of the type, which is refused: see below.
    except: /insert|Update|upsert|builder/,
  },
  'polymorphic, by type and id': {
    properties: (_, { Tag, Post }) => ({ value: () => (p.manyToOne([Tag, Post] as Any) as Any).nullable() }),
    values: valuesOf(['tag', TAG], ['post', POST]),
    wrong: valuesOf(['tag', POST], ['post', TAG], ['post', 'nobody'], ['nobody', TAG]),
    // MikroORM takes the type for the id.
    except: /assign/,
  },
  'polymorphic, without a type': {
    properties: (_, { Tag, Post }) => ({ value: () => (p.manyToOne([Tag, Post] as Any) as Any).nullable() }),
    values: nothing,
    wrong: [...valuesOf(TAG), (em, { Post }) => em.getReference(Post, POST)],
    except: /create|assign/,
  },
  'polymorphic, composite': {
    properties: (_, { Line, Seat }) => ({
      value: () => (p.manyToOne([Line, Seat] as Any) as Any).nullable(),
    }),
    values: [...valuesOf(['line', TAG, 1], ['seat', POST, 1]), ...nothing],
    wrong: valuesOf(['line', POST, 1], ['seat', TAG, 1]),
    except: /assign/,
  },
  'many-to-many': {
    properties: (_, { Tag }) => ({ value: () => (p.manyToMany(Tag as Any) as Any).owner() }),
    values: [...valuesOf([TAG], [], [TAG, TAG2]), (em, all) => [tagOf(em, all)], ...nothing],
    wrong: [...valuesOf([WRONG], [TAG, 'nobody'], [5]), (em, { Tag }) => [em.getReference(Tag, WRONG)]],
  },
  'many-to-many, inverse': {
    properties: (_, { Group }) => ({ value: () => (p.manyToMany(Group as Any) as Any).mappedBy('rows') }),
    values: [...valuesOf([POST], []), ...nothing],
    wrong: valuesOf([WRONG]),
    named: '(value|rows)',
  },
  'many-to-many, composite': {
    properties: (_, { Line }) => ({ value: () => (p.manyToMany(Line as Any) as Any).owner() }),
    values: [...valuesOf([[TAG, 1]], []), ...nothing],
    wrong: valuesOf([[WRONG, 1]]),
  },
  'many-to-many, polymorphic': {
    properties: (_, { Tag }) => ({
      value: () => (p.manyToMany(Tag as Any) as Any).pivotTable('e_tagged').discriminator('tagged').owner(),
    }),
    values: [...valuesOf([TAG], []), (em, all) => [tagOf(em, all)], ...nothing],
    wrong: [...valuesOf([WRONG]), (em, { Tag }) => [em.getReference(Tag, WRONG)]],
  },
  'many-to-many, by an entity': {
    properties: (_, { Tag, Link }) => ({
      value: () => (p.manyToMany(Tag as Any) as Any).pivotEntity(() => Link).owner(),
    }),
    values: [...valuesOf([TAG], []), (em, all) => [tagOf(em, all)], ...nothing],
    wrong: [...valuesOf([WRONG]), (em, { Tag }) => [em.getReference(Tag, WRONG)]],
  },
  'many-to-many, union': {
    properties: (_, { Tag, Post }) => ({ value: () => (p.manyToMany([Tag, Post] as Any) as Any).owner() }),
    values: [
      (em, { Tag, Post }) => [em.getReference(Tag, TAG), em.getReference(Post, POST)],
      ...valuesOf([], null, undefined),
    ],
    wrong: [(em, { Post }) => [em.getReference(Post, TAG)]],
  },
  'many-to-many, union, by type and id': {
    properties: (_, { Tag, Post }) => ({ value: () => (p.manyToMany([Tag, Post] as Any) as Any).owner() }),
    values: valuesOf(
      [
        ['tag', TAG],
        ['post', POST],
        ['post', POST2],
      ],
      [['tag', TAG]],
    ),
    wrong: valuesOf(
      [['tag', POST]],
      [
        ['post', POST],
        ['post', TAG],
      ],
    ),
    // MikroORM makes new entities of them.
    except: /create|assign/,
  },
  'one-to-many': {
    properties: (_, { Child }) => ({ value: () => (p.oneToMany(Child as Any) as Any).mappedBy('row') }),
    // The rows of the other entity are updated: their ids are conditions.
    values: [...valuesOf([], [POST]), ...nothing],
  },
  embedded: {
    properties: (_, { Place }) => ({ value: () => p.embedded(Place as Any).nullable() }),
    values: valuesOf({ here: TAG, tag: TAG }, { here: TAG }, {}, null, undefined),
    wrong: valuesOf({ here: WRONG }, { tag: WRONG }),
    named: 'value\\.(here|tag)',
  },
  'embedded, object': {
    properties: (_, { Place }) => ({ value: () => (p.embedded(Place as Any) as Any).object().nullable() }),
    values: valuesOf({ here: TAG, tag: TAG }, { here: TAG }, {}, null, undefined),
    wrong: valuesOf({ here: WRONG }, { tag: WRONG }),
    named: 'value\\.(here|tag)',
  },
  'embedded, array': {
    properties: (_, { Place }) => ({ value: () => (p.embedded(Place as Any) as Any).array().nullable() }),
    values: valuesOf([{ here: TAG, tag: TAG }, { here: TAG2 }], [], null, undefined),
    wrong: valuesOf([{ here: TAG }, { here: WRONG }], [{ tag: WRONG }]),
    named: 'value\\.(here|tag)',
  },
  'embedded in embedded': {
    properties: (_, { Area }) => ({ value: () => p.embedded(Area as Any).nullable() }),
    values: valuesOf({ place: { here: TAG, tag: TAG } }, { places: [{ here: TAG }] }, {}, null, undefined),
    wrong: valuesOf({ place: { here: WRONG } }, { places: [{ here: TAG }, { tag: WRONG }] }),
    named: 'value\\.places?\\.(here|tag)',
  },
  'array of ids': {
    properties: ({ plain }) => ({ value: { ...plain('tag'), array: true } }),
    values: valuesOf([TAG, TAG2], [TAG], [], null, undefined),
    wrong: valuesOf([TAG, WRONG], [5]),
  },
  'JSON that has ids': {
    properties: () => ({ value: p.json().nullable() }),
    values: valuesOf({ id: TAG }, [TAG, 'nobody'], 'nobody', null, undefined),
  },
  formula: {
    properties: ({ plain }) => ({
      value: { ...plain('tag'), formula: (columns: Any) => `${columns.title}` },
    }),
    values: valuesOf(TAG, undefined),
  },
  'not persisted': {
    properties: ({ plain }) => ({ value: { ...plain('tag'), persist: false } }),
    values: valuesOf(TAG, undefined),
  },
  'relation that is not persisted, by the column of a property': {
    properties: ({ plain }, { Tag, Post }) => ({
      value: { ...plain('tag'), fieldName: 'shared' },
      asTag: () => (p.manyToOne(Tag as Any) as Any).persist(false).fieldName('shared').nullable(),
      asPost: () =>
        (p.manyToOne(Post as Any) as Any)
          .persist(false)
          .fieldName('shared')
          .createForeignKeyConstraint(false)
          .nullable(),
    }),
    values: [...valuesOf(TAG), ...nothing],
    wrong: valuesOf(WRONG, POST),
  },
  'generated column': {
    properties: ({ plain }) => ({
      value: { ...plain('tag'), generated: "('x') stored", ignoreSchemaChanges: ['extra'] },
    }),
    values: valuesOf(undefined),
  },
  'with a version': {
    properties: ({ plain }) => ({ value: plain('tag'), version: p.integer().version() }),
    values: valuesOf(TAG, null, undefined),
    wrong: valuesOf(WRONG),
  },
}

export const KIND_NAMES = Object.keys(KINDS)

/** The entities of all kinds, `E0`, `E1`, …, and those that they refer to. */
export function entitiesWith(ids: Ids) {
  const all: Any = {}
  all.Tag = defineEntity({
    name: 'Tag',
    properties: { id: ids.key('tag'), code: { ...ids.plain('post'), unique: true } },
  })
  all.Post = defineEntity({ name: 'Post', properties: { id: ids.key('post') } })
  all.Line = defineEntity({
    name: 'Line',
    properties: { tag: () => p.manyToOne(all.Tag as Any).primary(), at: p.integer().primary() },
  })
  all.Seat = defineEntity({
    name: 'Seat',
    properties: { tag: () => p.manyToOne(all.Post as Any).primary(), at: p.integer().primary() },
  })
  all.Deep = defineEntity({
    name: 'Deep',
    properties: {
      line: () => p.manyToOne(all.Line as Any).primary(),
      post: () => p.manyToOne(all.Post as Any).primary(),
    },
  })
  const place = { here: ids.plain('tag'), tag: () => p.manyToOne(all.Tag as Any).nullable() }
  all.Place = defineEntity({ name: 'Place', embeddable: true, properties: place })
  all.Area = defineEntity({
    name: 'Area',
    embeddable: true,
    properties: {
      place: () => p.embedded(all.Place as Any).nullable(),
      places: () => (p.embedded(all.Place as Any) as Any).array().nullable(),
    },
  })
  for (const [at, { properties }] of Object.values(KINDS).entries()) {
    const Group = defineEntity({
      name: `Group${at}`,
      properties: {
        id: { ...ids.plain('post'), primary: true, nullable: false },
        rows: () => (p.manyToMany(all[`E${at}`] as Any) as Any).owner(),
      },
    })
    const Child = defineEntity({
      name: `Child${at}`,
      properties: {
        id: { ...ids.plain('post'), primary: true, nullable: false },
        row: () => p.manyToOne(all[`E${at}`] as Any).nullable(),
      },
    })
    const Link = defineEntity({
      name: `Link${at}`,
      properties: {
        row: () => p.manyToOne(all[`E${at}`] as Any).primary(),
        tag: () => p.manyToOne(all.Tag as Any).primary(),
      },
    })
    const own = properties(ids, { ...all, Group, Child, Link })
    all[`E${at}`] = defineEntity({
      name: `E${at}`,
      properties: {
        id: { ...ids.plain('row'), primary: true, nullable: false },
        title: p.string().unique(),
        ...own,
      },
    })
    if (KIND_NAMES[at] === 'many-to-many, inverse') all.Group = Group
    if (KIND_NAMES[at] === 'one-to-many') all.Child = Child
    if (KIND_NAMES[at] === 'many-to-many, by an entity') all.Link = Link
  }
  return all
}
