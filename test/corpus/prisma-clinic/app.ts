import type { App } from '../app.js'
import type { PrismaClient } from './client/client.js'

/** The client's delegates, which an extended client has, too. */
type Db = Pick<PrismaClient, 'user' | 'profile' | 'folder' | 'note' | 'share' | 'reaction' | '$transaction'>

export function open(db: Db): App {
  return {
    label: (kind, number) => `${kind}-${number}`,
    stored: /^c[a-z0-9]{24}$/,
    signUp: async ({ name, ...given }) => (await db.user.create({ data: { ...given, name, email: `${name}@example.com`, profile: { create: {} } } })).id,
    rename: async (id, name) => (await db.user.updateMany({ where: { id }, data: { name } })).count > 0,
    async profile(id) {
      const user = await db.user.findFirst({ where: { OR: [{ id }, { email: id }] }, include: { profile: true } })
      return user ? { name: user.name, bio: user.profile?.bio ?? null } : undefined
    },
    async setBio(userId, bio) {
      await db.profile.upsert({ where: { userId }, create: { userId, bio }, update: { bio } })
    },
    folder: async (data) => (await db.folder.create({ data })).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const folder: { name: string; parentId: string | null } | null = await db.folder.findUnique({ where: { id } })
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    post: async ({ at, tags = [], ...note }) => (await db.note.create({ data: { ...note, createdAt: at, tags: { connectOrCreate: tags.map((name) => ({ where: { name }, create: { name } })) } } })).id,
    async read(id) {
      const note = await db.note.findFirst({ where: { id, deletedAt: null }, include: { owner: true, folder: true, tags: { orderBy: { name: 'asc' } } } })
      return note ? { title: note.title, owner: note.owner.name, folder: note.folder?.name ?? null, tags: note.tags.map(({ name }) => name) } : undefined
    },
    async page(ownerId, take, after) {
      if (after !== undefined && !(await db.note.findUnique({ where: { id: after } }))) return []
      return db.note.findMany({ where: { ownerId, deletedAt: null }, select: { id: true, title: true }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take, ...(after !== undefined && { cursor: { id: after }, skip: 1 }) })
    },
    search: async (words) => (await db.note.findMany({ where: { body: { contains: words }, deletedAt: null }, orderBy: { createdAt: 'asc' } })).map(({ id }) => id),
    async remove(id) {
      await db.note.updateMany({ where: { id }, data: { deletedAt: 1 } })
    },
    async share(noteId, userId) {
      await db.share.create({ data: { noteId, userId, role: 'reader' } })
    },
    async react(noteId, userId, emoji) {
      await db.reaction.create({ data: { emoji, share: { connect: { noteId_userId: { noteId, userId } } } } })
    },
    reactions: async (noteId) => (await db.reaction.findMany({ where: { noteId }, include: { share: { include: { user: true } } }, orderBy: { share: { user: { name: 'asc' } } } })).map(({ share, emoji }) => `${share.user.name} ${emoji}`),
    async pin(userId, postIds) {
      await db.profile.update({ where: { userId }, data: { pinned: JSON.stringify(postIds) } })
    },
    async pinned(userId) {
      const profile = await db.profile.findUnique({ where: { userId } })
      const ids = JSON.parse(profile?.pinned ?? '[]') as string[]
      return (await db.note.findMany({ where: { id: { in: ids } }, orderBy: { createdAt: 'asc' } })).map(({ title }) => title)
    },
    async deleteUser(id) {
      await db.user.delete({ where: { id } })
    },
    counts: async () => (await db.user.findMany({ include: { _count: { select: { notes: true } } }, orderBy: { name: 'asc' } })).map(({ name, _count }) => ({ name, posts: _count.notes })),
  }
}
