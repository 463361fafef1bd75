import { defineEntity, p } from '@mikro-orm/core'
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import { nanoid } from 'nanoid'
import { key, row } from './keys.js'

export const Address = defineEntity({ name: 'Address', embeddable: true, properties: { city: p.string().nullable(), zip: p.string().nullable() } })
export const User = defineEntity({
  name: 'User',
  properties: {
    id: key('usr'),
    name: p.string(),
    email: p.string().unique(),
    address: () => p.embedded(Address).nullable(),
    posts: () => p.oneToMany(Post).mappedBy('owner'),
  },
})
/** Names of plans are keys, in code too. */
export const Plan = defineEntity({ name: 'Plan', properties: { code: p.string().length(20).primary(), price: p.integer() } })
export const Org = defineEntity({ name: 'Org', properties: { id: key('org').comment('also in invoices'), name: p.string(), owner: () => p.manyToOne(User).deleteRule('cascade'), plan: () => p.manyToOne(Plan).nullable() } })
/** A row for each user, under the user's key, and one for each of those. */
export const Profile = defineEntity({ name: 'Profile', properties: { user: () => p.oneToOne(User).primary().deleteRule('cascade'), bio: p.text().nullable(), pinned: p.json<string[]>().nullable() } })
export const Quota = defineEntity({ name: 'Quota', properties: { profile: () => p.oneToOne(Profile).primary().deleteRule('cascade'), bytes: p.integer() } })
const FolderSchema = defineEntity({
  name: 'Folder',
  properties: { ...row, name: p.string(), owner: () => p.manyToOne(User).deleteRule('cascade'), parent: () => p.manyToOne(Folder).nullable().deleteRule('set null') },
})
export class Folder extends FolderSchema.class {
  get title(): string {
    return this.name.trim()
  }
}
FolderSchema.setClass(Folder)
export const Tag = defineEntity({ name: 'Tag', properties: { id: p.string().length(10).primary().onCreate(() => nanoid(10)), name: p.string().unique() } })
export const Post = defineEntity({
  name: 'Post',
  indexes: [{ properties: ['owner', 'createdAt'] }],
  filters: { alive: { name: 'alive', cond: { deletedAt: null }, default: true } },
  properties: {
    id: key('post'),
    title: p.string(),
    body: p.text().default(''),
    createdAt: p.integer(),
    deletedAt: p.datetime().nullable(),
    owner: () => p.manyToOne(User).deleteRule('cascade'),
    folder: () => p.manyToOne(Folder).nullable().deleteRule('set null'),
    tags: () => p.manyToMany(Tag),
  },
})
export const Share = defineEntity({ name: 'Share', properties: { post: () => p.manyToOne(Post).primary().deleteRule('cascade'), user: () => p.manyToOne(User).primary().deleteRule('cascade') } })
export const Reaction = defineEntity({ name: 'Reaction', properties: { ...row, emoji: p.string(), share: () => p.manyToOne(Share).deleteRule('cascade') } })

abstract class Logged {
  @PrimaryKey({ type: 'string', length: 21 }) id: string = nanoid()
  @Property({ type: 'integer' }) at = 0
}
@Entity()
export class Visit extends Logged {
  @ManyToOne({ entity: () => User, deleteRule: 'cascade' }) user!: unknown
}
@Entity()
export class Export extends Logged {
  @Property({ type: 'string' }) format = 'csv'
}

export const entities = [User, Plan, Org, Profile, Quota, Folder, Tag, Post, Share, Reaction, Visit, Export]
