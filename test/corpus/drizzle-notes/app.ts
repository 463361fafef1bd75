import { and, asc, count, desc, eq, inArray, isNull, like, lt, or } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { App } from '../app.js'
import * as schema from './schema.js'
import { folders, notes, noteTags, reactions, settings, shares, tags, users } from './schema.js'

export function open(db: BetterSQLite3Database<typeof schema>): App {
  const first = <Row>(rows: Row[]): Row => rows[0] as Row
  const noteById = async (id: string) => (await db.select().from(notes).where(and(eq(notes.id, id), isNull(notes.deletedAt)))).at(0)
  const ensureSettings = (userId: string) => db.insert(settings).values({ userId }).onConflictDoNothing()
  return {
    label: (kind, number) => `${kind}-${number}`,
    stored: /^[a-z][a-z0-9]{23}$/,
    async signUp({ name, ...given }) {
      const { id } = first(await db.insert(users).values({ ...given, name, email: `${name}@example.com` }).returning())
      await ensureSettings(id)
      return id
    },
    rename: async (userId, name) => (await db.update(users).set({ name }).where(eq(users.id, userId)).returning({ id: users.id })).length > 0,
    profile: async (userId) =>
      (await db.select({ name: users.name, bio: settings.bio }).from(users).innerJoin(settings, eq(settings.userId, users.id)).where(or(eq(users.id, userId), eq(users.email, userId)))).at(0),
    async setBio(userId, bio) {
      await db.insert(settings).values({ userId, bio }).onConflictDoUpdate({ target: settings.userId, set: { bio } })
    },
    folder: async ({ ownerId, ...folder }) => first(await db.insert(folders).values({ ...folder, userId: ownerId }).returning()).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const [folder]: (typeof folders.$inferSelect)[] = await db.select().from(folders).where(eq(folders.id, id))
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ ownerId, at, tags: names = [], ...note }) {
      const { id } = first(await db.insert(notes).values({ ...note, userId: ownerId, createdAt: at }).returning())
      for (const name of names) {
        await db.insert(tags).values({ name, userId: ownerId }).onConflictDoNothing()
        const [tag] = await db.select().from(tags).where(and(eq(tags.name, name), eq(tags.userId, ownerId)))
        await db.insert(noteTags).values({ noteId: id, tagId: tag!.id })
      }
      return id
    },
    async read(postId) {
      const note = await db.query.notes.findFirst({ where: and(eq(notes.id, postId), isNull(notes.deletedAt)), with: { owner: true, folder: true, tags: { with: { tag: true } } } })
      return note && { title: note.title, owner: note.owner.name, folder: note.folder?.name ?? null, tags: note.tags.map(({ tag }) => tag.name).sort() }
    },
    async page(ownerId, take, after) {
      const last = after === undefined ? undefined : await noteById(after)
      if (after !== undefined && !last) return []
      const before = last && or(lt(notes.createdAt, last.createdAt), and(eq(notes.createdAt, last.createdAt), lt(notes.id, last.id)))
      return db.select({ id: notes.id, title: notes.title }).from(notes).where(and(eq(notes.userId, ownerId), isNull(notes.deletedAt), before)).orderBy(desc(notes.createdAt), desc(notes.id)).limit(take)
    },
    search: async (words) => (await db.select({ id: notes.id }).from(notes).where(and(like(notes.body, `%${words}%`), isNull(notes.deletedAt))).orderBy(asc(notes.createdAt))).map(({ id }) => id),
    async remove(postId) {
      await db.update(notes).set({ deletedAt: 1 }).where(eq(notes.id, postId))
    },
    async share(noteId, userId) {
      await db.insert(shares).values({ noteId, userId, role: 'reader' })
    },
    async react(noteId, userId, emoji) {
      await db.insert(reactions).values({ noteId, userId, emoji })
    },
    reactions: async (postId) => (await db.select({ name: users.name, emoji: reactions.emoji }).from(reactions).innerJoin(users, eq(users.id, reactions.userId)).where(eq(reactions.noteId, postId)).orderBy(asc(users.name))).map(({ name, emoji }) => `${name} ${emoji}`),
    async pin(userId, postIds) {
      await db.update(settings).set({ pinned: JSON.stringify(postIds) }).where(eq(settings.userId, userId))
    },
    async pinned(userId) {
      const [row] = await db.select().from(settings).where(eq(settings.userId, userId))
      const ids = JSON.parse(row?.pinned ?? '[]') as string[]
      return (await db.select().from(notes).where(inArray(notes.id, ids)).orderBy(asc(notes.createdAt))).map(({ title }) => title)
    },
    async deleteUser(userId) {
      await db.delete(users).where(eq(users.id, userId))
    },
    counts: () => db.select({ name: users.name, posts: count(notes.id) }).from(users).leftJoin(notes, eq(notes.userId, users.id)).groupBy(users.id, users.name).orderBy(asc(users.name)),
  }
}
