import type { Adoption, Orm, Progress, Stage } from '@snoflax/adopt'
import { Command, Option } from 'commander'
import { adoptionOptions, readConfig } from '../adopt/config.js'
import { openForAdoption } from '../adopt/open.js'
import { EXIT, UsageError } from '../exit.js'
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
  readonly for: Orm
  readonly stage: Stage
}

/** What one command does with the adoption, and how it tells of it. */
interface Run {
  readonly adoption: Adoption
  readonly terminal: Terminal
  readonly options: Options
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
  )
  step('verify', 'compare old and new keys; only reads', verify)
  step(
    'finish',
    'drop the old keys, after which there is no way back',
    async ({ adoption, options, tell }) => {
      await adoption.finish(lockOf(options))
      await tell('done', { step: 'finish' }, 'finished; the old keys are dropped')
    },
    lockTimeout,
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
  return command.addCommand(adoptCode(terminal))
}

const ORMS = ['typeorm', 'prisma', 'drizzle', 'kysely'] as const satisfies readonly Orm[]
const STAGES = ['backfilling', 'switched', 'finished'] as const satisfies readonly Stage[]

const lockOf = ({ lockTimeout }: Options) => (lockTimeout === undefined ? {} : { lockTimeoutMs: lockTimeout })

/** Plans, or finds the adoption that is under way, and takes a step. */
async function perform(
  terminal: Terminal,
  options: Options,
  step: (run: Run) => Promise<void>,
): Promise<void> {
  const { file, config } = await readConfig(options.config)
  const url = addressOf(terminal, `--url, or database in ${file}`, options.url, config.database)
  const { keyTime, obstaclesOf, planAdoption } = await import('@snoflax/adopt')
  const adoptOptions = adoptionOptions(file, config, keyTime)
  const tell = async (event: string, facts: object, text?: string | readonly string[]): Promise<void> => {
    if (options.json) await terminal.print(JSON.stringify({ event, ...facts }))
    else if (text !== undefined) await terminal.print(text)
  }
  const { client, close } = await openForAdoption(url)
  try {
    await step({ adoption: await planAdoption(client, adoptOptions), terminal, options, tell })
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`${shownAddress(url)}: ${messageAbout(url, error)}`)
    const obstacles = obstaclesOf(error)
    if (obstacles.length === 0) throw error
    for (const { path, code, message } of obstacles)
      await tell('obstacle', { path, code, message }, `${terminal.paint('red', 'obstacle')}  ${message}`)
    await tell('refused', { obstacles: obstacles.length }, `obstacles: ${obstacles.length}`)
    terminal.exitCode = EXIT.findings
  } finally {
    await close()
  }
}

async function plan({ adoption, terminal, options: { sql }, tell }: Run): Promise<void> {
  const { phase, inventory, warnings } = adoption
  for (const { name, verdict, note } of inventory)
    await tell('inventory', { name, verdict, note }, `  ${verdict.padEnd(12)}  ${name}: ${note}`)
  for (const message of warnings)
    await tell('warning', { message }, `${terminal.paint('yellow', 'warning')}  ${message}`)
  const next = NEXT[phase]
  await tell('plan', { phase, next, ...(sql && { sql: adoption.sql }) }, [
    ...(sql ? ['', ...linesOf(adoption.sql.trimEnd())] : []),
    '',
    `${terminal.paint('bold', phase)}; next: snoflax adopt ${next}`,
  ])
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
  for (const { table, rows, maxDriftMs } of tables)
    await tell(
      'verified',
      { table, rows, maxDriftMs },
      `  ${table}: ${rows} rows, ids at most ${maxDriftMs} ms from their time`,
    )
  for (const message of faults)
    await tell('fault', { message }, `${terminal.paint('red', 'fault')}  ${message}`)
  if (faults.length > 0) terminal.exitCode = EXIT.findings
  await tell('done', { step: 'verify', faults: faults.length }, `faults: ${faults.length}`)
}
