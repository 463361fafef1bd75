import { createId } from '@paralleldrive/cuid2'
import { type AnyMySqlColumn, boolean, foreignKey, int, mysqlTable, primaryKey, text, timestamp, varchar } from 'drizzle-orm/mysql-core'
import { key, to } from './keys.js'

const times = () => ({ createdAt: timestamp('created_at').notNull(), updatedAt: timestamp('updated_at').notNull() })
const owner = () => to('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' })

// better-auth, which passes 32 letters and digits, whatever the default is.
export const users = mysqlTable('user', { id: varchar('id', { length: 36 }).primaryKey().$defaultFn(() => createId()), name: text('name').notNull(), email: varchar('email', { length: 255 }).notNull().unique(), emailVerified: boolean('email_verified').notNull(), image: text('image'), ...times() })
export const sessions = mysqlTable('session', { id: varchar('id', { length: 36 }).primaryKey(), token: varchar('token', { length: 255 }).notNull().unique(), expiresAt: timestamp('expires_at').notNull(), ipAddress: text('ip_address'), userAgent: text('user_agent'), userId: to('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), ...times() })
export const accounts = mysqlTable('account', { id: varchar('id', { length: 36 }).primaryKey(), accountId: varchar('account_id', { length: 255 }).notNull(), providerId: varchar('provider_id', { length: 255 }).notNull(), userId: to('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), accessToken: text('access_token'), refreshToken: text('refresh_token'), idToken: text('id_token'), accessTokenExpiresAt: timestamp('access_token_expires_at'), refreshTokenExpiresAt: timestamp('refresh_token_expires_at'), scope: text('scope'), password: text('password'), ...times() })
export const verifications = mysqlTable('verification', { id: varchar('id', { length: 36 }).primaryKey(), identifier: varchar('identifier', { length: 255 }).notNull(), value: text('value').notNull(), expiresAt: timestamp('expires_at').notNull(), ...times() })

// Keys that are references: a row for each user, and one for each of those.
export const profiles = mysqlTable('profile', { userId: to('user_id').primaryKey().references(() => users.id, { onDelete: 'cascade' }), bio: text('bio'), pinned: text('pinned') })
export const quotas = mysqlTable('quota', { profileId: to('profile_id').primaryKey().references(() => profiles.userId, { onDelete: 'cascade' }), bytes: int('bytes').notNull() })

export const orgs = mysqlTable('org', { id: key('org'), name: text('name').notNull(), ownerId: owner() })
export const members = mysqlTable('member', { id: key('mem'), orgId: to('org_id').notNull().references(() => orgs.id, { onDelete: 'cascade' }), userId: to('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) })

// Its ids come from other devices, or from randomUUID() here.
export const folders = mysqlTable('folder', {
  id: varchar('id', { length: 36 }).primaryKey(),
  name: text('name').notNull(),
  ownerId: owner(),
  orgId: to('org_id').references(() => orgs.id),
  parentId: varchar('parent_id', { length: 36 }).references((): AnyMySqlColumn => folders.id, { onDelete: 'set null' }),
})
export const posts = mysqlTable('post', {
  id: key('post'),
  title: text('title').notNull(),
  body: text('body').notNull(),
  ownerId: owner(),
  folderId: to('folder_id').references(() => folders.id, { onDelete: 'set null' }),
  createdAt: int('created_at').notNull(),
  deletedAt: int('deleted_at'),
})
export const tags = mysqlTable('tag', { id: key('tag'), name: varchar('name', { length: 100 }).notNull().unique() })
export const postTags = mysqlTable('post_tag', { postId: to('post_id').notNull().references(() => posts.id, { onDelete: 'cascade' }), tagId: to('tag_id').notNull().references(() => tags.id, { onDelete: 'cascade' }) }, (t) => [primaryKey({ columns: [t.postId, t.tagId] })])
export const shares = mysqlTable('share', { postId: to('post_id').notNull().references(() => posts.id, { onDelete: 'cascade' }), userId: to('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) }, (t) => [primaryKey({ columns: [t.postId, t.userId] })])
export const reactions = mysqlTable('reaction', { id: key('rct'), postId: to('post_id').notNull(), userId: to('user_id').notNull(), emoji: text('emoji').notNull() }, (t) => [foreignKey({ columns: [t.postId, t.userId], foreignColumns: [shares.postId, shares.userId] }).onDelete('cascade')])
