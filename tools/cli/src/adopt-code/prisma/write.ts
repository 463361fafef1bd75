import type { Edit } from '../edits.js'
import type { ColumnFacts, Facts } from '../load/facts.js'
import { isText, type KeyPlan, type Named, rootOf } from '../plan.js'
import { type Change, Unwritable, type Writer } from '../written.js'
import { type Block, blocksOf, isClient, settingOf } from './schema.js'

const BY_HAND = 'declare it by hand'

/** Writes comments above the keys of a Prisma schema. Foreign keys follow them by themselves. */
export class PrismaWriter implements Writer {
  readonly edits = new Map<string, Edit[]>()
  readonly #blocks: ReadonlyMap<string, readonly Block[]>

  constructor(
    readonly texts: ReadonlyMap<string, string>,
    readonly facts: Facts,
    readonly isBranded: boolean,
  ) {
    this.#blocks = new Map([...texts].map(([file, text]) => [file, blocksOf(text)]))
  }

  /** A comment is written as a whole. */
  whole = <Result>(work: () => Result): Result => work()

  lineOf(one: Named): number | undefined {
    const found = this.#find(one)
    return found?.text.slice(0, found.at).split('\n').length
  }

  /** @throws {Unwritable} */
  writeKey(key: KeyPlan): Change {
    const found = this.#find(key)
    if (!found)
      throw new Unwritable(`its line in model ${key.table.places[0]?.name} can't be found: ${BY_HAND}`)
    this.#check(key)
    const { file, text, at } = found
    const { column, pattern, family, by } = key
    const generatedBy = column.default?.startsWith('dbgenerated(') ? 'database' : 'prisma'
    const words = [
      ...(family ? [family] : ['opaque', `pattern=/${new RegExp(pattern).source}/`]),
      `generate=${column.generated || column.isUuidGenerated ? generatedBy : 'never'}`,
      ...(isText(column.type) ? ['onMismatch=notFound'] : []),
      ...(this.isBranded ? [] : ['branded=false']),
    ]
    const [indent] = /^\s*/.exec(text.slice(at)) as RegExpExecArray
    this.#edit(file, at, `${indent}/// @snoflax ${words.join(' ')}\n`)
    return { text: `${family ?? 'opaque'}, ${by}`, line: this.lineOf(key) as number, file }
  }

  writeReference(): undefined {}

  /** Adds our generator below that of Prisma's client. */
  finish(): void {
    const blocks = [...this.#blocks].flatMap(([file, own]) =>
      own.map((block) => ({ file, block, text: this.texts.get(file) as string })),
    )
    const generators = blocks.filter(({ block }) => block.kind === 'generator')
    const isOurs = ({ text, block }: (typeof generators)[0]) =>
      text.slice(block.start, block.end).includes('snoflax-prisma-generator')
    const client = generators.filter(({ text, block }) => isClient(text, block)).at(-1)
    if (this.edits.size === 0 || !client || generators.some(isOurs)) return
    const { file, text, block } = client
    const output = settingOf(text, block, 'output')
    const folder = output?.slice(0, output.replace(/\/$/, '').lastIndexOf('/') + 1) ?? '../generated/'
    const names = new Set(generators.map(({ block: { name } }) => name))
    const name = names.has('snoflax') ? 'snoflaxIds' : 'snoflax'
    const lines = `generator ${name} {\n  provider = "snoflax-prisma-generator"\n  output   = "${folder}snoflax"\n}`
    this.#edit(file, block.end, `\n\n${lines}`)
  }

  #edit(file: string, at: number, text: string): void {
    this.edits.set(file, [...(this.edits.get(file) ?? []), { start: at, end: at, text }])
  }

  #find({ table, column }: Named): { file: string; text: string; at: number } | undefined {
    const [place] = table.places
    const block = this.#blocks
      .get(place?.file ?? '')
      ?.find(({ kind, name }) => name === place?.name && (kind === 'model' || kind === 'view'))
    const at = block?.fields.get(column.key)
    return place && at !== undefined
      ? { file: place.file, text: this.texts.get(place.file) as string, at }
      : undefined
  }

  /** @throws {Unwritable} for what the generator would refuse */
  #check({ column, name }: KeyPlan): void {
    if (![...this.texts].some(([file, text]) => this.#blocks.get(file)?.some((one) => isClient(text, one))))
      throw new Unwritable("the schema has no generator of Prisma's client, to which ours adds ids")
    if (this.facts.database === 'mysql' && isText(column.type))
      throw new Unwritable(
        `MySQL's default collations ignore case: set a case-sensitive one in a migration, and ${BY_HAND}, with collation=utf8mb4_bin`,
      )
    if (column.default === 'dbgenerated()')
      throw new Unwritable(
        `@default(dbgenerated()) without an expression leaves ids to the extension: ${BY_HAND}`,
      )
    const { tables } = this.facts
    for (const table of tables)
      for (const other of table.columns) {
        const roots = other.references.flatMap(
          (one) => rootOf({ ...other, references: [one] }, tables)?.column ?? [],
        )
        if (!roots.includes(column)) continue
        const where = `${table.places[0]?.name}.${other.key}`
        if (roots.some((one) => one !== column))
          throw new Unwritable(
            `${where} refers to ${name} and to another key, whose ids are others: ${BY_HAND}`,
          )
        if (generatesAs(other, column))
          throw new Unwritable(`${where} refers to ${name}, and has a default that generates ids: ${BY_HAND}`)
      }
  }
}

/** Whether a foreign key generates ids as its key does, of rows that don't exist. */
const generatesAs = (reference: ColumnFacts, key: ColumnFacts): boolean =>
  reference.default !== undefined &&
  /^dbgenerated\(/.test(reference.default) &&
  [key.default, 'dbgenerated()'].includes(reference.default)
