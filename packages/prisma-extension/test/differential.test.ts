import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flax, sno } from '@snoflax/core'
import { databases, type OpenDatabase } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { Operations } from './differential/operations.js'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, PROVIDER, type ProjectFiles } from './project/generate.js'
import type { Dmmf } from './shop/argument-paths.js'
import { generatedModule } from './shop/open.js'

// Random calls on two clients: ours over converting columns, and one without extension over text keys. Answers, errors
// and rows have to be the same. SNOFLAX_CASES makes it longer, SNOFLAX_SEED repeats a run.

const CASES = Number(process.env['SNOFLAX_CASES'] ?? 120)
const SEED = Number(process.env['SNOFLAX_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

interface Columns {
  readonly provider: string
  readonly flax: string
  readonly sno: string
  readonly text: string
}
const COLUMNS: Readonly<Record<string, Columns>> = {
  sqlite: { provider: 'sqlite', flax: 'String', sno: 'Bytes', text: 'String' },
  pglite: { provider: 'postgresql', flax: 'String @db.Uuid', sno: 'Bytes', text: 'String' },
  mysql: {
    provider: 'mysql',
    flax: 'Bytes @db.Binary(12)',
    sno: 'Bytes @db.VarBinary(16)',
    text: 'String @db.VarChar(40)',
  },
}

function project({ provider, ...types }: Columns, isPlain: boolean): ProjectFiles {
  const column = (family: 'flax' | 'sno', optional = '') => {
    const [type = '', native = ''] = (isPlain ? types.text : types[family]).split(' ')
    return `${type}${optional} ${native}`
  }
  const key = (family: 'flax' | 'sno') =>
    `${column(family)} @id @default(dbgenerated()) ${isPlain ? '' : `/// @snoflax ${family}`}`
  const ours = `generator snoflax {\n  provider = "${PROVIDER}"\n  output = "../snoflax"\n}\ngenerator dmmf {\n  provider = "dmmf"\n  output = "../dmmf"\n}`
  return {
    'schema/schema.prisma': `
generator client {
  provider = "prisma-client"
  output   = "../client"
}
${isPlain ? '' : ours}
datasource db {
  provider = "${provider}"
}
model Person {
  id     ${key('flax')}
  name   String
  bossId ${column('flax', '?')}
  boss   Person?  @relation("staff", fields: [bossId], references: [id], onDelete: NoAction, onUpdate: NoAction)
  staff  Person[] @relation("staff")
  card   Card?
  posts  Post[]   @relation("written")
  likes  Post[]   @relation("likes")
  member Member[]
}
model Card {
  personId ${column('flax')} @id
  data     Int      @default(0)
  person   Person   @relation(fields: [personId], references: [id])
}
model Post {
  id       ${key('sno')}
  title    String
  score    Int?
  traceId  ${column('flax', '?')} ${isPlain ? '' : '/// @snoflax flax'}
  personId ${column('flax')}
  person   Person   @relation("written", fields: [personId], references: [id])
  liked    Person[] @relation("likes")
}
model Team {
  id      ${key('sno')}
  label   String   @unique @db.VarChar(40)
  members Member[]
}
model Member {
  personId ${column('flax')}
  teamId   ${column('sno')}
  role     String?
  person   Person   @relation(fields: [personId], references: [id], onDelete: Cascade)
  team     Team     @relation(fields: [teamId], references: [id])
  @@id([personId, teamId])
}
`.replaceAll('@db.VarChar(40)\n', provider === 'sqlite' ? '\n' : '@db.VarChar(40)\n'),
  }
}

const RELATIONS = {
  Person: { boss: 'Person', staff: 'Person', card: 'Card', posts: 'Post', likes: 'Post', member: 'Member' },
  Card: { person: 'Person' },
  Post: { person: 'Person', liked: 'Person' },
  Team: { members: 'Member' },
  Member: { person: 'Person', team: 'Team' },
}
const MODELS = Object.keys(RELATIONS)

/** Keys of objects and rows of lists in an order of their own: no query asks for one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

const rowsOf = async (prisma: AnyClient): Promise<unknown> =>
  sorted(await Promise.all(MODELS.map((model) => prisma[model.toLowerCase()].findMany())))

async function outcome(work: () => Promise<unknown>): Promise<{ answer?: unknown; error?: string }> {
  try {
    return { answer: sorted(await work()) }
  } catch (error) {
    const { code, name } = error as { code?: string; name: string }
    return { error: code ?? name }
  }
}

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function open(kind: (typeof databases)[number], isPlain: boolean) {
  const folder = await generateProject(project(COLUMNS[kind.name] as Columns, isPlain))
  const database: OpenDatabase = await kind.open()
  await pushSchema(folder, database)
  const prisma = await clientOf(folder, database)
  const close = async () => {
    await prisma.$disconnect()
    await database.close()
  }
  return { folder, prisma, close }
}

describe.each(databases.filter(({ name }) => name in COLUMNS))('on $name', (kind) => {
  test(`${CASES} calls answer as with text keys, SNOFLAX_SEED=${SEED}`, async () => {
    const ours = await open(kind, false)
    const plain = await open(kind, true)
    const { snoflax, configuration } = await generatedModule(ours.folder)
    const prisma: AnyClient = ours.prisma.$extends(snoflax())
    const dmmf = JSON.parse(readFileSync(join(ours.folder, 'dmmf/dmmf.json'), 'utf8')) as Dmmf
    const at = (day: number) => new Date(Date.UTC(2026, 0, day + 1))
    const days = Array.from({ length: 8 }, (_, day) => at(day))
    const ids = { flax: days.map((day) => flax.generateAt(day)), sno: days.map((day) => sno.generateAt(day)) }
    const people = ids.flax.slice(0, 5).map((id, index) => ({ id, name: 'abc'[index % 3], bossId: null }))
    const posts = ids.sno
      .slice(0, 5)
      .map((id, index) => ({ id, title: 'abc'[index % 3], personId: ids.flax[index % 3] }))
    const teams = ids.sno.slice(0, 4).map((id) => ({ id, label: id }))
    const member = teams.map(({ id }, index) => ({ teamId: id, personId: ids.flax[index] }))
    for (const client of [prisma, plain.prisma]) {
      await client.person.createMany({ data: people })
      await client.post.createMany({ data: posts })
      await client.team.createMany({ data: teams })
      await client.member.createMany({ data: member })
    }
    const operations = new Operations(dmmf, configuration, RELATIONS, ids, randomOf(SEED))
    let answered = 0
    const seen = new Set<string>()
    for (let number = 0; number < CASES; number++) {
      const { model, operation, args } = operations.next()
      const run = (client: AnyClient) => () => client[model.toLowerCase()][operation](structuredClone(args))
      const wanted = await outcome(run(plain.prisma))
      const got = await outcome(run(prisma))
      const call = `call ${number}: ${model}.${operation} ${JSON.stringify(args)}`
      expect({ call, ...got }).toEqual({ call, ...wanted })
      if (wanted.error === undefined) {
        answered++
        seen.add(operation)
      }
      const isRead = /^find|^count|^aggregate|^groupBy/.test(operation)
      if (!isRead)
        expect({ call, rows: await rowsOf(prisma) }).toEqual({ call, rows: await rowsOf(plain.prisma) })
    }
    // Most calls reach the database.
    expect(answered).toBeGreaterThan(CASES / 3)
    console.log(`${kind.name}: ${CASES} calls, ${answered} answered, ${[...seen].sort().join(' ')}`)
    await Promise.all([ours.close(), plain.close()])
  })
})
