import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { UsageError } from '../exit.js'
import { ClassWriter } from './classes/write.js'
import { askDatabase, type Stored } from './database.js'
import { Definitions } from './definitions.js'
import { DrizzleWriter } from './drizzle/write.js'
import { applyEdits, type Edit } from './edits.js'
import type { Files } from './files.js'
import { inputsOf } from './inputs.js'
import { type KyselyInput, openKysely } from './kysely/facts.js'
import { KyselyWriter } from './kysely/write.js'
import type { Facts, Orm, Request } from './load/facts.js'
import { loadFacts, pathOf } from './load/process.js'
import { MikroOrmWriter } from './mikro-orm/write.js'
import { type KeyPlan, type Left, type Named, type Plan, planOf } from './plan.js'
import { prismaFacts } from './prisma/load.js'
import { PrismaWriter } from './prisma/write.js'
import { Sources } from './sources.js'
import { typeorm } from './typeorm/write.js'
import { compareFacts } from './verify.js'
import { type Change, Unwritable, type Writer } from './written.js'

export interface Wanted {
  readonly url?: string | undefined
  readonly rows: number
  /** Patterns of keys, by `users.id`. */
  readonly patterns: ReadonlyMap<string, string>
  readonly isBranded: boolean
}

/** Where a column is declared. */
interface Place {
  readonly table: string
  readonly schema?: string
  readonly column: string
  readonly name: string
  readonly file: string
  readonly line?: number
}

/** A column that becomes one of ids. */
export interface Adopted extends Place {
  readonly kind: 'key' | 'reference'
  /** The pattern of its ids. */
  readonly pattern: string
  readonly text: string
}

/** A column that stays as it is. */
export interface Open extends Place {
  readonly reason: string
}

export interface Outcome {
  readonly counts: Readonly<
    Record<'tables' | 'keys' | 'references' | 'adopted' | 'done' | 'kept' | 'left', number>
  >
  readonly adopted: readonly Adopted[]
  /** Keys that need no definition, and what refers to them. */
  readonly kept: readonly Open[]
  /** Keys that a person has to decide on, and what refers to them. */
  readonly left: readonly Open[]
  /** Modules that could not be loaded, and schemas that this command doesn't read. */
  readonly failures: readonly { readonly file: string; readonly reason: string }[]
  /** Whether something could not be loaded, or found in the source. */
  readonly isPartial: boolean
  readonly stored: readonly Stored[] | undefined
  readonly edits: ReadonlyMap<string, readonly Edit[]>
  readonly texts: ReadonlyMap<string, string>
  readonly leftovers: readonly string[]
  readonly next: readonly string[]
  /** What would be other than before. */
  readonly faults: readonly string[]
  /** The package that the check needs. */
  readonly missing?: string
}

const PACKAGES = {
  drizzle: '@snoflax/drizzle',
  typeorm: '@snoflax/typeorm',
  mikroOrm: '@snoflax/mikro-orm',
  prisma: '@snoflax/prisma-extension',
  kysely: '@snoflax/kysely',
} as const

/** Loads an application, and finds what makes its keys columns of ids. @throws {UsageError} */
export async function adoptFiles(paths: readonly string[], files: Files, wanted: Wanted): Promise<Outcome> {
  const inputs = inputsOf(paths, files.texts)
  const failures = [...inputs.unread]
  const [kysely] = inputs.kysely
  if (kysely !== undefined && wanted.url === undefined) failures.push({ file: kysely, reason: NO_CATALOG })
  const orms = (Object.keys(PACKAGES) as Orm[]).filter(
    (orm) => inputs[orm].length > 0 && (orm !== 'kysely' || wanted.url !== undefined),
  )
  if (orms.length === 0)
    throw new UsageError(
      failures.map(({ file, reason }) => `${file}: ${reason}`).join('; ') ||
        `no Drizzle tables, no DataSource of TypeORM, no configuration of MikroORM, no Prisma schema and no new Kysely in ${paths.join(', ')}`,
    )
  const outcomes: Outcome[] = []
  for (const orm of orms) outcomes.push(await adoptOrm(orm, inputs[orm], files, wanted))
  return merged(outcomes, failures, files)
}

const NO_CATALOG =
  'Kysely has no schema in code: pass --url "$DATABASE_URL", whose catalog has its keys and references'

async function adoptOrm(
  orm: Orm,
  modules: readonly string[],
  files: Files,
  wanted: Wanted,
): Promise<Outcome> {
  const kysely = orm === 'kysely' ? await openKysely(modules, files.texts, wanted.url as string) : undefined
  const load = async (edited?: ReadonlyMap<string, string>): Promise<Facts> =>
    kysely
      ? kysely.load(edited)
      : orm === 'prisma'
        ? prismaFacts(
            new Map(modules.map((file) => [file, (edited?.get(file) ?? files.texts.get(file)) as string])),
          )
        : loadFacts(orm as Request['orm'], modules, edited)
  const before = await load()
  const planned = async (timeless: ReadonlySet<string>): Promise<{ whole: Plan; stored?: StoredKeys }> => {
    const whole = planOf(before, wanted.patterns, orm === 'prisma' || orm === 'kysely', timeless)
    unknownPatterns(wanted.patterns, whole)
    const { url, rows } = wanted
    return url === undefined ? { whole } : { whole, stored: await askDatabase(url, whole, rows) }
  }
  const first = await planned(new Set())
  const timeless = timelessIn(first)
  const { whole, stored } = timeless.size > 0 ? await planned(timeless) : first
  const plan = stored ? withoutOthers(whole, stored) : whole
  const { writer, editing } = writerOf(orm, modules, before, plan, files, wanted, kysely)
  const written = write(plan, writer, editing)
  editing.finish()
  const { edits } = editing
  const texts = new Map(
    [...edits].map(([file, own]) => [file, applyEdits(files.texts.get(file) as string, own)]),
  )
  const verdict =
    edits.size === 0 ? { faults: [] } : compareFacts(before, await load(texts), { keys: written.keys })
  return outcomeOf(orm, { before, plan, written, stored, verdict, edits, files, writer })
}

/** Edits of files: what one column needs is written as a whole, or not at all. */
interface Editing {
  readonly edits: ReadonlyMap<string, readonly Edit[]>
  whole<Result>(work: () => Result): Result
  /** Writes what several columns need. */
  finish(): void
}

function writerOf(
  orm: Orm,
  modules: readonly string[],
  facts: Facts,
  plan: Plan,
  { texts }: Files,
  { isBranded }: Wanted,
  kysely: KyselyInput | undefined,
): { writer: Writer; editing: Editing } {
  if (orm === 'prisma') {
    const schema = new Map(modules.map((file) => [file, texts.get(file) as string]))
    const writer = new PrismaWriter(schema, facts, isBranded)
    return { writer, editing: writer }
  }
  const require = createRequire(import.meta.url)
  const sources = new Sources(require(pathOf('typescript', modules[0] as string)), codeOf(texts))
  const editing = new Definitions(sources, isBranded)
  const writer = kysely
    ? new KyselyWriter(sources, editing, kysely)
    : orm === 'drizzle'
      ? new DrizzleWriter(sources, editing, facts.database)
      : orm === 'mikroOrm'
        ? new MikroOrmWriter(sources, editing, facts, plan.keys)
        : new ClassWriter(sources, editing, facts.tables, plan.keys, typeorm(editing))
  return { writer, editing: writer instanceof KyselyWriter ? writer : editing }
}

const codeOf = (texts: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...texts].filter(([file]) => !file.endsWith('.prisma')))

/** @throws {UsageError} for a pattern of a key that is none */
function unknownPatterns(
  patterns: ReadonlyMap<string, string>,
  { keys, left, references, done }: Plan,
): void {
  const names = new Set([...keys, ...left, ...references, ...done].map(({ name }) => name))
  for (const [name] of patterns)
    if (!names.has(name))
      throw new UsageError(`--pattern ${name}: no id column of this name; there are ${[...names].join(', ')}`)
}

type StoredKeys = ReadonlyMap<Named, Stored>

/** Keys that are ids of a family today, but store others. */
const timelessIn = ({ whole, stored }: { whole: Plan; stored?: StoredKeys }): ReadonlySet<string> =>
  new Set(
    [...whole.keys, ...whole.references].flatMap((one) => {
      const key = 'key' in one ? one.key : one
      return key.family && stored?.get(one)?.others ? key.name : []
    }),
  )

/** Columns that store other keys than their definition takes stay, and what belongs to them. */
function withoutOthers(plan: Plan, stored: StoredKeys): Plan {
  const reasons = new Map<KeyPlan, string>()
  for (const one of [...plan.keys, ...plan.references]) {
    const key = 'key' in one ? one.key : one
    const { unknown, others, example, name } = stored.get(one) as Stored
    const reason = unknown
      ? `its stored keys are not known: ${unknown}`
      : others > 0
        ? `${name} stores ${others.toLocaleString('en')} old keys that its definition doesn't take, such as ${example}`
        : undefined
    if (reason && !reasons.has(key)) reasons.set(key, reason)
  }
  const leave = (one: Named, key: KeyPlan): Left => ({
    table: one.table,
    column: one.column,
    name: one.name,
    file: one.file,
    isOpen: true,
    reason: reasons.get(key) as string,
  })
  const goes = (key: KeyPlan): boolean => reasons.has(key)
  return {
    keys: plan.keys.filter((key) => !goes(key)),
    references: plan.references.filter(({ key }) => !goes(key)),
    left: [
      ...plan.left,
      ...plan.keys.filter(goes).map((key) => leave(key, key)),
      ...plan.references.filter(({ key }) => goes(key)).map((one) => leave(one, one.key)),
    ],
    done: plan.done,
  }
}

interface Written {
  readonly keys: KeyPlan[]
  readonly adopted: Adopted[]
  readonly unwritten: Left[]
}

function write(plan: Plan, writer: Writer, editing: Editing): Written {
  const [keys, adopted, unwritten]: [KeyPlan[], Adopted[], Left[]] = [[], [], []]
  const one = (
    named: Named,
    key: KeyPlan,
    kind: Adopted['kind'],
    work: () => Change | undefined,
  ): boolean => {
    try {
      const change = editing.whole(work)
      const line = change?.line ?? writer.lineOf(named)
      const place = { ...placeOf(named), ...(change && { file: change.file }), ...(line && { line }) }
      adopted.push({ ...place, kind, pattern: key.pattern, text: change?.text ?? key.name })
      return true
    } catch (error) {
      if (!(error instanceof Unwritable)) throw error
      unwritten.push({ ...named, isOpen: true, reason: error.message })
      return false
    }
  }
  for (const key of plan.keys) if (one(key, key, 'key', () => writer.writeKey(key))) keys.push(key)
  for (const named of plan.references)
    if (keys.includes(named.key)) one(named, named.key, 'reference', () => writer.writeReference(named))
    else
      unwritten.push({
        ...named,
        isOpen: true,
        reason: `it refers to ${named.key.name}, which stays as it is`,
      })
  return { keys, adopted, unwritten }
}

const placeOf = ({ table, column, name, file }: Named): Place => ({
  table: table.name,
  ...(table.schema !== undefined && { schema: table.schema }),
  column: column.name,
  name,
  file,
})

function outcomeOf(
  orm: Orm,
  {
    before,
    plan,
    written: { adopted, unwritten },
    stored,
    verdict,
    edits,
    files,
    writer,
  }: {
    before: Facts
    plan: Plan
    written: Written
    stored: StoredKeys | undefined
    verdict: ReturnType<typeof compareFacts>
    edits: ReadonlyMap<string, readonly Edit[]>
    files: Files
    writer: Writer
  },
): Outcome {
  const open = (one: Left): Open => {
    const line = writer.lineOf(one)
    return { ...placeOf(one), ...(line !== undefined && { line }), reason: one.reason }
  }
  const all = [...plan.left, ...unwritten]
  const [kept, left] = [
    all.filter(({ isOpen }) => !isOpen).map(open),
    all.filter(({ isOpen }) => isOpen).map(open),
  ]
  const isReference = ({ column: { references, isPrimary } }: Named): boolean =>
    references.some(({ by }) => by !== 'relation' || !isPrimary)
  const columns = [...plan.keys, ...plan.references, ...plan.left, ...plan.done]
  const references = new Set([...plan.references, ...columns.filter(isReference)]).size
  const failures = before.failures.map(({ file, reason }) => ({ file: relative('.', file), reason }))
  return {
    counts: {
      tables: before.tables.length,
      keys: columns.length - references,
      references,
      adopted: adopted.length,
      done: plan.done.length,
      kept: kept.length,
      left: left.length,
    },
    adopted,
    kept,
    left,
    failures,
    isPartial: failures.length > 0 || unwritten.length > 0,
    stored: stored && [...stored.values()],
    edits,
    texts: files.texts,
    leftovers: files.leftovers,
    next:
      edits.size > 0
        ? [
            `npm install ${PACKAGES[orm]} @snoflax/core`,
            ...(orm === 'prisma' ? ['npx prisma generate', clientsIn(files.texts)] : []),
            ...(writer.next ?? []),
            'run your formatter and your tests',
          ]
        : [],
    ...verdict,
  }
}

/** Where code creates Prisma's clients, which need the extension. */
function clientsIn(texts: ReadonlyMap<string, string>): string {
  const found = [...texts].flatMap(([file, text]) =>
    file.endsWith('.prisma')
      ? []
      : text
          .split('\n')
          .flatMap((line, at) =>
            /\bnew\s+PrismaClient\b|\bextends\s+PrismaClient\b/.test(line) ? `${file}:${at + 1}` : [],
          ),
  )
  return `add .$extends(snoflax()) to ${found.length > 0 ? `the client in ${found.join(', ')}` : 'your client'}, after all other extensions; snoflax is exported by the folder that prisma generate writes`
}

/** The outcomes of several ORMs as one. @throws {UsageError} if they change one file */
function merged(outcomes: readonly Outcome[], failures: Outcome['failures'], files: Files): Outcome {
  const [first, ...more] = outcomes as [Outcome, ...Outcome[]]
  const sum = more.reduce((one, other): Outcome => {
    const both = [...other.edits.keys()].find((file) => one.edits.has(file))
    if (both) throw new UsageError(`${both} declares tables of two ORMs: pass the files of one`)
    const missing = one.missing ?? other.missing
    return {
      counts: Object.fromEntries(
        Object.entries(one.counts).map(([name, count]) => [name, count + other.counts[name as 'keys']]),
      ) as Outcome['counts'],
      adopted: [...one.adopted, ...other.adopted],
      kept: [...one.kept, ...other.kept],
      left: [...one.left, ...other.left],
      failures: [...one.failures, ...other.failures],
      isPartial: one.isPartial || other.isPartial,
      stored: one.stored && [...one.stored, ...(other.stored ?? [])],
      edits: new Map([...one.edits, ...other.edits]),
      texts: files.texts,
      leftovers: files.leftovers,
      next: [...new Set([...one.next, ...other.next])],
      faults: [...one.faults, ...other.faults],
      ...(missing !== undefined && { missing }),
    }
  }, first)
  return {
    ...sum,
    failures: [...failures, ...sum.failures],
    isPartial: sum.isPartial || failures.length > 0,
  }
}
