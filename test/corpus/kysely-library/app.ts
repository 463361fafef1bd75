import { createId } from '@paralleldrive/cuid2'
import { sql } from 'kysely'
import { nanoid } from 'nanoid'
import type { App } from '../app.js'
import type { connect } from './db.js'

export function open(db: ReturnType<typeof connect>): App {
  const posts = () => db.selectFrom('posts').where('deleted_at', 'is', null)
  const folderBy = (id: string) => db.selectFrom('folders').selectAll().where('id', '=', id).executeTakeFirst()
  return {
    label: (kind, number) => `00000000-0000-4000-8000-${Buffer.from(kind.slice(0, 3)).toString('hex')}${String(number).padStart(6, '0')}`,
    stored: /^[a-z][a-z0-9]{23}$/,
    async signUp(user) {
      const { id } = await db.insertInto('users').values({ id: createId(), email: `${user.name}@example.com`, ...user }).returning('id').executeTakeFirstOrThrow()
      await db.insertInto('profiles').values({ user_id: id }).execute()
      return id
    },
    rename: async (id, name) => (await db.updateTable('users').set({ name }).where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0n,
    profile: (id) => db.selectFrom('users').innerJoin('profiles', 'profiles.user_id', 'users.id').select(['name', 'bio']).where((eb) => eb.or([eb('users.id', '=', id), eb('email', '=', id)])).executeTakeFirst(),
    async setBio(user_id, bio) {
      await db.insertInto('profiles').values({ user_id, bio }).onConflict((on) => on.column('user_id').doUpdateSet({ bio })).execute()
    },
    // Its ids come from other devices, or from PostgreSQL.
    folder: async ({ id, name, ownerId, parentId }) => (await db.insertInto('folders').values({ name, owner_id: ownerId, parent_id: parentId ?? null, ...(id && { id }) }).returning('id').executeTakeFirstOrThrow()).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const folder: Awaited<ReturnType<typeof folderBy>> = await folderBy(id)
        if (folder) names.unshift(folder.name)
        id = folder?.parent_id ?? null
      }
      return names
    },
    async post({ at, tags = [], ownerId, folderId, ...post }) {
      const { id } = await db.insertInto('posts').values({ id: nanoid(), ...post, owner_id: ownerId, folder_id: folderId ?? null, created_at: at }).returning('id').executeTakeFirstOrThrow()
      for (const name of tags) {
        const tag = await db.insertInto('tags').values({ name }).onConflict((on) => on.column('name').doUpdateSet({ name })).returning('id').executeTakeFirstOrThrow()
        await db.insertInto('post_tags').values({ post_id: id, tag_id: tag.id }).execute()
      }
      return id
    },
    async read(id) {
      const found = await posts().innerJoin('users', 'users.id', 'owner_id').leftJoin('folders', 'folders.id', 'folder_id').select(['title', 'users.name as owner', 'folders.name as folder']).where('posts.id', '=', id).executeTakeFirst()
      const tags = await db.selectFrom('tags').innerJoin('post_tags', 'tag_id', 'tags.id').select('name').where('post_id', '=', id).orderBy('name').execute()
      return found && { ...found, tags: tags.map(({ name }) => name) }
    },
    async page(ownerId, take, after) {
      const last = after === undefined ? undefined : await posts().select(['created_at', 'id']).where('id', '=', after).executeTakeFirst()
      if (after !== undefined && !last) return []
      return posts().select(['id', 'title']).where('owner_id', '=', ownerId).$if(last !== undefined, (all) => all.where(sql<boolean>`(created_at, id) < (${last?.created_at}, ${last?.id})`)).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(take).execute()
    },
    search: async (words) => (await posts().select('id').where('body', 'like', `%${words}%`).orderBy('created_at').execute()).map(({ id }) => id),
    async remove(id) {
      await db.updateTable('posts').set({ deleted_at: 1 }).where('id', '=', id).execute()
    },
    async share(post_id, user_id) {
      await db.insertInto('shares').values({ post_id, user_id }).execute()
    },
    async react(post_id, user_id, emoji) {
      await db.insertInto('reactions').values({ post_id, user_id, emoji }).execute()
    },
    reactions: async (postId) => (await db.selectFrom('reactions').innerJoin('users', 'users.id', 'user_id').select(['name', 'emoji']).where('post_id', '=', postId).orderBy('name').execute()).map(({ name, emoji }) => `${name} ${emoji}`),
    async pin(userId, postIds) {
      await db.updateTable('profiles').set({ pinned: JSON.stringify(postIds) }).where('user_id', '=', userId).execute()
    },
    async pinned(userId) {
      const profile = await db.selectFrom('profiles').select('pinned').where('user_id', '=', userId).executeTakeFirst()
      const ids = JSON.parse(profile?.pinned ?? '[]') as string[]
      return ids.length === 0 ? [] : (await posts().select('title').where('id', 'in', ids).orderBy('created_at').execute()).map(({ title }) => title)
    },
    async deleteUser(id) {
      await db.deleteFrom('users').where('id', '=', id).execute()
    },
    counts: async () => (await db.selectFrom('users').leftJoin('posts', 'posts.owner_id', 'users.id').select((eb) => ['name', eb.fn.count<string>('posts.id').as('posts')]).groupBy(['users.id', 'name']).orderBy('name').execute()).map(({ name, posts }) => ({ name, posts: Number(posts) })),
  }
}
