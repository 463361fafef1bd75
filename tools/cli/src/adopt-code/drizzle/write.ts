import type ts from 'typescript'
import { Columns, type Link, type Written } from '../columns.js'
import type { Definitions } from '../definitions.js'
import type { Facts } from '../load/facts.js'
import { isText, type KeyPlan, type Named, type ReferencePlan } from '../plan.js'
import type { Sources } from '../sources.js'
import { type Change, Unwritable, type Writer } from '../written.js'

const CORES = { postgres: 'pg', mysql: 'mysql', sqlite: 'sqlite' } as const

const GENERATORS = ['$defaultFn', '$default']

/** What stays of `.defaultRandom()`, which only columns of uuids have. */
const BY_POSTGRES = '.default(sql`gen_random_uuid()`)'

/** A column as it will be, below which the rest of its chain stands. */
interface Started {
  readonly text: string
  /** Methods of its chain that it replaces. */
  readonly gone: readonly Link[]
}

/** Writes Drizzle's keys and foreign keys as columns of ids. */
export class DrizzleWriter implements Writer {
  readonly #columns: Columns
  readonly #core: string
  readonly #edited = new Set<string>()

  constructor(
    readonly sources: Sources,
    readonly definitions: Definitions,
    readonly database: Facts['database'],
  ) {
    this.#columns = new Columns(sources, (call) => call.arguments?.[1])
    this.#core = `@snoflax/drizzle/${CORES[database]}-core`
  }

  /** The line of a column. */
  lineOf({ table, column }: Named): number | undefined {
    const written = this.#columns.find(table.places, column.key)
    if (!written) return undefined
    const at = written.inTable ?? written.root.node
    return this.sources.lineOf(written.inTable ? written.file : written.root.scope.file, at)
  }

  /** @throws {Unwritable} if the source can't be followed, or says what can't be written */
  writeKey(key: KeyPlan): Change {
    const written = this.#find(key)
    const { file, chain, statement } = written
    const link = chain.filter((one) => GENERATORS.includes(one.name)).at(-1)
    const [given] = link?.node.arguments ?? []
    const generate =
      link && given
        ? this.definitions.textOf({ scope: link.scope, node: given }, written.file)
        : '() => crypto.randomUUID()'
    const isMade = link !== undefined || key.column.isUuidGenerated
    if (generate === undefined || !isMade)
      throw new Unwritable("its generator stands where its table can't name it: declare the key by hand")
    this.#check(written)
    const name = this.#nameOf(written)
    const { name: definition } = this.definitions.define(key, file, statement, generate)
    const options = this.#optionsOf(key, written)
    const text = `idColumn(${[...name, definition, ...options].join(', ')})`
    this.#place(written, key.column.key, { text, gone: link ? [link] : [] })
    return { text: `opaque, ${key.by}`, line: this.lineOf(key) as number, file: file.path }
  }

  /** @throws {Unwritable} as {@link writeKey} */
  writeReference(one: ReferencePlan): Change {
    const written = this.#find(one)
    const { file, chain } = written
    const link = chain.find(({ name }) => name === 'references')
    this.#check(written)
    const name = this.#nameOf(written)
    const started = link ? this.#referring(one, written, link, name) : this.#plain(one, written, name)
    this.#place(written, one.column.key, started)
    return { text: one.key.name, line: this.lineOf(one) as number, file: file.path }
  }

  #find({ table, column }: Named): Written {
    const written = this.#columns.find(table.places, column.key)
    if (written) return written
    const where = table.places.map(({ file, name }) => `${name} of ${file}`).join(', ')
    throw new Unwritable(`its declaration in ${where} can't be read: declare it by hand`)
  }

  #referring(one: ReferencePlan, written: Written, link: Link, name: readonly string[]): Started {
    const { ts } = this.sources
    const [target, actions] = link.node.arguments
    const leads = target && this.definitions.textOf({ scope: link.scope, node: target }, written.file)
    const given = actions && this.definitions.textOf({ scope: link.scope, node: actions }, written.file)
    if (leads === undefined || (actions && given === undefined))
      throw new Unwritable('its target can only be read where it stands: declare it by hand')
    // Its annotation hides the type of its target.
    const isCyclic = target && ts.isArrowFunction(target) && target.type && !this.definitions.isBranded
    const own = given?.startsWith('{') ? given.slice(1, -1).trim().replace(/,$/, '') : given && `...${given}`
    const options = [
      ...(isCyclic ? ['branded: false'] : []),
      ...(this.#typeBeside(one) ?? []),
      ...(own ? [own] : []),
    ].join(', ')
    const text = `idColumn.ref(${[...name, leads, ...(options ? [`{ ${options} }`] : [])].join(', ')})`
    return { text, gone: [link] }
  }

  /** A foreign key of several columns, or one that only relations in code know. */
  #plain(one: ReferencePlan, { file, statement }: Written, name: readonly string[]): Started {
    const definition = this.definitions.byKey.get(one.key)
    if (definition?.file !== file || definition.offset > statement.getStart())
      throw new Unwritable(
        `it refers to ${one.key.name} by a foreign key of the table or a relation: declare it by hand, as idColumn.plain(…)`,
      )
    const options = this.#optionsOf(one, { file })
    return { text: `idColumn.plain(${[...name, definition.name, ...options].join(', ')})`, gone: [] }
  }

  #nameOf(written: Written): string[] {
    const [first] = written.root.node.arguments
    if (!first || this.sources.ts.isObjectLiteralExpression(first)) return []
    const text = this.definitions.textOf({ scope: written.root.scope, node: first }, written.file)
    if (text === undefined)
      throw new Unwritable('its name can only be read where it stands: declare it by hand')
    return [text]
  }

  /** The options of a column, which keep what it was. */
  #optionsOf({ column: { type } }: Named, { file }: Pick<Written, 'file'>): string[] {
    const isOfText = isText(type)
    const kept = this.#hasOwnType(type) ? [`type: '${type}'`] : []
    const options = [
      ...kept,
      ...(isOfText ? ["onMismatch: 'notFound'"] : []),
      ...(this.definitions.isBranded ? [] : ['branded: false']),
    ]
    if (options.length === 0) return []
    const words = type.split(/\W+/).filter(Boolean)
    const stem = kept.length > 0 ? words.map((one) => one.replace(/^./, (first) => first.toUpperCase())) : []
    return [this.definitions.options(file, `kept${stem.join('')}${isOfText ? '' : 'Uuid'}`, options)]
  }

  /** Whether the type must be stated: opaque ids are `text` in PostgreSQL and SQLite. */
  #hasOwnType = (type: string): boolean =>
    isText(type) && !(this.database !== 'mysql' && /^text$/i.test(type))

  #typeBeside({ column, key }: ReferencePlan): string[] | undefined {
    if (column.type === key.column.type || !isText(column.type)) return undefined
    return [`type: '${column.type}'`]
  }

  /** @throws {Unwritable} if it comes from elsewhere, and can't be written into its table */
  #check({ level, inTable, chain, root, file }: Written): void {
    this.definitions.import(file, ['idColumn', this.#core])
    if (level === 0 && root.scope.file === file && chain.every((one) => one.level === 0)) return
    if (inTable === undefined)
      throw new Unwritable('its table has its columns from elsewhere: declare it by hand')
  }

  #place(written: Written, key: string, { text, gone }: Started): void {
    const { file, level, chain, root } = written
    if (level === 0) {
      this.definitions.edit(file, { start: root.node.getStart(), end: root.node.end, text })
      for (const link of chain) this.#dropOrKeep(written, link, gone)
      return
    }
    const links = chain.flatMap((link) => {
      if (gone.includes(link)) return []
      if (link.name === 'defaultRandom') return this.#random(written)
      const given = link.node.arguments.map((node) =>
        this.definitions.textOf({ scope: link.scope, node }, written.file),
      )
      if (given.includes(undefined))
        throw new Unwritable("it comes from a function whose values its table can't name: declare it by hand")
      return `.${link.name}(${given.join(', ')})`
    })
    this.definitions.edit(file, this.#columns.edit(written, key, text + links.join('')))
  }

  #dropOrKeep(written: Written, link: Link, gone: readonly Link[]): void {
    const isRandom = link.name === 'defaultRandom'
    if (!isRandom && !gone.includes(link)) return
    const { expression, end } = link.node
    const start = (expression as ts.PropertyAccessExpression).expression.end
    const place = `${start} ${written.file.path}`
    if (this.#edited.has(place)) return
    this.#edited.add(place)
    this.definitions.edit(written.file, { start, end, text: isRandom ? this.#random(written) : '' })
  }

  #random({ file }: Written): string {
    this.definitions.import(file, ['sql', 'drizzle-orm'])
    return BY_POSTGRES
  }
}
