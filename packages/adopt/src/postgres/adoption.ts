import type { Adoption, Phase, ReplacedColumn, Verification } from '../adoption.js'
import { type KeyRecipe, keyRecipes } from '../key-recipe.js'
import { type AdoptionOptions, type BackfillOptions, checkBatchSize, type SwitchOptions } from '../options.js'
import type { RootPlan } from '../root-plan.js'
import { shownName } from '../sql-text.js'
import {
  type Begun,
  checkStep,
  refuseChanges,
  refuseOther,
  refuseUnbegun,
  refuseUnfilled,
} from '../under-way.js'
import { refuseMoved, refuseOrphans, refuseTimes } from './data-checks.js'
import { refuseDefaults } from './defaults.js'
import { BACKFILL_PATIENCE_MS, fillForeignKeys, reconcile, tablesOf } from './foreign-keys.js'
import { givingWay, lockTables } from './giving-way.js'
import { buildIndexes } from './indexes.js'
import { fillKeys, type PostgresKeyWork, type RunBatch } from './keys.js'
import { type Plan, readPlan } from './plan.js'
import { rowTimes } from './row-times.js'
import { type PostgresClient, type Session, withOnlySession, withSession } from './session.js'
import { CREATE_STATE, readBegun, readRounds, writeBegun } from './state.js'
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
  const recipes = keyRecipes(options, 'postgres')
  const begun = await withSession(client, async (session) => {
    const known = await readBegun(session)
    if (known) {
      refuseOther(known.plan.roots, recipes)
      return known
    }
    const plan = await inPeace(session, async () => {
      await refuseDefaults(session, options, recipes)
      return readPlan(session, options, recipes)
    })
    await checkData(session, plan, recipes)
    return { phase: 'planned' as const, plan }
  })
  return new PostgresAdoption(client, options, begun.plan, begun.phase, recipes)
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

async function checkData(session: Session, plan: Plan, recipes: readonly KeyRecipe[]): Promise<void> {
  for (const [i, root] of plan.roots.entries()) {
    const recipe = recipes[i] as KeyRecipe
    const times = await rowTimes(session, root, recipe.source)
    await refuseTimes(session, root, recipe, times)
    await refuseMoved(session, root, recipe, times)
  }
  for (const column of plan.columns) {
    if (!column.isRoot) await refuseOrphans(session, column, plan.roots[column.root] as RootPlan)
  }
}

const lastRound = async (session: Session, { root }: PostgresKeyWork): Promise<number> =>
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
    private readonly recipes: readonly KeyRecipe[],
  ) {}

  get columns(): readonly ReplacedColumn[] {
    return this.plan.columns
  }

  get sql(): string {
    return script(this.plan)
  }

  async backfill(options: BackfillOptions = {}): Promise<void> {
    checkBatchSize(options)
    await withOnlySession(this.client, async (session) => {
      await this.begin(session)
      if (this.phase === 'switched') return
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
      verifyPostgres(session, await this.begun(session), this.recipes),
    )
  }

  finish(): Promise<void> {
    return withOnlySession(this.client, async (session) => {
      checkStep('finish', (await this.begun(session)).phase)
      await runEach(session, finishStatements(this.plan))
    })
  }

  abandon(): Promise<void> {
    return withOnlySession(this.client, async (session) => {
      checkStep('abandon', (await this.begun(session)).phase)
      await runEach(session, abandonStatements(this.plan))
      this.phase = 'planned'
    })
  }

  private async begin(session: Session): Promise<void> {
    const begun = await readBegun(session)
    if (begun?.phase === 'switched') {
      this.phase = 'switched'
      return
    }
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

  private async begun(session: Session): Promise<Begun<Plan>> {
    return (await readBegun(session)) ?? refuseUnbegun()
  }

  private async refuseUnready(session: Session): Promise<void> {
    for (const { table } of this.plan.roots) {
      const first = (await readRounds(session, table))[0]
      if (first === undefined || first.done < first.total) refuseUnfilled(shownName(table))
    }
    await buildIndexes(session, this.plan)
  }

  /** Fills rows that came meanwhile, until fewer than a batch come while that goes on. */
  private async catchUp(session: Session, work: PostgresKeyWork, options: BackfillOptions): Promise<void> {
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
    await this.checkSchema(session)
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

  private async checkSchema(session: Session): Promise<void> {
    const [path] = await session.query<{ path: string }>("SELECT current_setting('search_path') AS path")
    const now = await readPlan(session, this.options, this.recipes)
    await session.query("SELECT set_config('search_path', $1, true)", [path?.path])
    refuseChanges(this.plan, now)
  }

  private async keyWorks(session: Session): Promise<PostgresKeyWork[]> {
    const works: PostgresKeyWork[] = []
    for (const [number, root] of this.plan.roots.entries()) {
      const recipe = this.recipes[number] as KeyRecipe
      works.push({ ...recipe, number, root, times: await rowTimes(session, root, recipe.source) })
    }
    return works
  }
}
