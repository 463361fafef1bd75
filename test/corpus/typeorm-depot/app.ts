import { randomUUID } from 'node:crypto'
import { type DataSource, In, LessThan, Like } from 'typeorm'
import type { App } from '../app.js'
import { Folder, Org, Post, Profile, Reaction, Share, Tag, User } from './entities.js'

export function open(db: DataSource): App {
  const users = db.getRepository(User)
  const posts = db.getRepository(Post)
  const profiles = db.getRepository(Profile)
  const folders = db.getRepository(Folder)
  return {
    label: (kind, number) => `00000000-0000-4000-8000-${Buffer.from(kind.slice(0, 3)).toString('hex')}${String(number).padStart(6, '0')}`,
    stored: /^usr_[\w-]{21}$/,
    async signUp({ name, ...given }) {
      const { id } = await users.save(users.create({ ...given, name, email: `${name}@example.com` }))
      await profiles.save({ userId: id })
      await db.getRepository(Org).save(db.getRepository(Org).create({ name, owner: { id } }))
      return id
    },
    rename: async (id, name) => ((await users.update(id, { name })).affected ?? (await users.countBy({ id, name }))) > 0,
    async profile(id) {
      const user = await users.findOne({ where: { id }, relations: { profile: true } })
      return user ? { name: user.name, bio: user.profile?.bio ?? null } : undefined
    },
    async setBio(userId, bio) {
      await profiles.upsert({ userId, bio }, ['userId'])
    },
    // Its ids come from other devices, or are made here.
    folder: async (folder) => (await folders.save(folders.create({ ...folder, id: folder.id ?? randomUUID() }))).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const folder: Folder | null = await folders.findOneBy({ id })
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ at, tags: names = [], ...post }) {
      const tags = await Promise.all(names.map(async (name) => (await db.getRepository(Tag).findOneBy({ name })) ?? db.getRepository(Tag).create({ name })))
      await db.getRepository(Tag).save(tags)
      return (await posts.save(posts.create({ ...post, createdAt: at, tags }))).id
    },
    async read(id) {
      const post = await posts.findOne({ where: { id }, relations: { owner: true, folder: true, tags: true } })
      return post ? { title: post.title, owner: post.owner.name, folder: post.folder?.name ?? null, tags: post.tags.map(({ name }) => name).sort() } : undefined
    },
    async page(ownerId, take, after) {
      const last = after === undefined ? null : await posts.findOneBy({ id: after })
      if (after !== undefined && !last) return []
      const where = last ? [{ ownerId, createdAt: LessThan(last.createdAt) }, { ownerId, createdAt: last.createdAt, id: LessThan(last.id) }] : { ownerId }
      return posts.find({ select: { id: true, title: true }, where, order: { createdAt: 'DESC', id: 'DESC' }, take })
    },
    search: async (words) => (await posts.find({ where: { body: Like(`%${words}%`) }, order: { createdAt: 'ASC' } })).map(({ id }) => id),
    async remove(id) {
      await posts.softDelete(id)
    },
    async share(postId, userId) {
      await db.getRepository(Share).insert({ postId, userId })
    },
    async react(postId, userId, emoji) {
      await db.getRepository(Reaction).save(db.getRepository(Reaction).create({ postId, userId, emoji }))
    },
    reactions: async (postId) => (await db.getRepository(Reaction).find({ where: { postId }, relations: { share: { user: true } }, order: { share: { user: { name: 'ASC' } } } })).map(({ share, emoji }) => `${share.user.name} ${emoji}`),
    async pin(userId, pinned) {
      await profiles.update({ userId }, { pinned })
    },
    async pinned(userId) {
      const profile = await profiles.findOneBy({ userId })
      return (await posts.find({ where: { id: In(profile?.pinned ?? []) }, order: { createdAt: 'ASC' } })).map(({ title }) => title)
    },
    async deleteUser(id) {
      await users.delete(id)
    },
    counts: async () => (await users.createQueryBuilder('u').leftJoin(Post, 'p', 'p.ownerId = u.id').select('u.name', 'name').addSelect('COUNT(p.id)', 'posts').groupBy('u.id').addGroupBy('u.name').orderBy('u.name').getRawMany<{ name: string; posts: string }>()).map(({ name, posts }) => ({ name, posts: Number(posts) })),
  }
}
