import type { Adoption, Phase, ReplacedColumn, Verification } from '../adoption.js'
import { type KeyRecipe, keyRecipes } from '../key-recipe.js'
import type { KeyWork } from '../key-work.js'
import { type AdoptionOptions, type BackfillOptions, checkBatchSize } from '../options.js'
import { refuse } from '../refusal.js'
import type { RootPlan } from '../root-plan.js'
import { quote } from '../sql-text.js'
import {
  type Begun,
  checkStep,
  refuseChanges,
  refuseOther,
  refuseUnbegun,
  refuseUnfilled,
} from '../under-way.js'
import { Connection, type SqliteConnection } from './connection.js'
import { refuseKeyless, refuseMoved, refuseOrphans, refuseTimes } from './data-checks.js'
import { fillKeys, lastRound } from './keys.js'
import { type Plan, readPlan } from './plan.js'
import { rowTimes } from './row-times.js'
import { createStatements, dropStatements, readBegun, writeBegun } from './state.js'
import { finishStatements, script, switchStatements } from './statements.js'
import { verifySqlite, violations } from './verify.js'

export function planSqlite(client: SqliteConnection, options: AdoptionOptions): Adoption {
  const connection = new Connection(client)
  const recipes = keyRecipes(options, 'sqlite')
  const known = readBegun(connection)
  if (known !== undefined) refuseOther(known.plan.roots, recipes)
  const plan = known?.plan ?? readPlan(connection, options, recipes)
  if (known === undefined) checkData(connection, plan, recipes)
  return new SqliteAdoption(connection, options, plan, known?.phase ?? 'planned', recipes)
}

function checkData(connection: Connection, plan: Plan, recipes: readonly KeyRecipe[]): void {
  for (const [i, root] of plan.roots.entries()) {
    const recipe = recipes[i] as KeyRecipe
    refuseKeyless(connection, root)
    refuseTimes(connection, root, recipe)
    refuseMoved(connection, root, recipe)
  }
  refuseAllOrphans(connection, plan)
  refuseViolations(connection, plan)
}

function refuseAllOrphans(connection: Connection, { roots, columns }: Plan): void {
  for (const column of columns) {
    if (!column.isRoot) refuseOrphans(connection, column, roots[column.root] as RootPlan)
  }
}

/** Of other foreign keys too: they could not be told from those that the switch broke. */
function refuseViolations(connection: Connection, plan: Plan): void {
  const [violation] = violations(connection, plan)
  if (violation !== undefined) refuse('foreign_key_check', violation)
}

class SqliteAdoption implements Adoption {
  constructor(
    private readonly connection: Connection,
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
    this.begin()
    if (this.phase === 'switched') return
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
    return verifySqlite(this.connection, this.begun(), this.recipes)
  }

  async finish(): Promise<void> {
    checkStep('finish', this.begun().phase)
    this.connection.transaction(() => this.connection.runAll(finishStatements(this.plan)))
  }

  async abandon(): Promise<void> {
    checkStep('abandon', this.begun().phase)
    this.connection.transaction(() => this.connection.runAll(dropStatements(this.plan)))
    this.phase = 'planned'
  }

  private begin(): void {
    const begun = readBegun(this.connection)
    if (begun === undefined) {
      this.connection.transaction(() => {
        this.connection.runAll(createStatements(this.plan))
        writeBegun(this.connection, this.plan)
      })
    }
    this.phase = begun?.phase ?? 'backfilling'
  }

  private begun(): Begun<Plan> {
    return readBegun(this.connection) ?? refuseUnbegun()
  }

  private refuseUnready(): void {
    for (const [number, { table }] of this.plan.roots.entries()) {
      const round = lastRound(this.connection, number)
      const isEmpty = this.connection.query(`SELECT 1 FROM ${quote(table)} LIMIT 1`).length === 0
      if (round ? round.done < round.total : !isEmpty) refuseUnfilled(table)
    }
  }

  private switchIn(): void {
    refuseChanges(this.plan, readPlan(this.connection, this.options, this.recipes))
    for (const work of this.keyWorks()) fillKeys(this.connection, work, {}, (batch) => batch())
    refuseAllOrphans(this.connection, this.plan)
    this.connection.runAll(switchStatements(this.plan))
    refuseViolations(this.connection, this.plan)
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
      const recipe = this.recipes[number] as KeyRecipe
      return { ...recipe, number, root, times: rowTimes(this.connection, root, recipe.source) }
    })
  }
}
