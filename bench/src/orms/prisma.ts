import { flax } from '@snoflax/core'
import { type Database, inChunks, type Model, type Orm, type Place, type Row } from './contest.js'
import { type Clients, type Delegate, openClients } from './prisma-clients.js'

/** Rows for one call. Prisma would accept all, but caches the plan of every query in memory. */
const CHUNK = 1_000

/** A model for each key, in existing tables. */
function models(): string {
  const model = (name: string, id: string) =>
    `model ${name} {\n  id ${id}\n  name String\n  total Int\n  @@map("race_${name.toLowerCase()}")\n}\n`
  const ours = 'String @id @default(dbgenerated())'
  return [
    model('Flax', `${ours} /// @snoflax flax`),
    model('Sno', `${ours} /// @snoflax sno`),
    model('Plain', 'String @id'),
  ].join('\n')
}

export async function openPrisma(place: Place): Promise<Orm> {
  const postgres = await openClients('race', 'postgres', place, models())
  const sqlite = await openClients('race', 'sqlite', place, models())
  return {
    models: { postgres: modelsOf(postgres), sqlite: modelsOf(sqlite) },
    close: async () => {
      await Promise.all([postgres.close(), sqlite.close()])
    },
  }
}

const modelsOf = ({ plain, extended }: Clients): Orm['models'][Database] => ({
  flax: model(extended['flax'] as Delegate, (row) => row),
  sno: model(extended['sno'] as Delegate, (row) => row),
  plain: model(plain['plain'] as Delegate, (row) => ({ id: flax.generate(), ...row })),
})

function model(delegate: Delegate, toData: (row: Row) => object): Model {
  return {
    insertMany: (rows) => inChunks(rows, CHUNK, (chunk) => delegate.createMany({ data: chunk.map(toData) })),
    insertOne: (row) => delegate.create({ data: toData(row) }),
  }
}
