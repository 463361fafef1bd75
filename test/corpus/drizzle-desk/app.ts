import { and, asc, count, desc, eq, inArray, isNull, like, lt, or } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { App } from '../app.js'
import * as schema from './schema.js'
import { folders, labels, members, orgs, profiles, reactions, ticketLabels, tickets, users, watchers } from './schema.js'

const ORG = '00000000-0000-4000-8000-0000000000aa'

export function open(db: NodePgDatabase<typeof schema>): App {
  const first = <Row>(rows: Row[]): Row => rows[0] as Row
  const alive = (id: string) => and(eq(tickets.orgId, ORG), eq(tickets.id, id), isNull(tickets.deletedAt))
  return {
    label: (kind, number) => `00000000-0000-4000-8000-${Buffer.from(kind.slice(0, 3)).toString('hex')}${String(number).padStart(6, '0')}`,
    stored: /^[0-9a-f]{8}-[0-9a-f]{4}-4/,
    async signUp({ name, ...given }) {
      await db.insert(orgs).values({ id: ORG, name: 'Acme', slug: 'acme' }).onConflictDoNothing()
      const { id } = first(await db.insert(users).values({ ...given, name, email: `${name}@example.com` }).returning())
      await db.insert(members).values({ orgId: ORG, userId: id })
      await db.insert(profiles).values({ userId: id })
      return id
    },
    rename: async (userId, name) => (await db.update(users).set({ name }).where(eq(users.id, userId)).returning({ id: users.id })).length > 0,
    profile: async (userId) => (await db.select({ name: users.name, bio: profiles.bio }).from(users).innerJoin(profiles, eq(profiles.userId, users.id)).where(eq(users.id, userId))).at(0),
    async setBio(userId, bio) {
      await db.insert(profiles).values({ userId, bio }).onConflictDoUpdate({ target: profiles.userId, set: { bio } })
    },
    folder: async (folder) => first(await db.insert(folders).values({ ...folder, orgId: ORG }).returning()).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const [folder]: (typeof folders.$inferSelect)[] = await db.select().from(folders).where(and(eq(folders.orgId, ORG), eq(folders.id, id)))
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ at, tags: names = [], ...ticket }) {
      const { id } = first(await db.insert(tickets).values({ ...ticket, orgId: ORG, createdAt: at }).returning())
      for (const name of names) {
        await db.insert(labels).values({ orgId: ORG, name }).onConflictDoNothing()
        const [label] = await db.select().from(labels).where(and(eq(labels.orgId, ORG), eq(labels.name, name)))
        await db.insert(ticketLabels).values({ ticketId: id, labelId: label!.id })
      }
      return id
    },
    async read(postId) {
      const ticket = await db.query.tickets.findFirst({ where: alive(postId), with: { owner: true, folder: true, labels: { with: { label: true } } } })
      return ticket && { title: ticket.title, owner: ticket.owner.name, folder: ticket.folder?.name ?? null, tags: ticket.labels.map(({ label }) => label.name).sort() }
    },
    async page(ownerId, take, after) {
      const [last] = after === undefined ? [] : await db.select().from(tickets).where(alive(after))
      if (after !== undefined && !last) return []
      const before = last && or(lt(tickets.createdAt, last.createdAt), and(eq(tickets.createdAt, last.createdAt), lt(tickets.id, last.id)))
      return db.select({ id: tickets.id, title: tickets.title }).from(tickets).where(and(eq(tickets.orgId, ORG), eq(tickets.ownerId, ownerId), isNull(tickets.deletedAt), before)).orderBy(desc(tickets.createdAt), desc(tickets.id)).limit(take)
    },
    search: async (words) => (await db.select({ id: tickets.id }).from(tickets).where(and(like(tickets.body, `%${words}%`), isNull(tickets.deletedAt))).orderBy(asc(tickets.createdAt))).map(({ id }) => id),
    async remove(postId) {
      await db.update(tickets).set({ deletedAt: 1 }).where(alive(postId))
    },
    async share(ticketId, userId) {
      await db.insert(watchers).values({ orgId: ORG, ticketId, userId, role: 'reader' })
    },
    async react(ticketId, userId, emoji) {
      await db.insert(reactions).values({ orgId: ORG, ticketId, userId, emoji })
    },
    reactions: async (postId) => (await db.select({ name: users.name, emoji: reactions.emoji }).from(reactions).innerJoin(users, eq(users.id, reactions.userId)).where(eq(reactions.ticketId, postId)).orderBy(asc(users.name))).map(({ name, emoji }) => `${name} ${emoji}`),
    async pin(userId, postIds) {
      await db.update(profiles).set({ pinned: JSON.stringify(postIds) }).where(eq(profiles.userId, userId))
    },
    async pinned(userId) {
      const [row] = await db.select().from(profiles).where(eq(profiles.userId, userId))
      return (await db.select().from(tickets).where(inArray(tickets.id, JSON.parse(row?.pinned ?? '[]') as string[])).orderBy(asc(tickets.createdAt))).map(({ title }) => title)
    },
    async deleteUser(userId) {
      await db.delete(users).where(eq(users.id, userId))
    },
    counts: () => db.select({ name: users.name, posts: count(tickets.id) }).from(users).leftJoin(tickets, eq(tickets.ownerId, users.id)).groupBy(users.id, users.name).orderBy(asc(users.name)),
  }
}
