import type ts from 'typescript'
import { BINARY_IN_MYSQL, type Findings, type Place, TAKEN } from '../findings.js'
import { type Export, importing, takenIn } from '../imports.js'
import { passedToDrizzle } from '../passed.js'
import { prefixOf, type Stored } from '../shapes.js'
import type { Source, Sources } from '../sources.js'
import { type Fate, Fates, generatorOf, isMadeByPostgres } from './fates.js'
import { type Column, type Link, Tables } from './tables.js'

/** Finds keys and foreign keys of Drizzle's tables, and the edits that make them id columns. */
export function adoptDrizzle(sources: Sources, findings: Findings): boolean {
  const tables = new Tables(sources, findings)
  if (tables.all.length === 0) return false
  const passed = passedToDrizzle(tables)
  const fates = new Fates(tables, findings, (column) => passed.get(column) ?? [])
  new Writer(tables, fates, findings).write()
  listUnread(sources, findings)
  return true
}

/** What says in the files that a column is a key or a foreign key, and belongs to no column that was read. */
function listUnread(sources: Sources, findings: Findings): void {
  const { ts } = sources
  for (const file of sources.all) {
    if (!/drizzle-orm\/\w+-core/.test(file.node.text)) continue
    sources.walk(file.node, (node) => {
      if (!ts.isCallExpression(node)) return
      const callee = node.expression
      const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
      const isMethod =
        name !== callee && ts.isCallExpression((callee as ts.PropertyAccessExpression).expression)
      const isKey = /^(?:primaryKey|references)$/.test(name.getText()) && isMethod
      const isForeign =
        /^(?:primaryKey|foreignKey)$/.test(name.getText()) && !isMethod && node.arguments.length > 0
      if (!(isKey || isForeign) || findings.isRead(file.path, isKey ? name.getStart() : callee.getStart()))
        return
      const text = `${name.getText()}(…) belongs to no column that was read`
      findings.unread.push({ ...sources.placeOf(file, name, 'a column'), text })
    })
  }
}

/** What stays of `.defaultRandom()`, which only columns of uuids have. */
const BY_POSTGRES = '.default(sql`gen_random_uuid()`)'

/** What a column becomes. */
interface Made {
  readonly column: Column
  readonly fate: Fate
  readonly link: Link | undefined
}

/** Names that a file needs: imports, and statements below them. */
interface Needed {
  readonly imports: Export[]
  readonly consts: Map<string, string>
  /** Of the first column: a file of tables of two databases keeps those of the second. */
  readonly dialect: string
}

class Writer {
  readonly #needed = new Map<Source, Needed>()
  readonly #edited = new Set<string>()
  readonly #failed = new Set<Column>()

  constructor(
    readonly tables: Tables,
    readonly fates: Fates,
    readonly findings: Findings,
  ) {}

  write(): void {
    const groups = new Map<ts.Node, Made[]>()
    const roots = new Map<ts.Node, Column[]>()
    for (const column of this.tables.columns()) {
      const { node } = column.root
      roots.set(node, [...(roots.get(node) ?? []), column])
      const fate = this.fates.of(column)
      const reference = this.tables.referenceOf(column)
      const link = reference && fate && this.tables.targetOf(column) ? reference : undefined
      if (fate && !column.isOurs) groups.set(node, [...(groups.get(node) ?? []), { column, fate, link }])
    }
    // Keys first: what refers to one that can't be written stays too.
    const isKey = ([, [made]]: [ts.Node, Made[]]): number => (made?.fate.key === made?.column ? 0 : 1)
    for (const [node, all] of [...groups].sort((one, other) => isKey(one) - isKey(other))) {
      const group = all.filter(({ fate }) => !this.#failed.has(fate.key))
      if (group.length === 0) continue
      const [first] = group as [Made]
      const others = (roots.get(node) ?? []).filter((column) => !group.some((one) => one.column === column))
      const isOne =
        !group.some(({ column }) => this.#depends(column)) &&
        group.every((one) => this.#meaningOf(one) === this.#meaningOf(first)) &&
        others.length < group.length
      if (isOne && this.#keepAll(others)) this.#editInPlace(group)
      else for (const one of group) this.#inline(one)
    }
    for (const [file, { imports, consts }] of this.#needed) {
      const statements = [...consts].map(([name, text]) => `const ${name} = ${text}`)
      const edits = this.findings.edits.get(file.path) ?? []
      this.findings.edit(file.path, ...importing(this.tables.sources, file, imports, statements, edits))
    }
  }

  /** Whether the same text means another column in another table. */
  #depends({ root, chain, level }: Column): boolean {
    const { sources } = this.tables
    return [{ ...root, level }, ...chain].some(
      (one) => one.level > 0 && one.node.arguments.some((node) => sources.names({ scope: one.scope, node })),
    )
  }

  #meaningOf({ column, fate, link }: Made): string {
    return [fate.key === column, fate.stored?.pattern, link && fate.key.name].join(' ')
  }

  #leave(column: Column, text: string): undefined {
    this.#failed.add(column)
    return this.fates.leave(column, text)
  }

  /** Edits what several tables share, once. */
  #editInPlace(group: readonly Made[]): void {
    const [{ column, fate, link }] = group as [Made]
    const { file } = column.root.scope
    const text = this.#textOf(column, fate, link, file)
    if (text === undefined) return
    const { node } = column.root
    this.findings.edit(file.path, { start: node.getStart(), end: node.end, text })
    for (const made of group) {
      this.#drop(made, 0)
      this.#tell(made)
    }
  }

  /** Writes columns that stay as they are into their tables, so that what they share can change. False if one can't be. */
  #keepAll(columns: readonly Column[]): boolean {
    const texts = columns.map((column) => {
      const { file } = column.table
      const root = this.tables.sources.textIn(column.root, file)
      const links = this.#linksOf(column, file, () => false)
      return column.level > 0 && column.inTable && root !== undefined && links !== undefined
        ? root + links
        : undefined
    })
    if (texts.includes(undefined)) return false
    for (const [at, column] of columns.entries()) this.#place(column, texts[at] as string)
    return true
  }

  /** The chain of a column that is made elsewhere than in its table. */
  #linksOf(column: Column, file: Source, isGone: (link: Link) => boolean): string | undefined {
    const { sources } = this.tables
    const links = column.chain.flatMap((link) => {
      if (link.level === 0 || isGone(link)) return []
      const { name, node, scope } = link
      const given = node.arguments.map((one) => sources.textIn({ scope, node: one }, file))
      return given.includes(undefined) ? undefined : `.${name}(${given.join(', ')})`
    })
    return links.includes(undefined) ? undefined : links.join('')
  }

  /** Writes the column into its table, where a function or an object made it so far. */
  #inline(made: Made): undefined {
    const { column, fate, link } = made
    const { file } = column.table
    const links = this.#linksOf(column, file, (one) => this.#isGone(one, made))
    if (column.level > 0 && (column.inTable === undefined || links === undefined))
      return this.#leave(column, 'comes from a function that makes other keys too: write it into the table')
    const text = this.#textOf(column, fate, link, file)
    if (text === undefined) return
    const isRandom = links?.includes('.defaultRandom()')
    if (isRandom) this.#needed.get(file)?.imports.push(['sql', 'drizzle-orm'])
    this.#place(column, text + (links ?? '').replace('.defaultRandom()', BY_POSTGRES))
    this.#drop(made, 1)
    this.#tell(made)
  }

  #place({ table: { file }, inTable, level, key, root }: Column, text: string): void {
    const { sources } = this.tables
    const { ts } = sources
    if (level > 0 && inTable && ts.isSpreadAssignment(inTable)) {
      this.findings.edit(file.path, { start: inTable.end, end: inTable.end, text: `, ${key}: ${text}` })
      return
    }
    let call: ts.Node = level > 0 && inTable ? sources.bare(inTable as ts.Expression) : root.node
    while (level > 0 && ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression)) {
      const inner = sources.bare(call.expression.expression)
      if (!ts.isCallExpression(inner)) break
      call = inner
    }
    this.findings.edit(file.path, { start: call.getStart(), end: call.end, text })
  }

  /** `flaxId('id', kept)`: undefined if its file has the name for something else. */
  #textOf(column: Column, { key, stored }: Fate, link: Link | undefined, file: Source): string | undefined {
    const isUuid = column.type === 'uuid'
    const { sources } = this.tables
    const core = `@snoflax/drizzle/${column.dialect}-core`
    const wanted: Export[] = isUuid ? [['idColumn', core]] : [['flaxId', core]]
    if (isUuid && !link) wanted.push(['uuid7', '@snoflax/core'])
    const used = this.#needed.get(file)
    const taken =
      takenIn(file, wanted) ?? (used && used.dialect !== column.dialect ? wanted[0]?.[0] : undefined)
    if (taken) return this.#leave(column, `${taken} ${TAKEN}`)
    const [first] = column.root.node.arguments
    const isNamed = first && !sources.ts.isObjectLiteralExpression(first)
    const name = isNamed ? [sources.textIn({ scope: column.root.scope, node: first }, file)] : []
    const target = link?.node.arguments[0]
    const leads = link && target && sources.textIn({ scope: link.scope, node: target }, file)
    if (name.includes(undefined) || (link && leads === undefined))
      return this.#leave(
        column,
        'its name or target can only be read where it stands: write it into the table',
      )
    const needed = used ?? { imports: [], consts: new Map<string, string>(), dialect: column.dialect }
    this.#needed.set(file, needed)
    needed.imports.push(...wanted)
    const starter = isUuid ? 'idColumn' : 'flaxId'
    if (link) return `${starter}.ref(${[...name, leads, ...this.#optionsOfReference(link)].join(', ')})`
    const kept = this.#kept(needed, file, stored as Stored, isUuid)
    const method = key === column ? starter : `${starter}.plain`
    return `${method}(${[...name, ...(isUuid ? ['uuid7'] : []), kept].join(', ')})`
  }

  #optionsOfReference(link: Link): string[] {
    const { ts } = this.tables.sources
    const [target, actions] = link.node.arguments
    // Its annotation hides the target's type.
    const isCyclic = target && ts.isArrowFunction(target) && target.type && !this.findings.wanted.branded
    const own =
      actions &&
      (ts.isObjectLiteralExpression(actions)
        ? actions.properties.map((one) => one.getText()).join(', ')
        : `...${actions.getText()}`)
    const options = [...(isCyclic ? ['branded: false'] : []), ...(own ? [own] : [])].join(', ')
    return options ? [`{ ${options} }`] : []
  }

  /** The options of a column: the name of a const, or with a prefix, which is that of one table, an object. */
  #kept({ consts }: Needed, file: Source, stored: Stored, isUuid: boolean): string {
    const { findings } = this
    const named = (stem: string, text: string): string => {
      const same = [...consts].find(([, one]) => one === text)?.[0]
      if (same) return same
      let name = stem
      for (let number = 2; consts.has(name) || file.declared.has(name) || file.imports.has(name); number++)
        name = `${stem}${number}`
      consts.set(name, text)
      return name
    }
    const ending = findings.wanted.branded && isUuid ? '' : ' as const'
    const prefix = isUuid ? undefined : prefixOf(stored)
    if (!prefix) {
      const stem = `kept${stored.kind.replace(/\W+(\w?)/g, (_, one: string) => one.toUpperCase()).replace(/^./, (one) => one.toUpperCase())}`
      return named(stem.slice(0, 40), `{ ${findings.optionsFor(stored, !isUuid, true).join(', ')} }${ending}`)
    }
    const shared = named('kept', `{ ${findings.sharedOptions(true).join(', ')} }${ending}`)
    return `{ ...${shared}, prefix: '${prefix}', accept: ${findings.literalOf(stored.pattern)} }`
  }

  #isGone(one: Link, { column, link }: Made): boolean {
    return one === link || (one === generatorOf(column) && !isMadeByPostgres(one))
  }

  /** Takes what a column of ids needs no more from its chain; what the database generates stays its default. */
  #drop(made: Made, from: 0 | 1): void {
    for (const one of made.column.chain) {
      if (from === 1 && one.level > 0) continue
      const { expression, end } = one.node
      const [start, { path }] = [(expression as ts.PropertyAccessExpression).expression.end, one.scope.file]
      const isRandom = one.name === 'defaultRandom'
      const place = `${start} ${path}`
      if (this.#edited.has(place) || !(isRandom || this.#isGone(one, made))) continue
      this.#edited.add(place)
      this.findings.edit(path, { start, end, text: isRandom ? BY_POSTGRES : '' })
      if (isRandom) this.#needed.get(one.scope.file)?.imports.push(['sql', 'drizzle-orm'])
    }
  }

  #tell({ column, fate, link }: Made): void {
    const { sources } = this.tables
    const { table, inTable, root, name } = column
    const place: Place = sources.placeOf(inTable ? table.file : root.scope.file, inTable ?? root.node, name)
    const isUuid = column.type === 'uuid'
    if (fate.key === column) this.findings.adopt(place, fate.stored as Stored, isUuid)
    else {
      const targets = link ? [this.tables.targetOf(column)] : [...column.tied, ...column.related]
      const text = [...new Set(targets.map((one) => one?.name))].join(', ')
      this.findings.references.push({ ...place, text })
    }
    if (column.dialect === 'pg' && !isUuid)
      this.findings.next.add(
        'PostgreSQL: the migration of drizzle-kit generate gives the text keys COLLATE "C", so that new ids sort by time',
      )
    if (column.dialect === 'mysql')
      this.findings.next.add(`MySQL: the migration of drizzle-kit generate ${BINARY_IN_MYSQL}`)
    this.findings.next.add('run your formatter')
  }
}
