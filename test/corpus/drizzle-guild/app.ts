import { randomUUID } from 'node:crypto'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { and, asc, count, desc, eq, inArray, isNull, like, lt, or } from 'drizzle-orm'
import type { MySql2Database } from 'drizzle-orm/mysql2'
import type { App } from '../app.js'
import * as schema from './schema.js'
import { accounts, folders, posts, postTags, profiles, reactions, sessions, shares, tags, users, verifications } from './schema.js'

export function open(db: MySql2Database<typeof schema>): App {
  const auth = betterAuth({
    baseURL: 'http://localhost:3000',
    secret: 'a secret of thirty-two characters, or more',
    database: drizzleAdapter(db, { provider: 'mysql', schema: { user: users, session: sessions, account: accounts, verification: verifications } }),
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
  })
  const now = new Date()
  const postById = async (id: string) => (await db.select().from(posts).where(and(eq(posts.id, id), isNull(posts.deletedAt)))).at(0)
  const userById = async (id: string) => (await db.select().from(users).where(or(eq(users.id, id), eq(users.email, id)))).at(0)
  return {
    label: (kind, number) => `${kind}-${number}`,
    stored: /^[A-Za-z0-9]{32}$/,
    async signUp({ id, name }) {
      const email = `${name}@example.com`
      // Users of the guild's first site keep their ids.
      if (id !== undefined) await db.insert(users).values({ id, name, email, emailVerified: true, createdAt: now, updatedAt: now })
      const userId = id ?? (await auth.api.signUpEmail({ body: { name, email, password: 'correct horse battery' } })).user.id
      await db.insert(profiles).values({ userId })
      return userId
    },
    async rename(id, name) {
      if (!(await userById(id))) return false
      await db.update(users).set({ name }).where(eq(users.id, id))
      return true
    },
    async profile(id) {
      const user = await userById(id)
      const [profile] = user ? await db.select().from(profiles).where(eq(profiles.userId, user.id)) : []
      return user && { name: user.name, bio: profile?.bio ?? null }
    },
    async setBio(userId, bio) {
      await db.insert(profiles).values({ userId, bio }).onDuplicateKeyUpdate({ set: { bio } })
    },
    async folder(folder) {
      const row = { ...folder, id: folder.id ?? randomUUID() }
      await db.insert(folders).values(row)
      return row.id
    },
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const [folder]: (typeof folders.$inferSelect)[] = await db.select().from(folders).where(eq(folders.id, id))
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ at, tags: names = [], body = '', ...post }) {
      const [made] = await db.insert(posts).values({ ...post, body, createdAt: at }).$returningId()
      for (const name of names) {
        const [found] = await db.select().from(tags).where(eq(tags.name, name))
        const [tag] = found ? [found] : await db.insert(tags).values({ name }).$returningId()
        await db.insert(postTags).values({ postId: made!.id, tagId: tag!.id })
      }
      return made!.id
    },
    async read(postId) {
      const [found] = await db.select({ title: posts.title, owner: users.name, folder: folders.name }).from(posts).innerJoin(users, eq(users.id, posts.ownerId)).leftJoin(folders, eq(folders.id, posts.folderId)).where(and(eq(posts.id, postId), isNull(posts.deletedAt)))
      const names = await db.select({ name: tags.name }).from(postTags).innerJoin(tags, eq(tags.id, postTags.tagId)).where(eq(postTags.postId, postId))
      return found && { ...found, tags: names.map(({ name }) => name).sort() }
    },
    async page(ownerId, take, after) {
      const last = after === undefined ? undefined : await postById(after)
      if (after !== undefined && !last) return []
      const before = last && or(lt(posts.createdAt, last.createdAt), and(eq(posts.createdAt, last.createdAt), lt(posts.id, last.id)))
      return db.select({ id: posts.id, title: posts.title }).from(posts).where(and(eq(posts.ownerId, ownerId), isNull(posts.deletedAt), before)).orderBy(desc(posts.createdAt), desc(posts.id)).limit(take)
    },
    search: async (words) => (await db.select({ id: posts.id }).from(posts).where(and(like(posts.body, `%${words}%`), isNull(posts.deletedAt))).orderBy(asc(posts.createdAt))).map(({ id }) => id),
    async remove(postId) {
      await db.update(posts).set({ deletedAt: 1 }).where(eq(posts.id, postId))
    },
    async share(postId, userId) {
      await db.insert(shares).values({ postId, userId })
    },
    async react(postId, userId, emoji) {
      await db.insert(reactions).values({ postId, userId, emoji })
    },
    reactions: async (postId) => (await db.select({ name: users.name, emoji: reactions.emoji }).from(reactions).innerJoin(users, eq(users.id, reactions.userId)).where(eq(reactions.postId, postId)).orderBy(asc(users.name))).map(({ name, emoji }) => `${name} ${emoji}`),
    async pin(userId, postIds) {
      await db.update(profiles).set({ pinned: JSON.stringify(postIds) }).where(eq(profiles.userId, userId))
    },
    async pinned(userId) {
      const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId))
      const ids = JSON.parse(profile?.pinned ?? '[]') as string[]
      return (await db.select().from(posts).where(inArray(posts.id, ids)).orderBy(asc(posts.createdAt))).map(({ title }) => title)
    },
    async deleteUser(userId) {
      await db.delete(users).where(eq(users.id, userId))
    },
    counts: () => db.select({ name: users.name, posts: count(posts.id) }).from(users).leftJoin(posts, eq(posts.ownerId, users.id)).groupBy(users.id, users.name).orderBy(asc(users.name)),
  }
}
