import 'reflect-metadata'
import { type FlaxId, flax, type SnoId } from '@snoflax/core'
import { FlaxIdColumn, SnoIdColumn } from '@snoflax/typeorm'
import { Column, DataSource, Entity, type EntityTarget, type ObjectLiteral, PrimaryColumn } from 'typeorm'
import { inChunks, type Model, type Orm, type Place, type Row } from './contest.js'

/** Rows for one statement. TypeORM doesn't split lists; SQLite accepts 32,766 parameters. */
const CHUNK = 1_000

@Entity('race_flax')
class FlaxRow {
  @FlaxIdColumn() id!: FlaxId
  @Column('text') name!: string
  @Column('integer') total!: number
}

@Entity('race_sno')
class SnoRow {
  @SnoIdColumn() id!: SnoId
  @Column('text') name!: string
  @Column('integer') total!: number
}

@Entity('race_plain')
class PlainRow {
  @PrimaryColumn('text') id!: string
  @Column('text') name!: string
  @Column('integer') total!: number
}

const entities = [FlaxRow, SnoRow, PlainRow]

export async function openTypeorm({ postgres, sqlite }: Place): Promise<Orm> {
  const pg = new DataSource({ type: 'postgres', url: postgres.url, entities })
  const lite = new DataSource({
    type: 'better-sqlite3',
    database: sqlite.file,
    entities,
    prepareDatabase: (connection: { pragma(text: string): void }) => connection.pragma('synchronous = off'),
  })
  await Promise.all([pg.initialize(), lite.initialize()])
  const modelsOf = (source: DataSource) => ({
    flax: model(source, FlaxRow, (row) => row),
    sno: model(source, SnoRow, (row) => row),
    plain: model(source, PlainRow, (row) => ({ id: flax.generate(), ...row })),
  })
  return {
    models: { postgres: modelsOf(pg), sqlite: modelsOf(lite) },
    close: async () => {
      await Promise.all([pg.destroy(), lite.destroy()])
    },
  }
}

/** `toEntity` copies, since TypeORM sets generated ids in the objects that it is passed. */
function model(
  source: DataSource,
  target: EntityTarget<ObjectLiteral>,
  toEntity: (row: Row) => object,
): Model {
  const repository = source.getRepository(target)
  return {
    insertMany: (rows) =>
      inChunks(rows, CHUNK, (chunk) => repository.insert(chunk.map((row) => ({ ...toEntity(row) })))),
    insertOne: async (row) => repository.save(repository.create({ ...toEntity(row) })),
  }
}
