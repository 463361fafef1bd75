import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { App } from '../app.js'
import { Export, Folder, Org, Post, Profile, Reaction, Share, Tag, User, Visit } from './entities.js'

export function open(orm: { em: SqlEntityManager }): App {
  const fork = () => orm.em.fork()
  return {
    label: (kind, number) => `00000000-0000-4000-8000-${Buffer.from(kind.slice(0, 3)).toString('hex')}${String(number).padStart(6, '0')}`,
    stored: /^usr_[a-z0-9]{24}$/,
    async signUp({ name, ...given }) {
      const em = fork()
      const user = em.create(User, { ...given, name, email: `${name}@example.com`, address: { city: 'Paris' } })
      em.create(Profile, { user })
      em.create(Org, { name, owner: user })
      const visit = em.create(Visit, { user } as never)
      em.persist(new Export())
      await em.flush()
      if (visit.id.length !== 21) throw new Error(visit.id)
      return user.id
    },
    rename: async (id, name) => (await fork().nativeUpdate(User, { id }, { name })) > 0,
    async profile(id) {
      const profile = await fork().findOne(Profile, { user: id }, { populate: ['user'] })
      return profile ? { name: profile.user.name, bio: profile.bio ?? null } : undefined
    },
    async setBio(user, bio) {
      await fork().upsert(Profile, { user, bio })
    },
    async folder({ ownerId: owner, parentId: parent, ...given }) {
      const em = fork()
      const folder = em.create(Folder, { ...given, owner, ...(parent && { parent }) } as never)
      await em.flush()
      return folder.id
    },
    async path(folderId) {
      const names: string[] = []
      for (let id: string | undefined = folderId; id; ) {
        const folder: Folder | null = await fork().findOne(Folder, id)
        if (folder) names.unshift(folder.title)
        id = folder?.parent?.id
      }
      return names
    },
    async post({ at, tags: names = [], ownerId: owner, folderId: folder, ...post }) {
      const em = fork()
      const tags = await Promise.all(names.map(async (name) => (await em.findOne(Tag, { name })) ?? em.create(Tag, { name })))
      const created = em.create(Post, { ...post, createdAt: at, owner, folder: folder ?? null, tags } as never)
      await em.flush()
      return created.id
    },
    async read(id) {
      const post = await fork().findOne(Post, { id }, { populate: ['owner', 'folder', 'tags'] })
      return post ? { title: post.title, owner: post.owner.name, folder: post.folder?.name ?? null, tags: post.tags.map(({ name }) => name).sort() } : undefined
    },
    async page(owner, take, after) {
      const em = fork()
      const last = after === undefined ? null : await em.findOne(Post, { id: after })
      if (after !== undefined && !last) return []
      const where = last ? { $or: [{ owner, createdAt: { $lt: last.createdAt } }, { owner, createdAt: last.createdAt, id: { $lt: last.id } }] } : { owner }
      const posts = await em.find(Post, where, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: take })
      return posts.map(({ id, title }) => ({ id, title }))
    },
    search: async (words) => (await fork().find(Post, { body: { $like: `%${words}%` } }, { orderBy: { createdAt: 'asc' } })).map(({ id }) => id),
    async remove(id) {
      await fork().nativeUpdate(Post, { id }, { deletedAt: new Date() })
    },
    async share(post, user) {
      await fork().insert(Share, { post, user })
    },
    async react(postId, userId, emoji) {
      const em = fork()
      em.create(Reaction, { emoji, share: [postId, userId] } as never)
      await em.flush()
    },
    async reactions(post) {
      const found = await fork().find(Reaction, { share: { post } }, { populate: ['share.user'] })
      return found.map(({ share, emoji }) => `${share.user.name} ${emoji}`).sort()
    },
    async pin(user, pinned) {
      await fork().nativeUpdate(Profile, { user }, { pinned })
    },
    async pinned(user) {
      const em = fork()
      const profile = await em.findOne(Profile, { user })
      return (await em.find(Post, { id: { $in: profile?.pinned ?? [] } }, { orderBy: { createdAt: 'asc' } })).map(({ title }) => title)
    },
    async deleteUser(id) {
      await fork().nativeDelete(User, { id })
    },
    async counts() {
      const rows = await fork().getConnection().execute<{ name: string; posts: string }[]>('select u.name, count(p.id) as posts from "user" u left join post p on p.owner_id = u.id group by u.id, u.name order by u.name')
      return rows.map(({ name, posts }) => ({ name, posts: Number(posts) }))
    },
  }
}
