import { createId } from '@paralleldrive/cuid2'
import { relations } from 'drizzle-orm'
import { type AnySQLiteColumn, foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

const now = () => Math.floor(Date.now() / 1000)
const createdAt = () => integer('created_at').notNull().$defaultFn(now)
const stamps = { createdAt: createdAt(), deletedAt: integer('deleted_at') }
const key = () => text('id').notNull().primaryKey().$defaultFn(() => createId())

// better-auth
export const users = sqliteTable('user', { id: text('id').notNull().primaryKey().$defaultFn(() => createId()), name: text('name').notNull(), email: text('email').notNull().unique(), image: text('image'), ...stamps })
export const sessions = sqliteTable('session', { id: text('id').primaryKey(), token: text('token').notNull().unique().$defaultFn(() => createId()), expiresAt: integer('expires_at').notNull(), userId: text('userId').notNull().references(() => users.id, { onDelete: 'cascade' }) })
export const accounts = sqliteTable('account', { id: text('id').primaryKey(), accountId: text('accountId').notNull(), providerId: text('providerId').notNull(), userId: text('userId').notNull().references(() => users.id, { onDelete: 'cascade' }) })
export const verifications = sqliteTable('verification', { id: text('id').primaryKey(), identifier: text('identifier').notNull(), value: text('value').notNull() })
export const passkeys = sqliteTable('passkey', { id: text('id').primaryKey(), publicKey: text('public_key').notNull(), userId: text('userId').notNull().references(() => users.id, { onDelete: 'cascade' }) })

// One row for each user, under the user's key.
export const settings = sqliteTable('user_settings', { userId: text('user_id').primaryKey().references(() => users.id, { onDelete: 'cascade' }), bio: text('bio'), pinned: text('pinned').notNull().default('[]') })
export const quotas = sqliteTable('quota', { userId: text('user_id').primaryKey().references(() => settings.userId, { onDelete: 'cascade' }), bytes: integer('bytes').notNull().default(0) })
export const apiKeys = sqliteTable('api_key', { id: key(), name: text('name').notNull(), hash: text('hash').notNull(), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) })

export const folders = sqliteTable('folder', {
  id: text('id').notNull().primaryKey().$defaultFn(() => createId()),
  name: text('name').notNull(),
  userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  parentId: text('parent_id').references((): AnySQLiteColumn => folders.id, { onDelete: 'set null' }),
  coverId: text('cover_id').references((): AnySQLiteColumn => notes.id),
}, (folder) => [index('folder_user').on(folder.userId)])
export const notes = sqliteTable('note', {
  id: text('id').notNull().primaryKey().$defaultFn(() => createId()),
  title: text('title').notNull(),
  body: text('body').notNull().default(''),
  userId: text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  folderId: text('folder_id').references(() => folders.id, { onDelete: 'set null' }),
  ...stamps,
}, (note) => ({ byUser: index('note_user').on(note.userId, note.createdAt) }))
export const noteTexts = sqliteTable('note_text', { noteId: text('note_id').primaryKey().references(() => notes.id, { onDelete: 'cascade' }), words: text('words').notNull() })
export const revisions = sqliteTable('revision', { noteId: text('note_id').notNull().references(() => notes.id, { onDelete: 'cascade' }), number: integer('number').notNull(), body: text('body').notNull(), editorId: text('editor_id').references(() => users.id, { onDelete: 'set null' }) }, (t) => [primaryKey({ columns: [t.noteId, t.number] })])
export const revisionComments = sqliteTable('revision_comment', { id: key(), noteId: text('note_id').notNull(), number: integer('number').notNull(), text: text('text').notNull() }, (t) => [foreignKey({ columns: [t.noteId, t.number], foreignColumns: [revisions.noteId, revisions.number] }).onDelete('cascade')])

export const tags = sqliteTable('tag', { id: text('id').notNull().primaryKey().$defaultFn(() => createId()), name: text('name').notNull(), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) }, (t) => [uniqueIndex('tag_name').on(t.userId, t.name)])
export const noteTags = sqliteTable('note_tag', { noteId: text('note_id').notNull().references(() => notes.id, { onDelete: 'cascade' }), tagId: text('tag_id').notNull().references(() => tags.id, { onDelete: 'cascade' }), by: text('by') }, (t) => [primaryKey({ columns: [t.noteId, t.tagId] })])
export const tagRules = sqliteTable('tag_rule', { id: key(), tagId: text('tag_id').references(() => tags.id, { onDelete: 'cascade' }), matches: text('matches').notNull() })

// A reaction needs a share: a foreign key of two columns.
export const shares = sqliteTable('share', { noteId: text('note_id').notNull().references(() => notes.id, { onDelete: 'cascade' }), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), role: text('role').notNull() }, (t) => [primaryKey({ columns: [t.noteId, t.userId] })])
export const reactions = sqliteTable('reaction', { id: text('id').notNull().primaryKey().$defaultFn(() => createId()), noteId: text('note_id').notNull(), userId: text('user_id').notNull(), emoji: text('emoji').notNull() }, (t) => ({ share: foreignKey({ columns: [t.noteId, t.userId], foreignColumns: [shares.noteId, shares.userId] }).onDelete('cascade') }))
export const comments = sqliteTable('comment', { id: key(), noteId: text('note_id').notNull().references(() => notes.id, { onDelete: 'cascade' }), authorId: text('author_id').references(() => users.id, { onDelete: 'set null' }), replyToId: text('reply_to_id').references((): AnySQLiteColumn => comments.id, { onDelete: 'cascade' }), text: text('text').notNull(), ...stamps })
export const mentions = sqliteTable('mention', { commentId: text('comment_id').notNull().references(() => comments.id, { onDelete: 'cascade' }), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) }, (t) => [primaryKey({ columns: [t.commentId, t.userId] })])
export const likes = sqliteTable('like', { commentId: text('comment_id').notNull(), userId: text('user_id').notNull(), at: integer('at').notNull() }, (t) => [primaryKey({ columns: [t.commentId, t.userId] }), foreignKey({ columns: [t.commentId, t.userId], foreignColumns: [mentions.commentId, mentions.userId] })])

export const assets = sqliteTable('asset', { id: text('id').primaryKey(), noteId: text('note_id').references(() => notes.id, { onDelete: 'cascade' }), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), type: text('type').notNull() })
export const crawls = sqliteTable('crawl', { noteId: text('note_id').primaryKey().references(() => notes.id, { onDelete: 'cascade' }), url: text('url').notNull(), status: text('status') })
export const highlights = sqliteTable('highlight', { id: key(), noteId: text('note_id').notNull().references(() => notes.id, { onDelete: 'cascade' }), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), start: integer('start').notNull() })
export const lists = sqliteTable('list', { id: text('id').notNull().primaryKey().$defaultFn(createId), name: text('name').notNull(), parentId: text('parent_id').references((): AnySQLiteColumn => lists.id, { onDelete: 'set null' }), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) })
export const listNotes = sqliteTable('list_note', { listId: text('list_id').notNull().references(() => lists.id, { onDelete: 'cascade' }), noteId: text('note_id').notNull().references(() => notes.id, { onDelete: 'cascade' }) }, (t) => ({ pk: primaryKey({ columns: [t.listId, t.noteId] }) }))
export const collaborators = sqliteTable('collaborator', { id: key(), listId: text('list_id').notNull().references(() => lists.id, { onDelete: 'cascade' }), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), role: text('role').notNull() })
export const feeds = sqliteTable('feed', { id: key(), url: text('url').notNull(), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), lastId: integer('last_id') })
export const feedEntries = sqliteTable('feed_entry', { id: integer('id').primaryKey(), feedId: text('feed_id').notNull().references(() => feeds.id, { onDelete: 'cascade' }), noteId: text('note_id').references(() => notes.id, { onDelete: 'set null' }) })
export const webhooks = sqliteTable('webhook', { id: key(), url: text('url').notNull(), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) })
export const deliveries = sqliteTable('delivery', { id: key(), webhookId: text('webhook_id').notNull().references(() => webhooks.id, { onDelete: 'cascade' }), attempt: integer('attempt').notNull(), payload: text('payload') })
export const imports = sqliteTable('import', { id: key(), userId: text('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), listId: text('list_id').references(() => lists.id, { onDelete: 'set null' }) })
export const importItems = sqliteTable('import_item', { id: key(), importId: text('import_id').notNull().references(() => imports.id, { onDelete: 'cascade' }), noteId: text('note_id').references(() => notes.id) })
// Anything: the id of a note, a list or a user.
export const events = sqliteTable('event', { id: key(), subject: text('subject').notNull(), subjectId: text('subject_id').notNull(), actorId: text('actor_id').references(() => users.id) })

export const userRelations = relations(users, ({ one, many }) => ({ settings: one(settings, { fields: [users.id], references: [settings.userId] }), notes: many(notes) }))
export const noteRelations = relations(notes, ({ one, many }) => ({ owner: one(users, { fields: [notes.userId], references: [users.id] }), folder: one(folders, { fields: [notes.folderId], references: [folders.id] }), tags: many(noteTags) }))
export const noteTagRelations = relations(noteTags, ({ one }) => ({ note: one(notes, { fields: [noteTags.noteId], references: [notes.id] }), tag: one(tags, { fields: [noteTags.tagId], references: [tags.id] }) }))
