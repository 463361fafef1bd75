import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flax, sno } from '@snoflax/core'
import { databases, type OpenDatabase } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { Operations } from './differential/operations.js'
import { SHAPES } from './differential/shapes.js'
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
  sqlite: { provider: 'sqlite', flax: 'Bytes', sno: 'Bytes', text: 'String' },
  pglite: { provider: 'postgresql', flax: 'String @db.Uuid', sno: 'Bytes', text: 'String' },
  mysql: {
    provider: 'mysql',
    flax: 'Bytes @db.Binary(12)',
    sno: 'Bytes @db.VarBinary(16)',
    text: 'String @db.VarChar(40)',
  },
}

function project(shape: string, { provider, ...types }: Columns, isPlain: boolean): ProjectFiles {
  const column = (family: string, optional = '') => {
    const [type = '', native = ''] = (isPlain ? types.text : types[family as 'flax' | 'sno']).split(' ')
    return `${type}${optional} ${native}`
  }
  const comment = (family: string) => (isPlain ? '' : `/// @snoflax ${family}`)
  const made = (family: string, id: string) =>
    `${column(family)} ${id} @default(dbgenerated()) ${comment(family)}`
  const models = shape
    .replaceAll(/KEY\((\w+)\)/g, (_, family) => made(family, '@id'))
    .replaceAll(/KEYPART\((\w+)\)/g, (_, family) => made(family, ''))
    .replaceAll(/REF(\??)\((\w+)\)/g, (_, optional, family) => column(family, optional))
    .replaceAll(
      /HELD(\??)\((\w+)\)/g,
      (_, optional, family) => `${column(family, optional)} ${comment(family)}`,
    )
    .replaceAll(' TEXT', provider === 'mysql' ? ' @db.VarChar(40)' : '')
  const ours = `generator snoflax {\n  provider = "${PROVIDER}"\n  output = "../snoflax"\n}`
  return {
    'schema/schema.prisma': `
generator client {
  provider = "prisma-client"
  output   = "../client"
}
generator dmmf {
  provider = "dmmf"
  output   = "../dmmf"
}
${isPlain ? '' : ours}
datasource db {
  provider = "${provider}"
}
${models}
`,
  }
}

/** Keys of objects and rows of lists in an order of their own: no query asks for one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

const rowsOf = async (prisma: AnyClient, models: readonly string[]): Promise<unknown> =>
  sorted(await Promise.all(models.map((model) => prisma[model.toLowerCase()].findMany())))

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

async function open(shape: string, kind: (typeof databases)[number], isPlain: boolean) {
  const folder = await generateProject(project(shape, COLUMNS[kind.name] as Columns, isPlain))
  const database: OpenDatabase = await kind.open()
  await pushSchema(folder, database)
  const prisma = await clientOf(folder, database)
  const close = async () => {
    await prisma.$disconnect()
    await database.close()
  }
  return { folder, prisma, close }
}

describe.each(Object.entries(SHAPES))('%s', (_, shape) => {
  test.each(databases.filter(({ name }) => name in COLUMNS))(
    `on $name, ${CASES} calls answer as with text keys, SNOFLAX_SEED=${SEED}`,
    async (kind) => {
      const ours = await open(shape, kind, false)
      const plain = await open(shape, kind, true)
      const { snoflax, configuration } = await generatedModule(ours.folder)
      const prisma: AnyClient = ours.prisma.$extends(snoflax())
      const dmmf = JSON.parse(readFileSync(join(ours.folder, 'dmmf/dmmf.json'), 'utf8')) as Dmmf
      const models = dmmf.datamodel.models.map(({ name }) => name)
      const days = Array.from({ length: 6 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)))
      const ids = {
        flax: days.map((day) => flax.generateAt(day)),
        sno: days.map((day) => sno.generateAt(day)),
      }
      const operations = new Operations(dmmf, configuration, ids, randomOf(SEED))
      let answered = 0
      for (let number = 0; number < CASES; number++) {
        const { model, operation, args } = number < CASES / 4 ? operations.next('create') : operations.next()
        const run = (client: AnyClient) => () => client[model.toLowerCase()][operation](structuredClone(args))
        const wanted = await outcome(run(plain.prisma))
        const got = await outcome(run(prisma))
        const call = `call ${number}: ${model}.${operation} ${JSON.stringify(args)}`
        expect({ call, ...got }).toEqual({ call, ...wanted })
        if (wanted.error === undefined) answered++
        if (/^find|^count|^aggregate|^groupBy/.test(operation)) continue
        const rows = await rowsOf(plain.prisma, models)
        expect({ call, rows: await rowsOf(prisma, models) }).toEqual({ call, rows })
      }
      // Enough of the calls are valid.
      expect(answered).toBeGreaterThan(CASES / 5)
      await Promise.all([ours.close(), plain.close()])
    },
  )
})
