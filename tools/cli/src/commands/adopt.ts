import type { Adoption, InventoryRow, Orm, Progress, Rehearsal, Stage } from '@snoflax/adopt'
import { Command, InvalidArgumentError, Option } from 'commander'
import { answerFacts } from '../adopt-code/load/child.js'
import { LOAD } from '../adopt-code/load/process.js'
import { answerSchema, GENERATOR } from '../adopt-code/prisma/load.js'
import { EXIT, UsageError } from '../exit.js'
import { adoptionOptions, readConfig } from '../key-replacement/config.js'
import { openForAdoption } from '../key-replacement/open.js'
import { isDatabaseError, messageAbout, shownAddress } from '../live/address.js'
import { Pace } from '../pace.js'
import { linesOf, type Terminal } from '../terminal.js'
import { adoptCode } from './adopt-code.js'
import { addressOf, nonNegativeInteger } from './options.js'

interface Options {
  readonly config?: string
  readonly url?: string
  readonly json?: true
  readonly sql?: true
  readonly batchSize?: number
  readonly lockTimeout?: number
  readonly blockFor?: number
  readonly copy?: string
  readonly for: Orm
  readonly stage: Stage
}

/** What one command does with the adoption, and how it tells of it. */
interface Run {
  readonly adoption: Adoption
  readonly terminal: Terminal
  readonly options: Options
  rehearse(onProgress: (progress: Progress) => void): Promise<Rehearsal>
  /** Prints an event as JSON, one a line; else the text, if there is one. */
  tell(event: string, facts: object, text?: string | readonly string[]): Promise<void>
}

export function adopt(terminal: Terminal): Command {
  const command = new Command('adopt').description(
    'replace the keys of tables in a live database with ids, step by step, or keep them: code',
  )
  const step = (
    name: string,
    description: string,
    take: (run: Run) => Promise<void>,
    ...own: readonly Option[]
  ): void => {
    const added = command
      .command(name)
      .description(description)
      .option('-c, --config <file>', 'the configuration (default: snoflax.adopt.json, .js, .mjs or .ts)')
      .option(
        '--url <url>',
        'postgres://…, mysql://… or an SQLite file (default: the configuration, then DATABASE_URL); other users see arguments in the list of processes',
      )
      .option('--json', 'print events as JSON, one object per line')
      .action((options: Options) => perform(terminal, options, take))
    for (const option of own) added.addOption(option)
  }
  const number = (flags: string, description: string): Option =>
    new Option(flags, description).argParser(nonNegativeInteger)
  const lockTimeout = number('--lock-timeout <ms>', 'how long to wait for the locks')
  const blockFor = new Option(
    '--block-for <time>',
    'how long one attempt may block everyone who uses the tables, such as 5s or 800ms',
  ).argParser(milliseconds)
  step(
    'rehearse',
    'carry out plan to verify on a copy of the database, which it changes, and compare the rows of views',
    rehearse,
    new Option('--copy <url>', 'the copy').makeOptionMandatory(),
  )
  step(
    'plan',
    'show what will change, and all obstacles; changes nothing',
    plan,
    new Option('--sql', 'print the SQL of all steps'),
  )
  step(
    'backfill',
    'generate the new keys in batches; continues where it stopped',
    backfill,
    number('--batch-size <rows>', 'rows in one transaction'),
  )
  step(
    'switch',
    'replace the old keys with the new ones',
    async ({ adoption, options, tell }) => {
      await adoption.switchKeys(lockOf(options))
      await tell('done', { step: 'switch', phase: adoption.phase }, 'switched; next: snoflax adopt verify')
    },
    lockTimeout,
    blockFor,
  )
  step('verify', 'compare old and new keys; only reads', verify)
  step(
    'finish',
    'drop the old keys, after which there is no way back',
    async ({ adoption, options, tell }) => {
      await adoption.finish(lockOf(options))
      const { mappings } = adoption
      await tell('done', { step: 'finish', mappings }, [
        'finished; the old columns are dropped, old and new keys are kept. When you need no old key any more:',
        ...mappings.map((table) => `  DROP TABLE ${table};`),
      ])
    },
    lockTimeout,
    blockFor,
  )
  step('abandon', 'drop the new keys, before the switch', async ({ adoption, tell }) => {
    await adoption.abandon()
    await tell('done', { step: 'abandon' }, 'abandoned; the tables are as they were')
  })
  step(
    'schema',
    "what to change in an ORM's schema, and the migration; before finish",
    schema,
    new Option('--for <orm>', 'the ORM').choices(ORMS).makeOptionMandatory(),
    new Option('--stage <stage>', 'the step after which the schema is wanted')
      .choices(STAGES)
      .default('switched'),
  )
  return command
    .addCommand(adoptCode(terminal))
    .addCommand(
      new Command(LOAD).action(() => answerFacts(terminal.io.stdin)),
      { hidden: true },
    )
    .addCommand(
      new Command(GENERATOR).action(() => answerSchema(terminal.io.stdin, terminal.io.stderr)),
      { hidden: true },
    )
}

const ORMS = ['typeorm', 'prisma', 'drizzle', 'kysely'] as const satisfies readonly Orm[]
const STAGES = ['backfilling', 'switched', 'finished'] as const satisfies readonly Stage[]

const lockOf = ({ lockTimeout, blockFor }: Options) => ({
  ...(lockTimeout !== undefined && { lockTimeoutMs: lockTimeout }),
  ...(blockFor !== undefined && { blockForMs: blockFor }),
})

function milliseconds(text: string): number {
  const [, number, unit] = /^(\d+)(ms|s)$/.exec(text) ?? []
  if (number !== undefined && Number(number) > 0) return Number(number) * (unit === 's' ? 1000 : 1)
  throw new InvalidArgumentError('pass a time such as 5s or 800ms')
}

/** Plans, or finds the adoption that is under way, and takes a step. */
async function perform(
  terminal: Terminal,
  options: Options,
  step: (run: Run) => Promise<void>,
): Promise<void> {
  const { file, config } = await readConfig(options.config)
  const live = addressOf(terminal, `--url, or database in ${file}`, options.url, config.database)
  const url = options.copy ?? live
  if (options.copy === live) throw new UsageError('--copy is the database itself; pass the address of a copy')
  const { inventoryOf, keyTime, obstaclesOf, planAdoption, rehearseAdoption } = await import('@snoflax/adopt')
  const adoptOptions = adoptionOptions(file, config, keyTime)
  const tell = async (event: string, facts: object, text?: string | readonly string[]): Promise<void> => {
    if (options.json) await terminal.print(JSON.stringify({ event, ...facts }))
    else if (text !== undefined) await terminal.print(text)
  }
  const { client, close } = await openForAdoption(url)
  try {
    const adoption = await planAdoption(client, adoptOptions)
    const onCopy: Run['rehearse'] = (onProgress) => rehearseAdoption(client, adoptOptions, { onProgress })
    await step({ adoption, terminal, options, tell, rehearse: onCopy })
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`${shownAddress(url)}: ${messageAbout(url, error)}`)
    const obstacles = obstaclesOf(error)
    if (obstacles.length === 0) throw error
    await tellInventory(inventoryOf(error), tell)
    for (const { path, code, message } of obstacles)
      await tell('obstacle', { path, code, message }, `${terminal.paint('red', 'obstacle')}  ${message}`)
    await tell('refused', { obstacles: obstacles.length }, `obstacles: ${obstacles.length}`)
    terminal.exitCode = EXIT.findings
  } finally {
    await close()
  }
}

async function tellInventory(inventory: readonly InventoryRow[], tell: Run['tell']): Promise<void> {
  for (const { name, verdict, note } of inventory) {
    // The obstacles follow, with what to do.
    const text = verdict === 'obstacle' ? undefined : `  ${verdict.padEnd(12)}  ${name}: ${note}`
    await tell('inventory', { name, verdict, note }, text)
  }
}

async function plan({ adoption, terminal, options: { sql }, tell }: Run): Promise<void> {
  const { phase, inventory, warnings } = adoption
  await tellInventory(inventory, tell)
  for (const message of warnings)
    await tell('warning', { message }, `${terminal.paint('yellow', 'warning')}  ${message}`)
  const { blocked } = adoption
  if (phase !== 'switched')
    await tell(
      'switch',
      { blocked },
      `  the switch blocks ${blocked.join(', ')}: half a second an attempt; with --block-for 5s once, for up to five, while everyone who uses them waits`,
    )
  const next = NEXT[phase]
  await tell('plan', { phase, next, ...(sql && { sql: adoption.sql }) }, [
    ...(sql ? ['', ...linesOf(adoption.sql.trimEnd())] : []),
    '',
    `${terminal.paint('bold', phase)}; next: snoflax adopt ${next}`,
  ])
}

async function rehearse({ adoption, terminal, tell, rehearse: run }: Run): Promise<void> {
  for (const { name, verdict, note } of adoption.inventory) await tell('inventory', { name, verdict, note })
  const { tables, views, faults } = await run(({ table, columns, done, total }) => {
    if (done === total) terminal.note(`  ${table} ${columns.join(', ')}: ${total}`)
  })
  for (const { table, rows } of tables) await tell('verified', { table, rows }, `  ${table}: ${rows} rows`)
  for (const { name, rows, changed } of views)
    await tell('view', { name, rows, changed }, `  ${name}: ${rows} rows, ${changed} others than before`)
  for (const message of faults)
    await tell('fault', { message }, `${terminal.paint('red', 'fault')}  ${message}`)
  if (faults.length > 0) terminal.exitCode = EXIT.findings
  await tell('done', { step: 'rehearse', faults: faults.length }, `faults: ${faults.length}`)
}

const NEXT = { planned: 'backfill', backfilling: 'switch', switched: 'verify, then finish' } as const

async function schema({ adoption, options: { for: orm, stage }, tell }: Run): Promise<void> {
  const { columns, indexes, config, migration } = adoption.schemaChange(orm, stage)
  const lines = [
    ...columns.flatMap(({ table, column, lines: own }) => [`// ${table}.${column}`, ...own]),
    ...indexes.flatMap(({ table, line }) => [`// ${table}`, line]),
    ...(config.length === 0 ? [] : [`// ${orm}.config.ts`, ...config]),
    ...(migration.length === 0 ? [] : ['', '-- migration', ...MIGRATIONS[orm](migration)]),
  ]
  const text = lines.length === 0 ? 'nothing to change at this stage' : lines.flatMap(linesOf)
  await tell('schema', { orm, stage, columns, indexes, config, migration }, text)
}

const template = (text: string): string => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``

const MIGRATIONS: Record<Orm, (statements: readonly string[]) => string[]> = {
  typeorm: (statements) => statements.map((one) => `await queryRunner.query(${template(one)})`),
  prisma: (statements) => statements.map((one) => `${one};`),
  drizzle: (statements) => [statements.map((one) => `${one};`).join('\n--> statement-breakpoint\n')],
  kysely: (statements) => statements.map((one) => `await sql${template(one)}.execute(db)`),
}

const MS_BETWEEN_LINES = 2000

async function backfill({ adoption, terminal, options: { batchSize, json }, tell }: Run): Promise<void> {
  const controller = new AbortController()
  const stop = (): void => controller.abort(new UsageError('stopped; run it again to continue'))
  process.once('SIGINT', stop)
  let [line, toldMs, pace] = ['', 0, new Pace('rows')]
  const onProgress = ({ table, columns, done, total, round }: Progress): void => {
    const facts = { table, columns, done, total, round }
    if (json) void terminal.print(JSON.stringify({ event: 'progress', ...facts }))
    const work = `${table} ${columns.join(', ')}${round > 1 ? `, round ${round}` : ''}`
    if (json || (line === work && done < total && Date.now() - toldMs < MS_BETWEEN_LINES)) return
    if (line !== work) pace = new Pace('rows')
    ;[line, toldMs] = [work, Date.now()]
    terminal.note(`  ${work}: ${pace.after(done, total)}`)
  }
  try {
    await adoption.backfill({
      onProgress,
      signal: controller.signal,
      ...(batchSize !== undefined && { batchSize }),
    })
  } finally {
    process.off('SIGINT', stop)
  }
  await tell(
    'done',
    { step: 'backfill', phase: adoption.phase },
    'backfilled; deploy what takes the new keys, then: snoflax adopt switch',
  )
}

async function verify({ adoption, terminal, tell }: Run): Promise<void> {
  const { tables, faults } = await adoption.verify()
  if (tables.every(({ rows }) => rows === 0)) terminal.note('nothing was checked: the tables have no rows')
  for (const { table, rows, waiting, maxDriftMs } of tables)
    await tell(
      'verified',
      { table, rows, waiting, maxDriftMs },
      `  ${table}: ${rows} rows, ids at most ${maxDriftMs} ms from their time${waiting > 0 ? `; ${waiting} more get ids at the switch` : ''}`,
    )
  for (const message of faults)
    await tell('fault', { message }, `${terminal.paint('red', 'fault')}  ${message}`)
  if (faults.length > 0) terminal.exitCode = EXIT.findings
  await tell('done', { step: 'verify', faults: faults.length }, `faults: ${faults.length}`)
}
