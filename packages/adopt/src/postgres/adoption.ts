import type { IdStorage } from '@snoflax/core'
import type { Adoption, Phase, ReplacedColumn, Verification } from '../adoption.js'
import { type TimeSource, timeSource } from '../created-at.js'
import {
  type AdoptionOptions,
  type BackfillOptions,
  MAX_DRIFT_MS,
  type SwitchOptions,
  type TableOptions,
} from '../options.js'
import { refuse } from '../refusal.js'
import { shownName } from '../sql-text.js'
import { refuseOther } from '../under-way.js'
import { refuseOrphans, refuseTimes } from './data-checks.js'
import { BACKFILL_PATIENCE_MS, fillForeignKeys, reconcile, tablesOf } from './foreign-keys.js'
import { givingWay, lockTables } from './giving-way.js'
import { buildIndexes } from './indexes.js'
import { fillKeys, type KeyWork, type RunBatch } from './keys.js'
import { type Plan, type RootPlan, readPlan, storageOf } from './plan.js'
import { rowTimes } from './row-times.js'
import { type PostgresClient, type Session, withOnlySession, withSession } from './session.js'
import { type Begun, CREATE_STATE, readBegun, readRounds, writeBegun } from './state.js'
import {
  abandonStatements,
  expandStatements,
  finishStatements,
  lockStatements,
  script,
  switchStatements,
  validateStatements,
} from './statements.js'
import { verifyPostgres } from './verify.js'

export async function planPostgres(client: PostgresClient, options: AdoptionOptions): Promise<Adoption> {
  const storages = options.tables.map(storageOf)
  const sources = options.tables.map(({ table, createdAt }) => timeSource(table, createdAt))
  const begun = await withSession(client, async (session) => {
    const known = await readBegun(session)
    if (known) {
      refuseOther(known.plan.roots, storages)
      return known
    }
    const plan = await inPeace(session, () => readPlan(session, options))
    await checkData(session, plan, storages, sources)
    return { phase: 'planned' as const, plan }
  })
  return new PostgresAdoption(client, options, begun.plan, begun.phase, storages, sources)
}

/** Reads the catalog in a transaction that leaves nothing behind, not even a setting. */
async function inPeace<T>(session: Session, read: () => Promise<T>): Promise<T> {
  await session.run(['BEGIN'])
  try {
    return await read()
  } finally {
    await session.run(['ROLLBACK'])
  }
}

async function checkData(
  session: Session,
  plan: Plan,
  storages: readonly IdStorage<string>[],
  sources: readonly TimeSource[],
): Promise<void> {
  for (const [i, root] of plan.roots.entries()) {
    const source = sources[i] as TimeSource
    await refuseTimes(
      session,
      root,
      (storages[i] as IdStorage<string>).family,
      source,
      await rowTimes(session, root, source),
    )
  }
  for (const column of plan.columns) {
    if (!column.isRoot) await refuseOrphans(session, column, plan.roots[column.root] as RootPlan)
  }
}

const lastRound = async (session: Session, { root }: KeyWork): Promise<number> =>
  (await readRounds(session, root.table)).at(-1)?.round ?? 0

const batchIn =
  (session: Session): RunBatch =>
  (batch) =>
    givingWay(session, BACKFILL_PATIENCE_MS, batch)

/** One by one: a transaction that held the locks of several tables would be in the application's way for longer. */
async function runEach(session: Session, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await batchIn(session)(() => session.run([statement]))
}

class PostgresAdoption implements Adoption {
  constructor(
    private readonly client: PostgresClient,
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

  backfill(options: BackfillOptions = {}): Promise<void> {
    return withOnlySession(this.client, async (session) => {
      await this.begin(session)
      const works = await this.keyWorks(session)
      const runBatch = batchIn(session)
      for (const work of works) await fillKeys(session, work, options, runBatch, () => true)
      for (const table of tablesOf(this.plan)) await fillForeignKeys(session, this.plan, table, options)
      await buildIndexes(session, this.plan)
      for (const work of works) await this.catchUp(session, work, options)
      await runEach(session, reconcile(this.plan))
    })
  }

  async switchKeys({ lockTimeoutMs = 5000 }: SwitchOptions = {}): Promise<void> {
    await withOnlySession(this.client, async (session) => {
      const begun = await this.begun(session)
      if (begun.phase === 'backfilling') {
        await this.refuseUnready(session)
        await givingWay(session, lockTimeoutMs, () => this.switchIn(session))
      }
      this.phase = 'switched'
      await session.run(validateStatements(this.plan))
    })
  }

  verify(): Promise<Verification> {
    return withSession(this.client, async (session) =>
      verifyPostgres(session, await this.begun(session), this.storages, this.sources),
    )
  }

  finish(): Promise<void> {
    return withOnlySession(this.client, async (session) => {
      const { phase } = await this.begun(session)
      if (phase !== 'switched') refuse('finish', 'the keys are not switched yet')
      await runEach(session, finishStatements(this.plan))
    })
  }

  abandon(): Promise<void> {
    return withOnlySession(this.client, async (session) => {
      const { phase } = await this.begun(session)
      if (phase === 'switched') refuse('abandon', 'the keys are switched; there is no way back but a restore')
      await runEach(session, abandonStatements(this.plan))
      this.phase = 'planned'
    })
  }

  private async begin(session: Session): Promise<void> {
    const begun = await readBegun(session)
    if (begun?.phase === 'switched') refuse('backfill', 'the keys are switched already')
    if (begun === undefined) {
      await session.transaction(async () => {
        await session.run(CREATE_STATE)
        await writeBegun(session, this.plan)
      })
    }
    // One by one: a transaction that held several of these locks could be in a deadlock with the application.
    for (const statement of expandStatements(this.plan))
      await batchIn(session)(() => session.run([statement]))
    this.phase = 'backfilling'
  }

  private async begun(session: Session): Promise<Begun> {
    return (await readBegun(session)) ?? refuse('adoption', 'nothing is under way; backfill() begins it')
  }

  private async refuseUnready(session: Session): Promise<void> {
    for (const { table } of this.plan.roots) {
      const first = (await readRounds(session, table))[0]
      if (first === undefined || first.done < first.total)
        refuse(shownName(table), 'the backfill is not through; run it to its end')
    }
    await buildIndexes(session, this.plan)
  }

  /** Fills rows that came meanwhile, until fewer than a batch come while that goes on. */
  private async catchUp(session: Session, work: KeyWork, options: BackfillOptions): Promise<void> {
    const { batchSize = 1000 } = options
    const before = await lastRound(session, work)
    const runBatch = batchIn(session)
    await fillKeys(
      session,
      work,
      options,
      runBatch,
      ({ round, total }) => round > before && total < batchSize,
    )
  }

  private async switchIn(session: Session): Promise<void> {
    await lockTables(session, lockStatements(this.plan))
    await this.refuseChanges(session)
    for (const work of await this.keyWorks(session)) {
      const before = await lastRound(session, work)
      await fillKeys(
        session,
        work,
        {},
        (batch) => batch(1),
        ({ round }) => round > before,
      )
    }
    await session.run(reconcile(this.plan))
    await session.run(switchStatements(this.plan))
  }

  /** A table, foreign key or index that came since the plan was made would be missed. */
  private async refuseChanges(session: Session): Promise<void> {
    const [path] = await session.query<{ path: string }>("SELECT current_setting('search_path') AS path")
    const now = await readPlan(session, this.options)
    await session.query("SELECT set_config('search_path', $1, true)", [path?.path])
    if (JSON.stringify(now) === JSON.stringify(this.plan)) return
    refuse('switchKeys', 'the schema has changed since the backfill began; abandon it and begin again')
  }

  private async keyWorks(session: Session): Promise<KeyWork[]> {
    const works: KeyWork[] = []
    for (const [number, root] of this.plan.roots.entries()) {
      const source = this.sources[number] as TimeSource
      works.push({
        number,
        root,
        source,
        storage: this.storages[number] as IdStorage<string>,
        times: await rowTimes(session, root, source),
        generator: (this.options.tables[number] as TableOptions).generator,
        maxDriftMs: this.options.maxDriftMs ?? MAX_DRIFT_MS,
      })
    }
    return works
  }
}
