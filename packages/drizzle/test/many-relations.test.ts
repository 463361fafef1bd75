import { flake, flax, sno } from '@snoflax/core'
import { createdBetween, keyset } from '@snoflax/drizzle/pg-core'
import { uid, uidLocal } from '@snoflax/families'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { and, count, eq, getTableName, inArray, sum } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as schema from './many-relations-schema.js'

const { organisations, teams, people, projects, members, tasks, labels, taskLabels } = schema
const { comments, reactions, files, hours } = schema

let database: PostgresDatabase
let db: NodePgDatabase<typeof schema>
let planted: Awaited<ReturnType<typeof plant>>

/** The row of a single insert. */
const one = <Row>([row]: Row[]): Row => row as Row

async function plant() {
  const organisation = one(await db.insert(organisations).values({ name: 'Acme' }).returning())
  const organisationId = organisation.id
  const team = one(await db.insert(teams).values({ organisationId }).returning())
  const ada = one(await db.insert(people).values({ name: 'Ada', teamId: team.id }).returning())
  const bea = one(
    await db.insert(people).values({ name: 'Bea', teamId: team.id, mentorId: ada.id }).returning(),
  )
  await db.update(teams).set({ leadId: ada.id }).where(eq(teams.id, team.id))
  const project = one(await db.insert(projects).values({ organisationId, name: 'Engine' }).returning())
  const projectId = project.id
  await db.insert(members).values([
    { projectId, personId: ada.id, role: 'owner' },
    { projectId, personId: bea.id, role: 'guest' },
  ])
  const task = one(
    await db.insert(tasks).values({ projectId, assigneeId: bea.id, title: 'Build' }).returning(),
  )
  const part = one(
    await db.insert(tasks).values({ projectId, parentId: task.id, title: 'A part' }).returning(),
  )
  const [urgent, small] = await db
    .insert(labels)
    .values([{ name: 'urgent' }, { name: 'small' }])
    .returning()
  await db
    .insert(taskLabels)
    .values([urgent, small].map((label) => ({ taskId: task.id, labelId: label?.id as never })))
  const comment = one(
    await db.insert(comments).values({ taskId: task.id, authorId: ada.id, text: 'Well' }).returning(),
  )
  const reaction = one(await db.insert(reactions).values({ commentId: comment.id, emoji: '+1' }).returning())
  const file = one(await db.insert(files).values({ commentId: comment.id }).returning())
  const newer = one(await db.insert(files).values({ commentId: comment.id, previousId: file.id }).returning())
  const hour = one(
    await db.insert(hours).values({ taskId: task.id, personId: bea.id, minutes: 45 }).returning(),
  )
  return {
    organisation,
    team,
    ada,
    bea,
    project,
    task,
    part,
    urgent,
    small,
    comment,
    reaction,
    file,
    newer,
    hour,
  }
}

beforeAll(async () => {
  database = await postgres.open()
  const empty = generateDrizzleJson({}, undefined, undefined, 'snake_case')
  const wanted = generateDrizzleJson(schema, undefined, undefined, 'snake_case')
  for (const statement of await generateMigration(empty, wanted)) await database.query(statement)
  db = drizzle(database.pool, { schema, casing: 'snake_case' })
  planted = await plant()
})
afterAll(() => database.close())

test('every foreign key has the type of its target', async () => {
  const keys = await database.query(`
    SELECT conrelid::regclass::text || '.' || a.attname AS key,
           a.atttypid = b.atttypid AND a.attcollation = b.attcollation AS same
      FROM pg_constraint
      CROSS JOIN LATERAL unnest(conkey, confkey) AS k (own, target)
      JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = own
      JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = target
     WHERE contype = 'f'`)
  expect(keys).toHaveLength(19)
  expect(keys.filter(({ same }) => !same)).toEqual([])
})

test('ids are of the family of their column', () => {
  const { organisation, team, task, comment, urgent, hour } = planted
  expect(flax.is(organisation.id)).toBe(true)
  expect(sno.meta(team.id)).toBe(1)
  expect([flake.is(task.id), flake.is(hour.id), uid.is(comment.id), uidLocal.is(urgent?.id)]).toEqual([
    true,
    true,
    true,
    true,
  ])
})

test('everything below an organisation, six levels deep, is read in one query', async () => {
  const found = await db.query.organisations.findFirst({
    where: eq(organisations.id, planted.organisation.id),
    with: {
      teams: {
        with: { lead: { with: { leads: true } }, people: { with: { mentor: { with: { team: true } } } } },
      },
      projects: {
        with: {
          members: { with: { person: true } },
          tasks: {
            with: {
              parent: true,
              children: true,
              member: { with: { person: { columns: { id: true } } } },
              labels: { with: { label: true } },
              hours: { with: { person: true } },
              comments: {
                with: {
                  author: { with: { mentor: true } },
                  reactions: true,
                  files: { with: { previous: true } },
                },
              },
            },
          },
        },
      },
    },
  })
  const { organisation, team, ada, bea, project, task, part } = planted
  const { urgent, small, comment, reaction, file, newer, hour } = planted
  const led = { ...team, leadId: ada.id }
  const [foundTeam] = found?.teams ?? []
  expect(found).toMatchObject(organisation)
  expect(foundTeam).toMatchObject({ ...led, lead: { ...ada, leads: [led] } })
  expect(foundTeam?.people).toEqual(
    expect.arrayContaining([
      { ...ada, mentor: null },
      { ...bea, mentor: { ...ada, team: led } },
    ]),
  )
  const [foundProject] = found?.projects ?? []
  expect(foundProject).toMatchObject(project)
  expect(foundProject?.members.map(({ person }) => person)).toEqual(expect.arrayContaining([ada, bea]))
  const foundTask = foundProject?.tasks.find(({ id }) => id === task.id)
  expect(foundTask).toMatchObject({ ...task, parent: null, children: [part] })
  expect(foundTask?.member).toEqual({
    projectId: project.id,
    personId: bea.id,
    role: 'guest',
    person: { id: bea.id },
  })
  expect(foundTask?.labels.map(({ label }) => label)).toEqual(expect.arrayContaining([urgent, small]))
  expect(foundTask?.hours).toEqual([{ ...hour, person: bea }])
  expect(foundTask?.comments).toMatchObject([
    { ...comment, author: { ...ada, mentor: null }, reactions: [reaction] },
  ])
  expect(foundTask?.comments[0]?.files).toEqual(
    expect.arrayContaining([
      { ...file, previous: null },
      { ...newer, previous: file },
    ]),
  )
  expect(foundProject?.tasks.find(({ id }) => id === part.id)).toMatchObject({ parent: task, member: null })
})

test('seven tables are joined, filtered and grouped by ids', async () => {
  const { organisation, bea, hour } = planted
  const rows = await db
    .select({ organisation: organisations.id, person: people.id, minutes: sum(hours.minutes), rows: count() })
    .from(organisations)
    .innerJoin(projects, eq(projects.organisationId, organisations.id))
    .innerJoin(tasks, eq(tasks.projectId, projects.id))
    .innerJoin(hours, eq(hours.taskId, tasks.id))
    .innerJoin(people, eq(people.id, hours.personId))
    .innerJoin(members, and(eq(members.personId, people.id), eq(members.projectId, projects.id)))
    .innerJoin(teams, eq(teams.id, people.teamId))
    .where(and(inArray(organisations.id, [organisation.id, flax.generate()]), eq(hours.id, hour.id)))
    .groupBy(organisations.id, people.id)
  expect(rows).toEqual([{ organisation: organisation.id, person: bea.id, minutes: '45', rows: 1 }])
})

test('a composite foreign key is enforced', async () => {
  const outsider = one(await db.insert(people).values({ name: 'Eve' }).returning())
  const wrong = db
    .insert(tasks)
    .values({ projectId: planted.project.id, assigneeId: outsider.id, title: 'x' })
  await expect(wrong).rejects.toMatchObject({ cause: { code: '23503' } })
})

test.each([
  ['comments', comments, () => ({ taskId: planted.task.id, text: 'x' })],
  ['hours', hours, () => ({ taskId: planted.task.id, personId: planted.ada.id, minutes: 1 })],
] as const)(
  '1,000 rows of %s are inserted at once, read page by page, and found by time',
  async (_, table, row) => {
    const since = Date.now()
    const rows = Array.from({ length: 1000 }, () => row())
    const inserted = await db
      .insert(table as typeof hours)
      .values(rows as never)
      .returning()
    expect(new Set(inserted.map(({ id }) => id)).size).toBe(1000)
    const walked: string[] = []
    for (let after: string | undefined; ; after = walked.at(-1)) {
      const { where, orderBy } = keyset(table.id, { after: after as never })
      const page = await db
        .select()
        .from(table as typeof hours)
        .where(where)
        .orderBy(orderBy)
        .limit(300)
      walked.push(...page.map(({ id }) => id))
      if (page.length < 300) break
    }
    expect(walked).toHaveLength(1001)
    expect(walked).toEqual(expect.arrayContaining(inserted.map(({ id }) => id)))
    const made = createdBetween(table.id, since - 1000, Date.now() + 1000)
    expect(await db.$count(table, made)).toBeGreaterThanOrEqual(1000)
  },
)

test('rows below a deleted row are deleted by cascade', async () => {
  await db.update(teams).set({ leadId: null })
  await db.update(people).set({ mentorId: null })
  await db.delete(hours)
  await db.update(comments).set({ authorId: null })
  await db.delete(tasks).where(eq(tasks.id, planted.part.id))
  await db.delete(organisations).where(eq(organisations.id, planted.organisation.id))
  for (const table of [teams, projects, members, comments, reactions, files]) {
    expect(await db.$count(table), getTableName(table)).toBe(0)
  }
})
