import { randomUUID } from 'node:crypto'
import { relations, sql } from 'drizzle-orm'
import * as d from 'drizzle-orm/pg-core'
import { customAlphabet, nanoid } from 'nanoid'

const short = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 10)
export const newPublicId = () => `tkt_${nanoid(12)}`
const base = { id: d.uuid('id').primaryKey().defaultRandom(), createdAt: d.integer('created_at').notNull().default(0), deletedAt: d.integer('deleted_at') }
const table = d.pgTableCreator((name) => `desk_${name}`)
// Every row belongs to a tenant.
const tenant = () => d.uuid('org_id').notNull().references(() => orgs.id, { onDelete: 'cascade' })

export const orgs = table('org', { ...base, name: d.text('name').notNull(), slug: d.text('slug').notNull().unique() })
export const users = table('user', { ...base, name: d.text('name').notNull(), email: d.text('email').notNull().unique() })
export const members = table('member', { orgId: tenant(), userId: d.uuid('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), role: d.text('role').notNull().default('agent') }, (t) => [d.primaryKey({ columns: [t.orgId, t.userId] })])
export const invitations = table('invitation', { ...base, orgId: tenant(), email: d.text('email').notNull(), token: d.text('token').notNull().$defaultFn(() => nanoid(32)), inviterId: d.uuid('inviter_id').references(() => users.id, { onDelete: 'set null' }) })
export const profiles = table('profile', { userId: d.uuid('user_id').primaryKey().references(() => users.id, { onDelete: 'cascade' }), bio: d.text('bio'), pinned: d.text('pinned').notNull().default('[]') })
export const sessions = table('session', { id: d.text('id').primaryKey().$defaultFn(() => nanoid()), userId: d.uuid('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), impersonatorId: d.uuid('impersonator_id').references(() => users.id) })
export const devices = table('device', { sessionId: d.text('session_id').primaryKey().references(() => sessions.id, { onDelete: 'cascade' }), agent: d.text('agent') })

// Keys of two columns: the tenant's, and their own.
export const folders = table('folder', { orgId: tenant(), id: d.uuid('id').notNull().defaultRandom(), name: d.text('name').notNull(), ownerId: d.uuid('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }), parentId: d.uuid('parent_id') }, (t) => [d.primaryKey({ columns: [t.orgId, t.id] }), d.foreignKey({ columns: [t.orgId, t.parentId], foreignColumns: [t.orgId, t.id] })])
export const tickets = table('ticket', { orgId: tenant(), id: d.uuid('id').notNull().$defaultFn(() => randomUUID()), title: d.text('title').notNull(), body: d.text('body').notNull().default(''), ownerId: d.uuid('owner_id').notNull().references(() => users.id, { onDelete: 'cascade' }), folderId: d.uuid('folder_id'), createdAt: d.integer('created_at').notNull(), deletedAt: d.integer('deleted_at') }, (t) => [d.primaryKey({ columns: [t.orgId, t.id] }), d.foreignKey({ columns: [t.orgId, t.folderId], foreignColumns: [folders.orgId, folders.id] }), d.unique('ticket_alone').on(t.id)])
export const ticketLinks = table('ticket_link', { id: d.text('id').primaryKey().$defaultFn(newPublicId), orgId: tenant(), ticketId: d.uuid('ticket_id').notNull() }, (t) => [d.foreignKey({ columns: [t.orgId, t.ticketId], foreignColumns: [tickets.orgId, tickets.id] }).onDelete('cascade')])
export const linkVisits = table('link_visit', { id: d.serial('id').primaryKey(), linkId: d.text('link_id').notNull().references(() => ticketLinks.id, { onDelete: 'cascade' }), at: d.integer('at') })
export const watchers = table('watcher', { orgId: tenant(), ticketId: d.uuid('ticket_id').notNull(), userId: d.uuid('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }), role: d.text('role').notNull() }, (t) => [d.primaryKey({ columns: [t.orgId, t.ticketId, t.userId] }), d.foreignKey({ columns: [t.orgId, t.ticketId], foreignColumns: [tickets.orgId, tickets.id] }).onDelete('cascade')])
export const reactions = table('reaction', { ...base, orgId: tenant(), ticketId: d.uuid('ticket_id').notNull(), userId: d.uuid('user_id').notNull(), emoji: d.text('emoji').notNull() }, (t) => [d.foreignKey({ columns: [t.orgId, t.ticketId, t.userId], foreignColumns: [watchers.orgId, watchers.ticketId, watchers.userId] }).onDelete('cascade')])
export const replies = table('reply', { ...base, orgId: tenant(), ticketId: d.uuid('ticket_id').notNull(), authorId: d.uuid('author_id').references(() => users.id, { onDelete: 'set null' }), parentId: d.uuid('parent_id').references((): d.AnyPgColumn => replies.id), text: d.text('text').notNull() }, (t) => [d.foreignKey({ columns: [t.orgId, t.ticketId], foreignColumns: [tickets.orgId, tickets.id] }).onDelete('cascade')])
export const attachments = table('attachment', { ...base, replyId: d.uuid('reply_id').notNull().references(() => replies.id, { onDelete: 'cascade' }), name: d.text('name').notNull() })
export const labels = table('label', { ...base, orgId: tenant(), name: d.text('name').notNull() }, (t) => [d.unique('label_name').on(t.orgId, t.name)])
export const ticketLabels = table('ticket_label', { ticketId: d.uuid('ticket_id').notNull().references(() => tickets.id, { onDelete: 'cascade' }), labelId: d.uuid('label_id').notNull().references(() => labels.id, { onDelete: 'cascade' }) }, (t) => [d.primaryKey({ columns: [t.ticketId, t.labelId] })])

export const teams = table('team', { ...base, orgId: tenant(), name: d.text('name').notNull(), leadId: d.uuid('lead_id').references(() => users.id), parentId: d.uuid('parent_id').references((): d.AnyPgColumn => teams.id) })
export const teamMembers = table('team_member', { teamId: d.uuid('team_id').notNull().references(() => teams.id, { onDelete: 'cascade' }), userId: d.uuid('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }) }, (t) => [d.primaryKey({ columns: [t.teamId, t.userId] })])
export const shifts = table('shift', { id: d.text('id').primaryKey().$defaultFn(() => short()), teamId: d.uuid('team_id').notNull(), userId: d.uuid('user_id').notNull(), from: d.integer('from') }, (t) => [d.foreignKey({ columns: [t.teamId, t.userId], foreignColumns: [teamMembers.teamId, teamMembers.userId] })])
export const swaps = table('swap', { id: d.text('id').primaryKey().$defaultFn(() => short()), shiftId: d.text('shift_id').notNull().references(() => shifts.id), forShiftId: d.text('for_shift_id').references(() => shifts.id) })
export const channels = table('channel', { ...base, orgId: tenant(), kind: d.text('kind').notNull() })
export const inboxes = table('inbox', { channelId: d.uuid('channel_id').primaryKey().references(() => channels.id, { onDelete: 'cascade' }), address: d.text('address').notNull() })
export const contacts = table('contact', { ...base, orgId: tenant(), email: d.text('email').notNull(), companyId: d.uuid('company_id').references(() => companies.id) })
export const companies = table('company', { ...base, orgId: tenant(), name: d.text('name').notNull() })
export const plans = table('plan', { id: d.text('id').primaryKey(), price: d.integer('price').notNull() })
export const subscriptions = table('subscription', { orgId: d.uuid('org_id').primaryKey().references(() => orgs.id, { onDelete: 'cascade' }), planId: d.text('plan_id').notNull().references(() => plans.id) })
export const invoices = table('invoice', { id: d.text('id').primaryKey().$defaultFn(() => `inv_${nanoid(12)}`), orgId: d.uuid('org_id').notNull().references(() => subscriptions.orgId), number: d.integer('number').notNull() })
export const invoiceLines = table('invoice_line', { ...base, invoiceId: d.text('invoice_id').notNull().references(() => invoices.id, { onDelete: 'cascade' }), text: d.text('text') })
export const audits = table('audit', { id: d.serial('id').primaryKey(), orgId: d.uuid('org_id'), actorId: d.uuid('actor_id'), targetId: d.text('target_id').notNull() })
export const macros = table('macro', { ...base, orgId: tenant(), authorId: d.uuid('author_id').references(() => users.id), steps: d.text('steps').notNull().default(sql`'[]'`) })
export const ratings = table('rating', { ...base, ticketId: d.uuid('ticket_id').notNull().unique().references(() => tickets.id, { onDelete: 'cascade' }), stars: d.integer('stars').notNull() })
export const exports = table('export', { ...base, orgId: tenant(), requestedBy: d.uuid('requested_by').references(() => users.id) })

export const ticketRelations = relations(tickets, ({ one, many }) => ({ owner: one(users, { fields: [tickets.ownerId], references: [users.id] }), folder: one(folders, { fields: [tickets.orgId, tickets.folderId], references: [folders.orgId, folders.id] }), labels: many(ticketLabels) }))
export const labelRelations = relations(ticketLabels, ({ one }) => ({ ticket: one(tickets, { fields: [ticketLabels.ticketId], references: [tickets.id] }), label: one(labels, { fields: [ticketLabels.labelId], references: [labels.id] }) }))
export const auditRelations = relations(audits, ({ one }) => ({ actor: one(users, { fields: [audits.actorId], references: [users.id] }) }))
