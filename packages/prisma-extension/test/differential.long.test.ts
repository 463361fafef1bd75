import { flake, flax, sno, uuid7 } from '@snoflax/core'
import { databases, type OpenDatabase, randomFrom } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { delegate, dmmfOf, outcome, run, sorted } from './differential/calls.js'
import { type Call, Operations } from './differential/operations.js'
import { COLUMNS, SHAPES, shapeProject, viewsOfShape } from './differential/shapes.js'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject } from './project/generate.js'
import { generatedModule } from './shop/open.js'

// Random calls on two clients: ours over converting columns, and one without extension over text keys. Answers, errors
// and rows have to be the same. SNOFLAX_CASES makes it longer and takes all shapes, SNOFLAX_SEED repeats a run.

const IS_WHOLE = process.env['SNOFLAX_CASES'] !== undefined
const CASES = Number(process.env['SNOFLAX_CASES'] ?? 80)
const SEED = Number(process.env['SNOFLAX_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** The shapes that every run drives: all kinds of relations, with each storage; fields and relations called `data`, capitals, composite keys. */
const DRIVEN = ['relations', 'signing']

const rowsOf = async (prisma: AnyClient, models: readonly string[]): Promise<unknown> =>
  sorted(await Promise.all(models.map((model) => delegate(prisma, model).findMany())))

/** Has text compare as ids do, and not as words of the server's language. */
async function compareBytes(database: OpenDatabase): Promise<void> {
  const columns = await database.query(
    "SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'text'",
  )
  for (const { t, c } of columns)
    await database.query(`ALTER TABLE "${t}" ALTER COLUMN "${c}" TYPE text COLLATE "C"`)
}

async function open(shape: string, { kind, columns }: Driven, isPlain: boolean) {
  const folder = await generateProject(shapeProject(shape, { columns, isPlain }))
  const database: OpenDatabase = await kind.open()
  await pushSchema(folder, database)
  if (kind.name === 'postgres') await compareBytes(database)
  for (const view of viewsOfShape(shape, columns)) await database.query(view)
  const prisma = await clientOf(folder, database)
  const close = async () => {
    await prisma.$disconnect()
    await database.close()
  }
  return { folder, prisma, close }
}

const told = (call: Call): string =>
  JSON.stringify(call, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

const flakes = flake.generator({
  datacenter: 1,
  worker: 1,
  counterMask: 2047,
  backfill: { sequenceMin: 2048, sequenceMax: 4095 },
})

const driven = databases.flatMap((kind) =>
  (COLUMNS[kind.name] ?? []).map((columns, index) => {
    return {
      kind,
      columns,
      isFirst: index === 0,
      name: kind.name,
      key: `${columns.accepts ? 'accepting' : ''} ${columns.flax}`.trim(),
    }
  }),
)
type Driven = (typeof driven)[number]

const shapes = Object.entries(SHAPES).filter(([name]) => IS_WHOLE || DRIVEN.includes(name))

describe.each(shapes)('%s', (shapeName, shape) => {
  test.each(driven.filter(({ isFirst }) => isFirst || IS_WHOLE || shapeName === DRIVEN[0]))(
    `on $name with $key, ${CASES} calls return the same as with text keys, SNOFLAX_SEED=${SEED}`,
    async (one) => {
      const ours = await open(shape, one, false)
      const plain = await open(shape, one, true)
      const { snoflax, configuration } = await generatedModule(ours.folder)
      const prisma: AnyClient = ours.prisma.$extends(
        snoflax(one.columns.family === 'flake' ? { generators: { flake: flakes } } : {}),
      )
      const dmmf = await dmmfOf(ours.folder)
      const models = dmmf.datamodel.models.map(({ name }) => name)
      const days = Array.from({ length: 6 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)))
      const { accepts } = one.columns
      const idsOf = (family: typeof flax | typeof sno) =>
        days.map((day, number) => (accepts ? `row ${number}` : family.generateAt(day)))
      const ids = {
        [flax.name]: idsOf(flax),
        [sno.name]: idsOf(sno),
        flake: days.map((day) => flakes.generateAt(day)),
        uuid7: days.map((day) => uuid7.generateAt(day)),
      }
      const random = randomFrom(SEED)
      const fraction = () => random(2 ** 32) / 2 ** 32
      const operations = new Operations(dmmf, configuration, { ids, days }, fraction)
      for (const call of operations.rows()) {
        await run(plain.prisma, call)
        await run(prisma, call)
      }
      let answered = 0
      for (let number = 0; number < CASES; number++) {
        const next = number < CASES / 8 ? operations.next('create') : operations.next()
        const wanted = await outcome(() => run(plain.prisma, next))
        const got = await outcome(() => run(prisma, next))
        const call = `call ${number}: ${told(next)}`
        expect({ call, ...got }).toEqual({ call, ...wanted })
        if (wanted.error === undefined) answered++
        if (/^find|^count|^aggregate|^groupBy/.test(next.operation)) continue
        const rows = await rowsOf(plain.prisma, models)
        expect({ call, rows: await rowsOf(prisma, models) }).toEqual({ call, rows })
      }
      // Enough of the calls are valid.
      expect(answered).toBeGreaterThan(CASES / 5)
      console.info(`${answered} of ${CASES} calls were answered`)
      await Promise.all([ours.close(), plain.close()])
    },
  )
})
