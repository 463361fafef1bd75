import { Collection, defineEntity, helper, p, Reference, Utils, wrap } from '@mikro-orm/core'
import { idProperty } from '@snoflax/mikro-orm'
import type { Keyed, Mode, Program } from '@snoflax/test/contract'
import type { Orm } from './entities.js'

// biome-ignore lint/suspicious/noExplicitAny: the entities' types differ by mode
export type Any = any

export interface Session {
  readonly orm: Orm
  readonly em: Any
  readonly Person: Any
  readonly Post: Any
  readonly Tag: Any
  readonly isMysql: boolean
}

export type Programs = Readonly<Record<string, Program<Session>>>

/** A copy of what a program returns or an event tells; each entity once, elsewhere its key. */
export function plain(value: Any, seen = new Set<Any>()): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, seen))
  if (value instanceof Reference) return plain(value.unwrap(), seen)
  if (value instanceof Collection)
    return value.isInitialized() ? plain(value.getItems(false), seen) : 'unread'
  if (typeof value !== 'object' || value === null) return value
  if (Utils.isEntity(value, true)) {
    const { __meta: meta } = helper(value) as Any
    if (seen.has(value) || !wrap(value).isInitialized()) return { key: (value as Any)[meta.primaryKeys[0]] }
    seen.add(value)
    return Object.fromEntries(meta.props.map(({ name }: Any) => [name, plain((value as Any)[name], seen)]))
  }
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value))
  if (!isPlain) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one, seen)]))
}

export function entitiesIn({ ids, plainKey }: Mode) {
  const key = (keyed: Keyed): Any =>
    ids
      ? idProperty(ids.of[keyed], { storage: ids.storage })
      : p.string().length(40).primary().onCreate(plainKey)
  const entity = (name: string, tableName: string, properties: object): Any =>
    defineEntity({ name, tableName, properties } as Any)
  const Person: Any = entity('Person', 'people', {
    id: key('people'),
    email: p.string().unique(),
    name: p.string(),
    boss: () => p.manyToOne(Person).nullable(),
    staff: () => p.oneToMany(Person).mappedBy('boss').orderBy({ id: 'asc' }),
    posts: () => p.oneToMany(Post).mappedBy('author').orderBy({ id: 'asc' }),
  })
  const Post: Any = entity('Post', 'posts', {
    id: key('posts'),
    title: p.string(),
    likes: p.integer(),
    author: () => p.manyToOne(Person).deleteRule('cascade'),
    tags: () =>
      (p.manyToMany(Tag) as Any)
        .pivotTable('posts_tags')
        .joinColumn('post_id')
        .inverseJoinColumn('tag_id')
        .orderBy({ id: 'asc' }),
  })
  const Tag: Any = entity('Tag', 'tags', {
    id: key('tags'),
    label: p.string().unique(),
    posts: () => p.manyToMany(Post).mappedBy('tags'),
  })
  return { Person, Post, Tag }
}
