import type { IdRange, IdStorage } from '@snoflax/core'
import type { Quake } from './data.js'
import type { Engine } from './engine.js'

/** A quake with its generated id. */
export interface KeyedQuake {
  readonly id: string
  readonly quake: Quake
}

/** A row as the database returns it. */
export interface FoundQuake {
  readonly id: string
  readonly code: string
}

const IN_KEY_RANGE = 'id >= $1 AND id < $2'
const IN_TIME_RANGE = 'time_ms >= $1 AND time_ms < $2'

/** Quakes in one table, their ids in one storage as its primary key. There is no index on the time column. */
export class QuakeTable {
  constructor(
    readonly engine: Engine,
    readonly storage: IdStorage<string>,
    readonly name = `quakes_${storage.family.name}_${storage.name}`.toLowerCase(),
  ) {}

  async fill(rows: readonly KeyedQuake[]): Promise<void> {
    const { column } = this.storage
    await this.engine.run(
      `CREATE TABLE ${this.name} (
        id ${column.sql} NOT NULL PRIMARY KEY,
        code text NOT NULL,
        time_ms bigint NOT NULL,
        magnitude double precision NOT NULL,
        place text NOT NULL
      )`,
    )
    await this.engine.insert(this.name, [
      { type: column.type, values: rows.map(({ id }) => this.storage.toDatabase(id)) },
      { type: 'text', values: rows.map(({ quake }) => quake.code) },
      { type: 'bigint', values: rows.map(({ quake }) => BigInt(quake.timeMs)) },
      { type: 'double precision', values: rows.map(({ quake }) => quake.magnitude) },
      { type: 'text', values: rows.map(({ quake }) => quake.place) },
    ])
  }

  byKeyRange(range: IdRange<string>): Promise<FoundQuake[]> {
    return this.find(`WHERE ${IN_KEY_RANGE}`, this.keysOf(range))
  }

  inKeyOrder(): Promise<FoundQuake[]> {
    return this.find('ORDER BY id')
  }

  /** The correct rows, to compare with the results by key. */
  byTimeRange(
    fromMs: number,
    toMs: number,
    leastMagnitude = Number.NEGATIVE_INFINITY,
  ): Promise<FoundQuake[]> {
    return this.find(`WHERE ${IN_TIME_RANGE} AND magnitude >= $3`, [
      BigInt(fromMs),
      BigInt(toMs),
      leastMagnitude,
    ])
  }

  inTimeOrder(): Promise<FoundQuake[]> {
    return this.find('ORDER BY time_ms, id')
  }

  /** The key as the driver returns it. */
  async storedKey({ code }: Quake): Promise<unknown> {
    const [row] = await this.engine.query(`SELECT id FROM ${this.name} WHERE code = $1`, [code])
    return row?.[0]
  }

  explainKeyRange(range: IdRange<string>): Promise<string[]> {
    return this.engine.explain(this.select(`WHERE ${IN_KEY_RANGE}`), this.keysOf(range))
  }

  private select(rest: string): string {
    return `SELECT id, code FROM ${this.name} ${rest}`
  }

  private async find(rest: string, parameters: readonly unknown[] = []): Promise<FoundQuake[]> {
    const rows = await this.engine.query(this.select(rest), parameters)
    return rows.map(([key, code]) => ({ id: this.storage.fromDatabase(key), code: String(code) }))
  }

  private keysOf({ gte, lt }: IdRange<string>): unknown[] {
    if (lt === undefined) throw new RangeError('a question ends before the last moment of its family')
    return [this.storage.toDatabase(gte), this.storage.toDatabase(lt)]
  }
}
