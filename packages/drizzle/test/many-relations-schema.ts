import { flake } from '@snoflax/core'
import { flakeId, flaxId, idColumn, snoId } from '@snoflax/drizzle/pg-core'
import { uid, uidLocal } from '@snoflax/families'
import { relations } from 'drizzle-orm'
import { type AnyPgColumn, foreignKey, integer, pgSchema, primaryKey, text } from 'drizzle-orm/pg-core'

// Twelve tables of a project tracker, in a schema of their own, names by Drizzle's casing. Every family, in storages
// that differ from table to table, and a circle: a team has a lead, who is a person of a team.

export const app = pgSchema('app')

const jobs = flake.generator({ datacenter: 1, worker: 1 })
const uidId = idColumn(uid)
const uidLocalId = idColumn(uidLocal)

export const organisations = app.table('organisations', { id: flaxId().primaryKey(), name: text().notNull() })
export const teams = app.table('teams', {
  id: snoId({ meta: 1 }).primaryKey(),
  organisationId: flaxId
    .ref()
    .notNull()
    .references(() => organisations.id, { onDelete: 'cascade' }),
  leadId: flaxId.ref().references((): AnyPgColumn => people.id),
})
export const people = app.table('people', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  teamId: snoId.ref().references(() => teams.id, { onDelete: 'cascade' }),
  mentorId: flaxId.ref().references((): AnyPgColumn => people.id),
  name: text().notNull(),
})
export const projects = app.table('projects', {
  id: snoId({ meta: 2, storage: 'text' }).primaryKey(),
  organisationId: flaxId
    .ref()
    .notNull()
    .references(() => organisations.id, { onDelete: 'cascade' }),
  name: text().notNull(),
})
export const members = app.table(
  'members',
  {
    projectId: snoId
      .ref()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    personId: flaxId
      .ref()
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    role: text().notNull(),
  },
  (member) => [primaryKey({ columns: [member.projectId, member.personId] })],
)
export const tasks = app.table(
  'tasks',
  {
    id: flakeId({ generator: jobs }).primaryKey(),
    parentId: flakeId.ref().references((): AnyPgColumn => tasks.id),
    projectId: snoId.ref('project_id', { storage: 'text' }).notNull(),
    assigneeId: flaxId.ref('assignee_id', { storage: 'binary' }),
    title: text().notNull(),
  },
  // Only members of a project are given its tasks.
  (task) => [
    foreignKey({
      columns: [task.projectId, task.assigneeId],
      foreignColumns: [members.projectId, members.personId],
    }).onDelete('cascade'),
  ],
)
export const labels = app.table('labels', {
  id: uidLocalId({ generator: uidLocal.generator() }).primaryKey(),
  name: text().notNull(),
})
export const taskLabels = app.table(
  'task_labels',
  {
    taskId: flakeId
      .ref()
      .notNull()
      .references(() => tasks.id, { onDelete: 'cascade' }),
    labelId: uidLocalId
      .ref()
      .notNull()
      .references(() => labels.id),
  },
  (tie) => [primaryKey({ columns: [tie.taskId, tie.labelId] })],
)
export const comments = app.table('comments', {
  id: uidId({ generator: uid.generator({ node: 'app' }), storage: 'binary' }).primaryKey(),
  taskId: flakeId
    .ref()
    .notNull()
    .references(() => tasks.id, { onDelete: 'cascade' }),
  authorId: flaxId.ref().references(() => people.id),
  text: text().notNull(),
})
export const reactions = app.table('reactions', {
  id: flakeId({ generator: jobs, storage: 'binary' }).primaryKey(),
  commentId: uidId
    .ref()
    .notNull()
    .references(() => comments.id, { onDelete: 'cascade' }),
  emoji: text().notNull(),
})
export const files = app.table('files', {
  id: flaxId({ storage: 'uuid8' }).primaryKey(),
  commentId: uidId.ref().references(() => comments.id, { onDelete: 'cascade' }),
  previousId: flaxId.ref().references((): AnyPgColumn => files.id),
})
export const hours = app.table('hours', {
  id: flakeId({ generator: jobs, storage: 'uuid8' }).primaryKey(),
  taskId: flakeId
    .ref()
    .notNull()
    .references(() => tasks.id, { onDelete: 'cascade' }),
  personId: flaxId
    .ref()
    .notNull()
    .references(() => people.id),
  minutes: integer().notNull(),
})

export const organisationRelations = relations(organisations, ({ many }) => ({
  teams: many(teams),
  projects: many(projects),
}))
export const teamRelations = relations(teams, ({ one, many }) => ({
  organisation: one(organisations, { fields: [teams.organisationId], references: [organisations.id] }),
  lead: one(people, { fields: [teams.leadId], references: [people.id], relationName: 'lead' }),
  people: many(people, { relationName: 'team' }),
}))
export const personRelations = relations(people, ({ one, many }) => ({
  team: one(teams, { fields: [people.teamId], references: [teams.id], relationName: 'team' }),
  leads: many(teams, { relationName: 'lead' }),
  mentor: one(people, { fields: [people.mentorId], references: [people.id], relationName: 'mentor' }),
  memberships: many(members),
}))
export const projectRelations = relations(projects, ({ one, many }) => ({
  organisation: one(organisations, { fields: [projects.organisationId], references: [organisations.id] }),
  members: many(members),
  tasks: many(tasks),
}))
export const memberRelations = relations(members, ({ one }) => ({
  project: one(projects, { fields: [members.projectId], references: [projects.id] }),
  person: one(people, { fields: [members.personId], references: [people.id] }),
}))
export const taskRelations = relations(tasks, ({ one, many }) => ({
  project: one(projects, { fields: [tasks.projectId], references: [projects.id] }),
  parent: one(tasks, { fields: [tasks.parentId], references: [tasks.id], relationName: 'tree' }),
  children: many(tasks, { relationName: 'tree' }),
  member: one(members, {
    fields: [tasks.projectId, tasks.assigneeId],
    references: [members.projectId, members.personId],
  }),
  labels: many(taskLabels),
  comments: many(comments),
  hours: many(hours),
}))
export const taskLabelRelations = relations(taskLabels, ({ one }) => ({
  task: one(tasks, { fields: [taskLabels.taskId], references: [tasks.id] }),
  label: one(labels, { fields: [taskLabels.labelId], references: [labels.id] }),
}))
export const commentRelations = relations(comments, ({ one, many }) => ({
  task: one(tasks, { fields: [comments.taskId], references: [tasks.id] }),
  author: one(people, { fields: [comments.authorId], references: [people.id] }),
  reactions: many(reactions),
  files: many(files),
}))
export const reactionRelations = relations(reactions, ({ one }) => ({
  comment: one(comments, { fields: [reactions.commentId], references: [comments.id] }),
}))
export const fileRelations = relations(files, ({ one }) => ({
  comment: one(comments, { fields: [files.commentId], references: [comments.id] }),
  previous: one(files, { fields: [files.previousId], references: [files.id] }),
}))
export const hourRelations = relations(hours, ({ one }) => ({
  task: one(tasks, { fields: [hours.taskId], references: [tasks.id] }),
  person: one(people, { fields: [hours.personId], references: [people.id] }),
}))
