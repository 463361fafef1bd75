import type { IdStorage } from '@snoflax/core'
import type { Adoption, Phase, ReplacedColumn, Verification } from '../adoption.js'
import { type TimeSource, timeSource } from '../created-at.js'
import { type AdoptionOptions, type BackfillOptions, MAX_DRIFT_MS, type TableOptions } from '../options.js'
import { refuse } from '../refusal.js'
import { refuseOther } from '../under-way.js'
import { Connection, type SqliteConnection } from './connection.js'
import { refuseOrphans, refuseTimes } from './data-checks.js'
import { fillKeys, type KeyWork, lastRound } from './keys.js'
import { type Plan, type RootPlan, readPlan, storageOf } from './plan.js'
import { rowTimes } from './row-times.js'
import { type Begun, createStatements, dropStatements, readBegun, writeBegun } from './state.js'
import { finishStatements, script, switchStatements } from './statements.js'
import { verifySqlite, violations } from './verify.js'

export function planSqlite(client: SqliteConnection, options: AdoptionOptions): Adoption {
  const connection = new Connection(client)
  const storages = options.tables.map(storageOf)
  const sources = options.tables.map(({ table, createdAt }) => timeSource(table, createdAt))
  const known = readBegun(connection)
  if (known !== undefined) refuseOther(known.plan.roots, storages)
  const plan = known?.plan ?? readPlan(connection, options)
  if (known === undefined) checkData(connection, plan, storages, sources)
  return new SqliteAdoption(connection, options, plan, known?.phase ?? 'planned', storages, sources)
}

function checkData(
  connection: Connection,
  { roots, columns }: Plan,
  storages: readonly IdStorage<string>[],
  sources: readonly TimeSource[],
): void {
  for (const [i, root] of roots.entries()) {
    refuseTimes(connection, root, (storages[i] as IdStorage<string>).family, sources[i] as TimeSource)
  }
  for (const column of columns) {
    if (!column.isRoot) refuseOrphans(connection, column, roots[column.root] as RootPlan)
  }
}

class SqliteAdoption implements Adoption {
  constructor(
    private readonly connection: Connection,
    private readonly options: AdoptionOptions,
    private readonly plan: Plan,
    public phase: Phase,
    private readonly storages: readonly IdStorage<string>[],
    private readonly sources: readonly TimeSource[],
  ) {}

  get columns(): readonly ReplacedColumn[] {
    return this.plan.columns
  }

  get sql(): string {
    return script(this.plan)
  }

  async backfill(options: BackfillOptions = {}): Promise<void> {
    this.begin()
    for (const work of this.keyWorks()) {
      fillKeys(this.connection, work, options, (batch) => this.connection.transaction(batch))
    }
  }

  async switchKeys(): Promise<void> {
    if (this.begun().phase === 'switched') return
    this.refuseUnready()
    this.withoutForeignKeys(() => this.connection.transaction(() => this.switchIn()))
    this.phase = 'switched'
  }

  async verify(): Promise<Verification> {
    return verifySqlite(this.connection, this.begun(), this.storages, this.sources)
  }

  async finish(): Promise<void> {
    if (this.begun().phase !== 'switched') refuse('finish', 'the keys are not switched yet')
    this.connection.transaction(() => this.connection.runAll(finishStatements(this.plan)))
  }

  async abandon(): Promise<void> {
    if (this.begun().phase === 'switched')
      refuse('abandon', 'the keys are switched; there is no way back but a restore')
    this.connection.transaction(() => this.connection.runAll(dropStatements(this.plan)))
    this.phase = 'planned'
  }

  private begin(): void {
    const begun = readBegun(this.connection)
    if (begun?.phase === 'switched') refuse('backfill', 'the keys are switched already')
    if (begun === undefined) {
      this.connection.transaction(() => {
        this.connection.runAll(createStatements(this.plan))
        writeBegun(this.connection, this.plan)
      })
    }
    this.phase = 'backfilling'
  }

  private begun(): Begun {
    return readBegun(this.connection) ?? refuse('adoption', 'nothing is under way; backfill() begins it')
  }

  private refuseUnready(): void {
    for (const [number, { table, key }] of this.plan.roots.entries()) {
      const round = lastRound(this.connection, number)
      const isEmpty =
        this.connection.query(`SELECT 1 FROM "${table}" WHERE "${key}" IS NOT NULL LIMIT 1`).length === 0
      if (round ? round.done < round.total : !isEmpty)
        refuse(table, 'the backfill is not through; run it to its end')
    }
  }

  private switchIn(): void {
    if (JSON.stringify(readPlan(this.connection, this.options)) !== JSON.stringify(this.plan)) {
      refuse('switchKeys', 'the schema has changed since the backfill began; abandon it and begin again')
    }
    for (const work of this.keyWorks()) fillKeys(this.connection, work, {}, (batch) => batch())
    for (const column of this.plan.columns) {
      if (!column.isRoot) refuseOrphans(this.connection, column, this.plan.roots[column.root] as RootPlan)
    }
    this.connection.runAll(switchStatements(this.plan))
    const [violation] = violations(this.connection, this.plan)
    if (violation !== undefined) refuse('switchKeys', violation)
  }

  /** Both settings are those of SQLite's manual for making a table anew, and are void within a transaction. */
  private withoutForeignKeys(work: () => void): void {
    const settings = ['foreign_keys', 'legacy_alter_table'].map((name) => {
      const [row] = this.connection.query<Record<string, number>>(`PRAGMA ${name}`)
      return `PRAGMA ${name} = ${row?.[name]}`
    })
    this.connection.runAll(['PRAGMA foreign_keys = OFF', 'PRAGMA legacy_alter_table = ON'])
    try {
      work()
    } finally {
      this.connection.runAll(settings)
    }
  }

  private keyWorks(): KeyWork[] {
    return this.plan.roots.map((root, number) => {
      const source = this.sources[number] as TimeSource
      return {
        number,
        root,
        source,
        storage: this.storages[number] as IdStorage<string>,
        times: rowTimes(this.connection, root, source),
        generator: (this.options.tables[number] as TableOptions).generator,
        maxDriftMs: this.options.maxDriftMs ?? MAX_DRIFT_MS,
      }
    })
  }
}
