import { type DataSource, In, LessThan, Like } from 'typeorm'
import type { App } from '../app.js'
import { Folder, Essay, Profile, Reaction, Share, Tag, User } from './entities.js'

export function open(db: DataSource): App {
  const [users, essays, profiles] = [db.getRepository(User), db.getRepository(Essay), db.getRepository(Profile)]
  return {
    label: (kind, number) => `00000000-0000-4000-8000-${Buffer.from(kind.slice(0, 3)).toString('hex')}${String(number).padStart(6, '0')}`,
    stored: /^[0-9a-f]{8}-[0-9a-f]{4}-4/,
    async signUp({ name, ...given }) {
      const { id } = await users.save(users.create({ ...given, name, email: `${name}@example.com` }))
      await profiles.save({ userId: id })
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
    folder: async (folder) => (await db.getRepository(Folder).save(db.getRepository(Folder).create(folder))).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const folder: Folder | null = await db.getRepository(Folder).findOneBy({ id })
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ at, tags: names = [], ...essay }) {
      const tags = await Promise.all(names.map(async (name) => (await db.getRepository(Tag).findOneBy({ name })) ?? db.getRepository(Tag).create({ name })))
      await db.getRepository(Tag).save(tags)
      return (await essays.save(essays.create({ ...essay, createdAt: at, tags }))).id
    },
    async read(id) {
      const essay = await essays.findOne({ where: { id }, relations: { owner: true, folder: true, tags: true } })
      return essay ? { title: essay.title, owner: essay.owner.name, folder: essay.folder?.name ?? null, tags: essay.tags.map(({ name }) => name).sort() } : undefined
    },
    async page(ownerId, take, after) {
      const last = after === undefined ? null : await essays.findOneBy({ id: after })
      if (after !== undefined && !last) return []
      const where = last ? [{ ownerId, createdAt: LessThan(last.createdAt) }, { ownerId, createdAt: last.createdAt, id: LessThan(last.id) }] : { ownerId }
      return essays.find({ select: { id: true, title: true }, where, order: { createdAt: 'DESC', id: 'DESC' }, take })
    },
    search: async (words) => (await essays.find({ where: { body: Like(`%${words}%`) }, order: { createdAt: 'ASC' } })).map(({ id }) => id),
    async remove(id) {
      await essays.softDelete(id)
    },
    async share(essayId, userId) {
      await db.getRepository(Share).insert({ essayId, userId })
    },
    async react(essayId, userId, emoji) {
      await db.getRepository(Reaction).save(db.getRepository(Reaction).create({ essayId, userId, emoji }))
    },
    reactions: async (essayId) => (await db.getRepository(Reaction).find({ where: { essayId }, relations: { share: { user: true } }, order: { share: { user: { name: 'ASC' } } } })).map(({ share, emoji }) => `${share.user.name} ${emoji}`),
    async pin(userId, pinned) {
      await profiles.update({ userId }, { pinned })
    },
    async pinned(userId) {
      const profile = await profiles.findOneBy({ userId })
      return (await essays.find({ where: { id: In(profile?.pinned ?? []) }, order: { createdAt: 'ASC' } })).map(({ title }) => title)
    },
    async deleteUser(id) {
      await users.delete(id)
    },
    counts: async () => (await users.createQueryBuilder('u').leftJoin(Essay, 'p', 'p.ownerId = u.id').select('u.name', 'name').addSelect('COUNT(p.id)', 'posts').groupBy('u.id').addGroupBy('u.name').orderBy('u.name').getRawMany<{ name: string; posts: string }>()).map(({ name, posts }) => ({ name, posts: Number(posts) })),
  }
}
