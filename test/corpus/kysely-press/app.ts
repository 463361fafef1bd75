import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { App } from '../app.js'
import type { Database } from './db.js'

const newId = (prefix: string) => `${prefix}_${randomBytes(6).toString('hex')}`

export function open(db: Kysely<Database>): App {
  const alive = (id: string) => db.selectFrom('posts').where('posts.id', '=', id).where('deletedAt', 'is', null)
  return {
    label: (kind, number) => (/^(?:user|post|page)$/.test(kind) ? `${kind}-${number}` : `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`),
    stored: /^usr_[0-9a-f]{12}$/,
    async signUp({ name, ...given }) {
      const user = { id: newId('usr'), ...given, name, email: `${name}@example.com`, planId: 'free' }
      const { id } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow()
      await db.insertInto('profiles').values({ userId: id }).execute()
      return id
    },
    rename: async (userId, name) => (await db.updateTable('users').set({ name }).where('id', '=', userId).executeTakeFirst()).numUpdatedRows > 0n,
    profile: (userId) => db.selectFrom('users').innerJoin('profiles', 'profiles.userId', 'users.id').select(['name', 'bio']).where('users.id', '=', userId).executeTakeFirst(),
    async setBio(userId, bio) {
      await db.insertInto('profiles').values({ userId, bio }).onConflict((on) => on.column('userId').doUpdateSet({ userId, bio })).execute()
    },
    folder: async (folder) => (await db.insertInto('folders').values(folder).returning('id').executeTakeFirstOrThrow()).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const folder: { name: string; parentId: string | null } | undefined = await db.selectFrom('folders').select(['name', 'parentId']).where('id', '=', id).executeTakeFirst()
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ at, tags: names = [], ...given }) {
      return db.transaction().execute(async (work) => {
        const { id } = await work.insertInto('posts').values({ id: newId('post'), ...given, createdAt: at }).returning('id').executeTakeFirstOrThrow()
        await work.insertInto('audit.posts').values([{ postId: id, what: 'created' }]).execute()
        for (const name of names) {
          await work.insertInto('tags').values({ name }).onConflict((on) => on.doNothing()).execute()
          await work.insertInto('postTags').columns(['postId', 'tagId']).expression((eb) => eb.selectFrom('tags').select((one) => [one.val(id).as('postId'), 'tags.id as tagId']).where('name', '=', name)).execute()
        }
        return id
      })
    },
    async read(postId) {
      const post = await alive(postId).innerJoin('users', 'users.id', 'posts.ownerId').leftJoin('folders', 'folders.id', 'posts.folderId').select(['title', 'users.name as owner', 'folders.name as folder']).executeTakeFirst()
      const tags = await db.selectFrom('postTags').innerJoin('tags', 'tags.id', 'tagId').select('name').where('postId', '=', postId).orderBy('name').execute()
      return post && { ...post, tags: tags.map(({ name }) => name) }
    },
    async page(ownerId, take, after) {
      const last = after === undefined ? undefined : await alive(after).selectAll().executeTakeFirst()
      if (after !== undefined && !last) return []
      const all = db.selectFrom('posts').select(['id', 'title']).where('ownerId', '=', ownerId).where('deletedAt', 'is', null)
      const rest = last ? all.where((eb) => eb.or([eb('createdAt', '<', last.createdAt), eb('createdAt', '=', last.createdAt).and('id', '<', last.id)])) : all
      return rest.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(take).execute()
    },
    search: async (words) => (await db.selectFrom('posts').select('id').where('body', 'like', `%${words}%`).where('deletedAt', 'is', null).orderBy('createdAt').execute()).map(({ id }) => id),
    async remove(postId) {
      await db.updateTable('posts').set({ deletedAt: 1 }).where('id', '=', postId).execute()
    },
    async share(postId, userId) {
      await db.insertInto('shares').values({ postId, userId }).execute()
    },
    async react(postId, userId, emoji) {
      await db.insertInto('reactions').values({ postId, userId, emoji }).execute()
    },
    reactions: async (postId) => (await db.selectFrom('reactions').innerJoin('users', 'users.id', 'userId').select(['name', 'emoji']).where('postId', '=', postId).orderBy('name').execute()).map(({ name, emoji }) => `${name} ${emoji}`),
    async pin(userId, postIds) {
      await db.updateTable('profiles').set({ pinned: JSON.stringify(postIds) }).where('userId', '=', userId).execute()
    },
    async pinned(userId) {
      const profile = await db.selectFrom('profiles').select('pinned').where('userId', '=', userId).executeTakeFirst()
      const ids: string[] = JSON.parse(profile?.pinned ?? '[]')
      return ids.length === 0 ? [] : (await db.selectFrom('posts').select('title').where('id', 'in', ids).orderBy('createdAt').execute()).map(({ title }) => title)
    },
    async deleteUser(userId) {
      await db.deleteFrom('users').where('id', '=', userId).execute()
    },
    counts: async () => (await db.selectFrom('users').leftJoin('posts', 'ownerId', 'users.id').select((eb) => ['name', eb.fn.count('posts.id').as('posts')]).groupBy(['users.id', 'name']).orderBy('name').execute()).map(({ name, posts }) => ({ name, posts: Number(posts) })),
  }
}
