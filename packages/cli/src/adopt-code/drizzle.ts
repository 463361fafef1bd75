import type ts from 'typescript'
import { type Findings, NUMBERS, STORED, type Stored, TAKEN } from './findings.js'
import type { Export, Source, Sources } from './sources.js'

interface Link {
  readonly name: string
  readonly call: ts.CallExpression
}

interface Column {
  readonly file: Source
  /** `users.id`; of a shared column, that of the first table that has it. */
  readonly name: string
  readonly dialect: string
  /** `text('id')` */
  readonly root: ts.CallExpression
  readonly type: string
  readonly chain: readonly Link[]
  isPrimary: boolean
  isReferenced: boolean
  /** Whether several tables have it. */
  isShared: boolean
  /** Columns that it refers to by a composite foreign key. */
  readonly tied: Set<Column>
  /** Columns that it refers to by a relation without a foreign key, or that refer to it. */
  readonly related: Set<Column>
}

type Table = Map<string, Column>

interface Fate {
  readonly stored: Stored
  readonly column: Column
}

const GENERATORS = ['$defaultFn', '$default', 'defaultRandom']
const TEXTS = ['text', 'varchar']
/** What the columns of uuids begin with, in each file, and its value. */
const [UUID_COLUMN, MAKE_UUID] = ['uuid7Id', 'idColumn(uuid7)']
const MADE_BY_POSTGRES = /^sql`\s*(?:gen_random_uuid|uuid_generate_v4|uuidv7)\(\)\s*`$/

/** Finds keys and foreign keys of Drizzle's tables, and the edits that make them id columns. */
export function adoptDrizzle(sources: Sources, findings: Findings): boolean {
  const { ts } = sources
  const tables = new Map<ts.Node, Table>()
  const columns = new Map<ts.Node, Column>()
  const extras: (() => void)[] = []

  const coreOf = (file: Source, callee: ts.Node): { dialect: string; name: string } | undefined => {
    const origin = sources.originOf(file, callee)
    if (!origin || !('module' in origin)) return undefined
    const [, dialect] = /^drizzle-orm\/(pg|sqlite|mysql)-core$/.exec(origin.module) ?? []
    return dialect === undefined ? undefined : { dialect, name: origin.name }
  }

  /** pgTable, a const of pgTableCreator(…), or the `table` of a const of pgSchema(…). */
  const tableDialect = (file: Source, callee: ts.Expression): string | undefined => {
    const core = coreOf(file, callee)
    if (core) return /^(?:pg|sqlite|mysql)Table$/.test(core.name) ? core.dialect : undefined
    if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'table') {
      const direct = ts.isCallExpression(callee.expression) ? { file, call: callee.expression } : undefined
      const made = direct ?? sources.callBehind(file, callee.expression)
      const schema = made && coreOf(made.file, made.call.expression)
      return schema && /Schema$/.test(schema.name) ? schema.dialect : undefined
    }
    const made = sources.callBehind(file, callee)
    const creator = made && coreOf(made.file, made.call.expression)
    return creator && /TableCreator$/.test(creator.name) ? creator.dialect : undefined
  }

  /** A column that was adopted before. */
  const isOurs = (file: Source, callee: ts.Expression): boolean => {
    const start = ts.isPropertyAccessExpression(callee) ? callee.expression : callee
    const origin = sources.originOf(file, start)
    if (origin && 'module' in origin) return origin.module.startsWith('@snoflax/')
    const made = sources.callBehind(file, start)
    return made !== undefined && isOurs(made.file, made.call.expression)
  }

  const chainOf = (node: ts.Expression): { root: ts.CallExpression; chain: Link[] } | undefined => {
    if (!ts.isCallExpression(node)) return undefined
    const callee = node.expression
    const inner = ts.isPropertyAccessExpression(callee) && chainOf(callee.expression)
    if (!inner) return { root: node, chain: [] }
    return {
      root: inner.root,
      chain: [...inner.chain, { name: (callee as ts.PropertyAccessExpression).name.text, call: node }],
    }
  }

  const readColumn = (
    file: Source,
    name: string,
    given: ts.Expression,
    dialect: string,
  ): Column | undefined => {
    const found = chainOf(sources.bare(given))
    if (found === undefined) return undefined
    const { root, chain } = found
    const known = columns.get(root)
    if (known) {
      known.isShared = true
      return known
    }
    const core = coreOf(file, root.expression)
    // The argument of the callback: t.text('id').
    const origin = sources.originOf(file, root.expression)
    const isArgument =
      ts.isPropertyAccessExpression(root.expression) &&
      !origin &&
      !file.declared.has(root.expression.expression.getText())
    const type = core?.name ?? (isArgument ? root.expression.name.text : undefined)
    if (type === undefined) {
      if (isOurs(file, root.expression)) return undefined
      const made = sources.declarationOf(file, root.expression)
      const result = made && sources.resultOf(made.node)
      const column = made && result && readColumn(made.file, name, result, dialect)
      const isKey = chain.some((link) => ['primaryKey', 'references', ...GENERATORS].includes(link.name))
      if (!column) {
        const text = `${root.expression.getText()}(…) can't be read: write its column as a chain that begins with text(…)`
        return isKey ? findings.leave(sources.placeOf(file, root, name), text) : undefined
      }
      column.isPrimary ||= chain.some((link) => link.name === 'primaryKey')
      return column
    }
    const column = {
      file,
      name,
      dialect: core?.dialect ?? dialect,
      root,
      type,
      chain,
      isPrimary: chain.some((link) => link.name === 'primaryKey'),
      isReferenced: false,
      isShared: false,
      tied: new Set<Column>(),
      related: new Set<Column>(),
    }
    columns.set(root, column)
    return column
  }

  const readColumns = (
    file: Source,
    table: Table,
    name: string,
    given: ts.Node | undefined,
    dialect: string,
  ): undefined => {
    const node =
      given && ts.isExpression(given) ? (sources.resultOf(given) ?? sources.bare(given)) : undefined
    if (!node) return
    if (!ts.isObjectLiteralExpression(node)) {
      const text = "its columns can't be read: they are not an object literal"
      return findings.leave(sources.placeOf(file, node, name), text)
    }
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        const spread = sources.bare(property.expression)
        const isCall = ts.isCallExpression(spread)
        const made = sources.declarationOf(file, isCall ? spread.expression : spread)
        const isObject = made && !isCall && ts.isVariableDeclaration(made.node)
        const shared = isObject
          ? (made.node as ts.VariableDeclaration).initializer
          : made && sources.resultOf(made.node)
        if (made && shared) readColumns(made.file, table, name, shared, dialect)
        else {
          const text = `...${spread.getText()} can't be read: look for keys there`
          findings.leave(sources.placeOf(file, spread, name), text)
        }
      } else if (ts.isPropertyAssignment(property)) {
        const key = property.name.getText().replace(/['"]/g, '')
        const column = readColumn(file, `${name}.${key}`, property.initializer, dialect)
        if (column) table.set(key, column)
      }
    }
  }

  const tableOf = (file: Source, node: ts.Expression, own?: Table): Table | undefined => {
    const declared = sources.declarationOf(file, node)
    return declared ? tables.get(declared.node) : ts.isIdentifier(node) ? own : undefined
  }
  /** `users.id`, or `table.id` in the callback of a table. */
  const columnOf = (file: Source, node: ts.Expression, own?: Table): Column | undefined => {
    const bare = sources.bare(node)
    return ts.isPropertyAccessExpression(bare)
      ? tableOf(file, bare.expression, own)?.get(bare.name.text)
      : undefined
  }
  const columnsOf = (file: Source, node: ts.Expression | undefined, own?: Table): (Column | undefined)[] =>
    (node && ts.isArrayLiteralExpression(node) ? [...node.elements] : node ? [node] : []).map((one) =>
      columnOf(file, one, own),
    )
  const tie = (
    by: 'tied' | 'related',
    from: readonly (Column | undefined)[],
    to: readonly (Column | undefined)[],
  ): void =>
    from.forEach((column, at) => {
      const target = to[at]
      if (column && target && column !== target) column[by].add(target)
    })

  for (const file of sources.all) {
    sources.walk(file.node, (node) => {
      if (!ts.isCallExpression(node)) return
      const dialect = tableDialect(file, node.expression)
      if (dialect === undefined) {
        // one(users, { fields, references }), and Drizzle 1.0's r.one.users({ from, to }).
        const options = node.arguments.find(ts.isObjectLiteralExpression)
        const either = (...names: string[]) =>
          options && names.flatMap((one) => sources.member(options, one) ?? [])[0]
        const [from, to] = [either('fields', 'from'), either('references', 'to')]
        if (from && to) extras.push(() => tie('related', columnsOf(file, from), columnsOf(file, to)))
        return
      }
      const table: Table = new Map()
      let holder: ts.Node = node.parent
      while (ts.isPropertyAccessExpression(holder) || ts.isCallExpression(holder)) holder = holder.parent
      tables.set(holder, table)
      const name = ts.isVariableDeclaration(holder)
        ? holder.name.getText()
        : (node.arguments[0]?.getText() ?? '?')
      readColumns(file, table, name, node.arguments[1], dialect)
      const more = node.arguments[2]
      if (more)
        extras.push(() =>
          sources.walk(more, (inner) => {
            if (!ts.isCallExpression(inner)) return
            const core = coreOf(file, inner.expression)?.name
            const object = inner.arguments.find(ts.isObjectLiteralExpression)
            const own = object && sources.member(object, 'columns')
            if (core === 'primaryKey') {
              const parts = own
                ? columnsOf(file, own, table)
                : inner.arguments.map((one) => columnOf(file, one, table))
              for (const column of parts) if (column) column.isPrimary = true
            } else if (core === 'foreignKey' && object) {
              const [from, to] = [
                columnsOf(file, own, table),
                columnsOf(file, sources.member(object, 'foreignColumns'), table),
              ]
              if (from.length === 0 || [...from, ...to].includes(undefined)) {
                const text = "foreignKey({…}) can't be read: its columns must be written as table.column"
                findings.leave(sources.placeOf(file, inner, name), text)
              }
              tie('tied', from, to)
            }
          }),
        )
    })
  }
  for (const read of extras) read()

  const referenceOf = (column: Column): Link | undefined =>
    column.chain.find((link) => link.name === 'references')
  const targetOf = (column: Column): Column | undefined => {
    const [target] = referenceOf(column)?.call.arguments ?? []
    const result = target && sources.resultOf(target)
    return result && columnOf(column.file, result)
  }
  for (const column of columns.values()) {
    const target = targetOf(column)
    if (target) target.isReferenced = true
    for (const one of column.tied) one.isReferenced = true
  }

  const generatorOf = (column: Column): Link | undefined =>
    column.chain.find(
      ({ name, call }) =>
        GENERATORS.includes(name) ||
        (name === 'default' && MADE_BY_POSTGRES.test(call.arguments[0]?.getText() ?? '')),
    )
  const fates = new Map<Column, Fate | undefined>()
  /** The key that a column holds: its own, or that of the column to which it leads. */
  const fateOf = (column: Column): Fate | undefined => {
    if (fates.has(column)) return fates.get(column)
    fates.set(column, undefined)
    const fate = ownFate(column)
    const taken = fate && takenBy(column)
    if (taken) leave(column, `${taken} ${TAKEN}`)
    else fates.set(column, fate)
    return fates.get(column)
  }
  const placeOf = ({ file, root, name }: Column) => sources.placeOf(file, root, name)
  const leave = (column: Column, text: string): undefined => findings.leave(placeOf(column), text)
  const dialects = new Map<Source, string>()
  const exportsFor = ({ type, dialect }: Column): [Export, ...Export[]] => {
    const core = `@snoflax/drizzle/${dialect}-core`
    if (type !== 'uuid') return [['flaxId', core]]
    return [
      ['idColumn', core],
      ['uuid7', '@snoflax/families'],
    ]
  }
  /** The name that the column would need and that its file has for something else, such as another dialect's column. */
  const takenBy = (column: Column): string | undefined => {
    const { file, type, dialect } = column
    const wanted = exportsFor(column)
    const taken = sources.takenIn(file, wanted)
    if (taken) return taken
    const made = file.declared.get(UUID_COLUMN)
    if (type === 'uuid' && made && !made.getText().endsWith(`= ${MAKE_UUID}`)) return UUID_COLUMN
    if (!dialects.has(file)) dialects.set(file, dialect)
    return dialects.get(file) === dialect ? undefined : wanted[0][0]
  }
  const ownFate = (column: Column): Fate | undefined => {
    const reference = referenceOf(column)
    const target = targetOf(column)
    if (reference && !target)
      return leave(
        column,
        `.references(${reference.call.arguments[0]?.getText()}) can't be read, or leads out of these files or to an id column: ` +
          'in the last case write this one as flaxId.ref(name, target)',
      )
    const generator = generatorOf(column)
    const isBound = target !== undefined || column.tied.size > 0
    const related = isBound || generator || column.isPrimary ? [] : column.related
    const targets = [...(target ? [target] : []), ...column.tied, ...related].flatMap(
      (one) => fateOf(one) ?? [],
    )
    const [first] = targets
    if (first && !generator) {
      const isSame = targets.every(
        (one) => one.column === first.column || one.stored.pattern === first.stored.pattern,
      )
      if (!isSame)
        return leave(
          column,
          `refers to keys of several kinds: ${targets.map((one) => one.column.name).join(', ')}`,
        )
      if ((column.type === 'uuid') !== (first.column.type === 'uuid'))
        return leave(column, `has the type ${column.type}, and ${first.column.name} ${first.column.type}`)
      return first
    }
    // A part of a key that nothing generates, such as a position, is no id.
    const isKey = generator
      ? column.isPrimary || column.isReferenced
      : column.chain.some(({ name }) => name === 'primaryKey')
    if (!isKey || isBound) return undefined
    if (!TEXTS.includes(column.type) && column.type !== 'uuid') {
      const isNumber = /serial|int/i.test(column.type)
      return leave(column, isNumber ? NUMBERS : `a key of type ${column.type}: not text and not uuid`)
    }
    if (column.dialect === 'mysql')
      return leave(column, 'MySQL: keys of another length need a column that holds both; declare it by hand')
    const [fn] = generator?.call.arguments ?? []
    const read =
      generator === undefined
        ? undefined
        : column.type === 'uuid' && (!fn || generator.name === 'default')
          ? STORED.uuid()
          : fn && sources.storedBy(column.file, fn)
    const stored = findings.storedIn(column.name, read, column.type === 'uuid', column.isShared)
    return typeof stored === 'string' ? leave(column, stored) : { stored, column }
  }

  const perFile = new Map<Source, { imports: Map<string, Set<string>>; consts: Map<string, string> }>()
  for (const column of columns.values()) {
    const fate = fateOf(column)
    if (fate === undefined) continue
    const { file, root, chain, type } = column
    const used = perFile.get(file) ?? {
      imports: new Map<string, Set<string>>(),
      consts: new Map<string, string>(),
    }
    perFile.set(file, used)
    const isUuid = type === 'uuid'
    const starter = isUuid ? UUID_COLUMN : 'flaxId'
    for (const [name, module] of exportsFor(column))
      used.imports.set(module, new Set([...(used.imports.get(module) ?? []), name]))
    if (isUuid && !file.declared.has(UUID_COLUMN)) used.consts.set(UUID_COLUMN, MAKE_UUID)
    const kept = (): string => {
      const options = `{ ${findings.optionsFor(fate.stored, !isUuid, true).join(', ')} }${findings.wanted.branded && isUuid ? '' : ' as const'}`
      const same = [...used.consts].find(([, text]) => text === options)?.[0]
      if (same) return same
      const stem = `kept${fate.stored.kind.replace(/\W+/g, '').replace(/^./, (one) => one.toUpperCase())}`
      let name = stem
      for (
        let number = 2;
        used.consts.has(name) || file.declared.has(name) || file.imports.has(name);
        number++
      )
        name = `${stem}${number}`
      used.consts.set(name, options)
      return name
    }
    const [first] = root.arguments
    const name = first && !ts.isObjectLiteralExpression(first) ? [first.getText()] : []
    const reference = referenceOf(column)
    const place = placeOf(column)
    let made: string
    if (fate.column === column) {
      findings.keys.push({ ...place, text: `${fate.stored.kind}, then ${isUuid ? 'uuid7' : 'flax'}` })
      made = `${starter}(${[...name, kept()].join(', ')})`
    } else if (reference && fateOf(targetOf(column) as Column)) {
      findings.references.push({ ...place, text: (targetOf(column) as Column).name })
      const [target, actions] = reference.call.arguments
      // Its annotation hides the target's type.
      const isCyclic =
        target && ts.isArrowFunction(target) && target.type !== undefined && !findings.wanted.branded
      const own =
        actions &&
        (ts.isObjectLiteralExpression(actions)
          ? actions.properties.map((one) => one.getText()).join(', ')
          : `...${actions.getText()}`)
      const options = [...(isCyclic ? ['branded: false'] : []), ...(own ? [own] : [])]
      made = `${starter}.ref(${[...name, target?.getText(), ...(options.length > 0 ? [`{ ${options.join(', ')} }`] : [])].join(', ')})`
    } else {
      findings.references.push({
        ...place,
        text: [...column.tied, ...column.related].map((one) => one.name).join(', '),
      })
      made = `${starter}.plain(${[...name, kept()].join(', ')})`
    }
    findings.edit(file.path, { start: root.getStart(), end: root.end, text: made })
    const isRef = made.startsWith(`${starter}.ref(`)
    for (const link of chain) {
      const isGone = link === generatorOf(column) || (isRef && link === reference)
      if (isGone)
        findings.edit(file.path, {
          start: (link.call.expression as ts.PropertyAccessExpression).expression.end,
          end: link.call.end,
          text: '',
        })
    }
    if (generatorOf(column)?.name === 'defaultRandom' || generatorOf(column)?.name === 'default')
      findings.next.add(
        'the uuids are generated by your application now; the migration drops the DEFAULT of the columns: keep it there if other programs insert rows',
      )
    if (column.dialect === 'pg' && !isUuid)
      findings.next.add(
        'PostgreSQL: the migration of drizzle-kit generate gives the text keys COLLATE "C", so that new ids sort by time',
      )
  }
  for (const [file, { imports, consts }] of perFile) {
    const statements = [...consts].map(([name, text]) => `const ${name} = ${text}`)
    findings.edit(
      file.path,
      ...sources.importing(file, imports, statements, findings.edits.get(file.path) ?? []),
    )
  }
  return tables.size > 0
}
